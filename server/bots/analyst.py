"""Who goes through matches that are over: a question at a time, so that bots never wait for more than one."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

from kk_core.analysis import Analysis
from kk_core.errors import BotFailed, KkError
from kk_core.text import text
from server.bots.pool import Pool
from server.bots.process import WorkerLost
from server.log import get_logger

PIECE: Final = 0.4
"""Seconds after which somebody is told what has been found meanwhile."""

_log = get_logger()


class NoAnalysis(KkError):
    """An analysis that cannot go on now."""


class Analyst:
    """Goes on with the analyses of a hub, those who ask taking turns with every question."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._turn = asyncio.Semaphore(1)

    async def go_on(self, analysis: Analysis) -> None:
        """Have some of an analysis done, if there is any left; cancel it any time. Raises `NoAnalysis`."""
        end = monotonic() + PIECE
        while analysis.question is not None:
            await self._step(analysis)
            if monotonic() >= end:
                return

    async def _step(self, analysis: Analysis) -> None:
        async with self._turn:
            question = analysis.question
            if question is None:
                return
            try:
                analysis.take(await self._pool.think(analysis.game, question))
            except BotFailed as error:
                _log.warning(
                    "analysis failed", game=analysis.game.meta.id, ply=question.ply, error=str(error)
                )
                analysis.take(None)
            except WorkerLost:
                raise NoAnalysis(text("The analysis was interrupted; please try again.")) from None
