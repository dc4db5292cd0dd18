"""Words about a match: what somebody has, what lies on the table, the points and what has happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from kk_core.text import Text, quoted, text, text_in
from kk_tui.games import NO_CONTESTS
from kk_tui.games.plain import Topic
from kk_tui.i18n import _, render
from kk_tui.plain import phrases
from kk_tui.plain.console import TextConsole, plain_here, scene_here
from kk_tui.plain.words import TypedWord, UnknownWords
from kk_tui.scene import Scene
from kk_tui.table.place_store import past_scene

_LOG: Final = 10
"""Plies that "log" tells without a number to those who have had no turn."""


class MatchWords:
    """Questions about a match, for players and spectators."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        self._words = (
            TypedWord(text_in("typed", "hand"), text("what only you have"), self._hand),
            TypedWord(text_in("typed", "map"), text("what lies on the table"), self._map,
                    also=(Text("board"),)),
            TypedWord(phrases.SCORE, text("the points as they stand"), self._score, also=(Text("points"),)),
            TypedWord(text_in("typed", "race"), text("who has what in each contest"), self._race),
            TypedWord(text_in("typed", "log"), text("what has happened since your last turn, or in N steps"),
                    self._log, text_in("typed", "[N]"), example=(_LOG,)),
        )  # fmt: skip
        self.back = TypedWord(
            text_in("typed", "back"), text("the table as it was after so many steps"), self._back,
            text_in("typed", "N"), example=(_LOG,),
        )  # fmt: skip
        """The word for an earlier position of a match that is still played."""

    @property
    def words(self) -> Sequence[TypedWord]:
        """The words of every match, and those of the game here."""
        topics = plain_here(self._console).topics
        return (
            *self._words,
            *(
                TypedWord(
                    one.word, one.about, self._telling(one.tell), one.argument,
                    example=partial(self._example, one),
                )
                for one in topics
            ),
        )  # fmt: skip

    def _example(self, topic: Topic[Any]) -> Sequence[Text | str]:
        scene = self._console.store.scene
        return () if topic.example is None or scene is None else (topic.example(scene),)

    def _telling(self, tell: Callable[[Scene[Any], str], Any]) -> Callable[[str], Awaitable[None]]:
        async def do(rest: str) -> None:
            self._console.say(*map(render, tell(scene_here(self._console)[0], rest)))

        return do

    async def _hand(self, _rest: str) -> None:
        scene, face = scene_here(self._console)
        told = list(phrases.hand(scene, face, plain_here(self._console)))
        self._console.say(*(told or [_("You have nothing that others can't see.")]))

    async def _map(self, _rest: str) -> None:
        scene, face = scene_here(self._console)
        told = list(phrases.board(scene, plain_here(self._console)))
        self._console.say(*(told or phrases.people(scene, face, plain_here(self._console))))

    async def _score(self, _rest: str) -> None:
        self._console.say(*phrases.score(*scene_here(self._console)))

    async def _race(self, _rest: str) -> None:
        scene, face = scene_here(self._console)
        if not face.has_contests:
            raise UnknownWords(NO_CONTESTS)
        told = list(phrases.contests(scene, face))
        self._console.say(*(told or [_("Nobody has anything that counts yet.")]))

    async def _log(self, rest: str) -> None:
        if rest and not rest.isdecimal():
            raise UnknownWords(text("{line} is no number of steps.", line=quoted(rest)))
        scene, face = scene_here(self._console)
        wanted = [int(rest)] if rest else [phrases.since(scene), _LOG]
        told = list[str]()
        for plies in (min(n, scene.match.ply) for n in wanted):
            if plies and not told:  # what is chosen in secret is told when it is revealed
                known = scene.match.recent()[-plies:]
                # what lay on the table before these steps is told by none of them
                before = await past_scene(self._console, scene.match_key, known[0][0], scene.viewer)
                if told := [*phrases.log(scene, face, plies, before)]:
                    told = [*phrases.left_out(plies - len(known)), *told]
        self._console.say(*(told or [_("Nothing has happened yet.")]))

    async def _back(self, rest: str) -> None:
        scene, face = scene_here(self._console)
        if not rest.isdecimal() or int(rest) > scene.match.ply:
            raise UnknownWords(text("Type a number of steps, 0 to {n}, after it.", n=scene.match.ply))
        ply = int(rest)
        past = await past_scene(self._console, scene.match_key, ply, scene.viewer)
        shown = dataclasses.replace(past, legal=frozenset())
        self._console.say(_("After {ply} of {end} steps.", ply=ply, end=scene.match.ply))
        self._console.say(*phrases.look(shown, face, plain_here(self._console), self._console.user))
