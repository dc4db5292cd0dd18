"""Moves in lines of text: how they are typed, listed and recognised."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from kk_core.errors import InvalidMove
from kk_core.types import Move
from kk_tui.games import Face
from kk_tui.games.plain import PlainFace, Verb
from kk_tui.i18n import _, current, render
from kk_tui.matching import Fit, TypedForm, form_of, meant, meant_of, ways_of, words_of
from kk_tui.scene import Scene
from kk_tui.table.advice import placed_words

_FINDING: Final = 25
_SEARCHING: Final = 5
"""Requests that take a server about as long as finding the words of all moves, and looking through them."""

_AT_ONCE: Final = 16
"""Moves whose words are found before others get their turn."""


def forms(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> Iterator[str]:
    """Yield the ways to type a move, in the reader's language and in English, in which scripts are written.

    Raises `InvalidMove` for a number without a move.
    """
    ways = [*plain.typed(scene, move)]
    nameless = replace(scene, names=("",) * len(scene.names))
    ways.append(face.move_words(nameless, scene.viewer or 0, move))
    if face.hint_words is not None and move in scene.legal:
        ways.append(face.hint_words(scene, move))
    for way in ways:
        yield from ways_of(way)
    if move in scene.legal:
        yield label(nameless, face, plain, move)  # what a list shows can be typed


def name(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> str:
    """Return a move as it can be typed."""
    ways = plain.typed(scene, move)
    return render(ways[0]) if ways else placed_words(scene, face, scene.viewer or 0, move)


def label(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> str:
    """Return a move for a list: as it can be typed, and what it means."""
    typed, detail = name(scene, face, plain, move), plain.detail(scene, move)
    return typed if detail is None else _("{move}: {detail}", move=typed, detail=detail)


def numbered(scene: Scene[Any], plain: PlainFace[Any], moves: Sequence[Move]) -> dict[int, Move]:
    """Return moves by their numbers in a list: those of the table if all have one, or else counted from 1."""
    own = {number: move for move in moves if (number := plain.number(scene, move)) is not None}
    if len(own) == len(moves):
        return dict(sorted(own.items()))
    return dict(enumerate(moves, 1))


def verbs(plain: PlainFace[Any], word: str) -> list[Verb]:
    """Return the kinds of moves that a word may begin."""
    return meant(words_of(word), ((verb, ways_of(verb.word)) for verb in plain.verbs))[1]


def usage(verb: Verb) -> str:
    """Return the word with which a kind of moves begins, and what follows it."""
    return render(verb.word) if verb.argument is None else f"{render(verb.word)} {render(verb.argument)}"


def examples(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any]) -> dict[Move, str]:
    """Return a legal move of each kind, as they are typed: others at other steps."""
    first = [render(verb.word).casefold() for verb in plain.verbs]
    kinds: dict[tuple[str, ...], list[tuple[Move, str]]] = {}
    for move in sorted(scene.legal):
        typed = name(scene, face, plain, move)
        words = typed.casefold().split()
        # what follows a word with several kinds of moves tells them apart
        kinds.setdefault(tuple(words[: max(1, first.count(words[0]))]), []).append((move, typed))
    return dict(moves[scene.match.ply % len(moves)] for moves in kinds.values())


class MoveWords:
    """The words of moves at one position: of the legal ones, and of all that may be meant.

    `spend` is called with a number of requests before something that takes as long as these.
    """

    def __init__(
        self,
        scene: Scene[Any],
        face: Face[Any],
        plain: PlainFace[Any],
        spend: Callable[[int], Awaitable[None]],
    ) -> None:
        self.key = scene.position, scene.names, scene.legal, current()
        self._scene, self._face, self._plain, self._spend = scene, face, plain, spend
        self._found: Sequence[tuple[Move, Sequence[TypedForm]]] | None = None

    async def legal(self, typed: Sequence[str]) -> tuple[Fit | None, list[Move]]:
        """Return the legal moves that typed words may mean, and how well they fit.

        There are none if the words fit a move better that is not legal: another one must not be made for it.
        """
        how, found = meant_of(typed, self._legal)
        if not found and (renamed := self._renamed(typed)) != typed:
            return await self.legal(renamed)
        if how in (None, Fit.WHOLE) or not typed:
            return how, found
        best = {*meant_of(typed, await self._all())[1]}
        found = [move for move in found if move in best]
        return (how, found) if found else (None, [])

    def containing(self, typed: Sequence[str]) -> list[Move]:
        """Return the legal moves that have typed words in them, whatever else these may mean."""
        return meant_of(typed, self._legal)[1] or meant_of(self._renamed(typed), self._legal)[1]

    async def any(self, typed: Sequence[str]) -> list[Move]:
        """Return the moves, legal or not, that typed words may mean."""
        known = await self._all()
        return meant_of(typed, known)[1] or meant_of(self._renamed(typed), known)[1]

    def _renamed(self, typed: Sequence[str]) -> tuple[str, ...]:
        """Return typed words with those of the game in place of others for the same."""
        found = list[str]()
        for word in typed:
            # in the form in which words are read, without accents
            same = [
                own for other, own in self._plain.synonyms
                if any([word] == [*words_of(way)] for way in ways_of(other))
            ]  # fmt: skip
            found += words_of(render(same[0])) if same else [word]
        return tuple(found)

    @cached_property
    def are_numbers(self) -> bool:
        """True if a number alone names a move here, whatever a list says."""
        return any(form.line.strip().isdecimal() for _move, forms in self._legal for form in forms)

    @cached_property
    def _legal(self) -> Sequence[tuple[Move, Sequence[TypedForm]]]:
        return [(move, self._forms(move)) for move in sorted(self._scene.legal)]

    async def _all(self) -> Sequence[tuple[Move, Sequence[TypedForm]]]:
        """Return the words of all moves that may be meant, which are found once, in small parts."""
        await self._spend(_FINDING if self._found is None else _SEARCHING)
        if self._found is None:
            considered = self._plain.considered
            moves = range(self._face.meta.moves) if considered is None else considered(self._scene)
            found = [*self._legal]
            for number, move in enumerate(moves, 1):
                if move not in self._scene.legal:
                    found.append((move, self._forms(move)))
                if number % _AT_ONCE == 0:
                    await asyncio.sleep(0)
            self._found = found
        return self._found

    def _forms(self, move: Move) -> Sequence[TypedForm]:
        with suppress(InvalidMove):  # not every number is one of a move
            return [*{form_of(way) for way in forms(self._scene, self._face, self._plain, move)}]
        return ()
