"""The games in lines of text: what the screen draws, in words.

A game's folder may have a module `plain` with a constant `PLAIN`; without one, all comes from its `Face`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from kk_core.text import Text
from kk_core.types import CommonObservation, Move, Seat
from kk_core.views import LogEntry
from kk_tui.games import Race
from kk_tui.scene import Scene

O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter that the Game protocol uses


@dataclass(frozen=True)
class Topic(Generic[O]):
    """A word that asks for a part of the table, such as "row 3"."""

    word: Text
    about: Text
    """What it tells, for the help."""

    tell: Callable[[Scene[O], str], Iterable[Text]]
    """Returns the lines for what was typed after the word, which may be nothing."""

    argument: Text | None = None
    """What may be typed after the word."""

    example: Callable[[Scene[O]], Text | str] | None = None
    """Returns something that may be typed after it."""


@dataclass(frozen=True)
class Verb:
    """A word with which moves begin."""

    word: Text
    about: Text
    """What these moves do, and what may follow the word, for the help."""

    argument: Text | None = None
    """What follows the word."""


@dataclass(frozen=True, kw_only=True)
class PlainFace(Generic[O]):
    """A game in lines of text; each `Text` is one line, what matters most first."""

    board: Callable[[Scene[O]], Iterable[Text]] = lambda _scene: ()
    """What lies on the table for all to see."""

    hand: Callable[[Scene[O]], Iterable[Text]] | None = None
    """What only the viewer knows; None to use `Face.hand`."""

    holdings: Callable[[Scene[O], Seat], Text | None] = lambda _scene, _seat: None
    """What a player has in front of them, without the name; None to use `Face.person`."""

    typed: Callable[[Scene[O], Move], Sequence[Text]] = lambda _scene, _move: ()
    """The ways to type a move besides the words of `Face`, that for lists of moves first.

    Raises `InvalidMove` for a number without a move.
    """

    verbs: Sequence[Verb] = ()
    """The first words of `typed`, one with several kinds of moves once for each of them."""

    synonyms: Sequence[tuple[Text, Text]] = ()
    """Words that may be typed for others, such as the usual name of a country for the one on its cards."""

    detail: Callable[[Scene[O], Move], Text | None] = lambda _scene, _move: None
    """What follows the first way to type a move in a list: the card that it takes, for example."""

    number: Callable[[Scene[O], Move], int | None] = lambda _scene, _move: None
    """The number that a move has on the table and therefore in lists; None where lists count their moves."""

    gone: Callable[[Scene[O], Move], Text | None] = lambda _scene, _move: None
    """Who has what a move is about, if somebody has taken it."""

    choices: Callable[[Scene[O]], Iterable[Text]] = lambda _scene: ()
    """All legal moves in a few lines, where a list of them would be long."""

    news: Callable[[Scene[O], Scene[O]], Iterable[Text]] = lambda _before, _after: ()
    """What has come onto the table between two scenes without a word in the log."""

    described: Callable[[Scene[O] | None, Scene[O], int, LogEntry], Iterable[Text]] | None = None
    """What a ply, with its number, did besides the sentences that `Face.describe` has for it.

    None if those say it all. The second scene is the newest one; the first is an earlier one from before the
    ply, if there is any.
    """

    score_label: Callable[[Scene[O], int], Text] | None = None
    """The label of a line of `observation.sheet`, in whole words; None to use `Face.sheet_label`."""

    contest_label: Callable[[Scene[O], Race], Text] = lambda _scene, race: race.label
    """The label of a contest, in whole words."""

    prompt: Callable[[Scene[O]], Text | None] = lambda _scene: None
    """What the viewer, who may act, can do now."""

    considered: Callable[[Scene[O]], Iterable[Move]] | None = None
    """Moves that somebody may mean, legal or not; None for all numbers of moves."""

    topics: Sequence[Topic[O]] = ()

    signs: Mapping[str, Text] = field(default_factory=dict)
    """What signs in the tables and sentences of its rules are called, and groups of them such as pairs."""


@cache
def plain_face(game: str) -> PlainFace[Any]:
    """Return a game in lines of text."""
    module = f"kk_tui.games.{game}.plain"
    if find_spec(module) is None:
        return PlainFace()
    found: PlainFace[Any] = import_module(module).PLAIN
    return found
