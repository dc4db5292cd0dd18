"""Analyses of matches that are over: who may have how many, and one at a time for each."""

from __future__ import annotations

from kk_core.analysis import Analysis
from kk_core.errors import KkError
from kk_core.text import text
from kk_core.wire import analysis as told
from server.bots.analyst import Analyst
from server.hub.limits import LimitReached, Limits, TokenBuckets
from server.hub.place import Place

_MINUTE = 60.0


class Analyses:
    """Works on analyses as long as somebody asks for more; what was found is kept by the place."""

    def __init__(self, analyst: Analyst, limits: Limits) -> None:
        self._analyst = analyst
        self._asking: set[str] = set()
        self.use(limits)

    def use(self, limits: Limits) -> None:
        """Count by other limits from now on."""
        self._begun = TokenBuckets(limits.analyses_per_minute / _MINUTE, limits.analyses_at_once)

    async def go_on(self, user: str, place: Place, known: int) -> told.Analysis:
        """Some more of the analysis of a place's match, for a user. Raises `KkError`."""
        if user in self._asking:
            raise LimitReached(text("An analysis for you is on its way already."))
        analysis = place.analysis or self._begin(user, place)
        self._asking.add(user)
        try:
            await self._analyst.go_on(analysis)
        finally:
            self._asking.discard(user)
        return analysis.found(known)

    def _begin(self, user: str, place: Place) -> Analysis:
        """A new one. Raises `NotPossible` before the end of the match, `LimitReached`."""
        if not self._begun.take(user):
            raise LimitReached(text("You have had several matches analysed; please wait a minute."))
        try:
            return place.begin_analysis()
        except KkError:
            self._begun.put_back(user)
            raise
