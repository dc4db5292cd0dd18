"""Moves in lines of text: how they are typed, listed and recognised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kk_core.errors import InvalidMove
from kk_core.types import Move
from kk_tui.games import Face
from kk_tui.games.plain import PlainFace
from kk_tui.i18n import _, render
from kk_tui.matching import Fit, meant, ways_of
from kk_tui.scene import Scene
from kk_tui.table.advice import placed_words


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


def name(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> str:
    """Return a move as it can be typed."""
    ways = plain.typed(scene, move)
    return render(ways[0]) if ways else placed_words(scene, face, scene.viewer or 0, move)


def label(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> str:
    """Return a move for a list: as it can be typed, and what it means."""
    typed, detail = name(scene, face, plain, move), plain.detail(scene, move)
    return typed if detail is None else _("{move}: {detail}", move=typed, detail=detail)


def moves_meant(
    scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], typed: Sequence[str], moves: Iterable[Move]
) -> tuple[Fit | None, list[Move]]:
    """Return the moves, of some, that typed words may mean, and how well they fit."""
    return meant(typed, ((move, _forms_if_any(scene, face, plain, move)) for move in moves))


def _forms_if_any(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], move: Move) -> list[str]:
    with suppress(InvalidMove):  # not every number is one of a move
        return list(forms(scene, face, plain, move))
    return []
