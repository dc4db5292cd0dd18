"""Hints in words: what a move is, how much worse than the best, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from kk_core.types import Seat
from kk_core.views import Advice, Rival, is_even
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext
from kk_tui.scene import Scene
from kk_tui.table.advice import (
    CLASHING,
    NOTABLE,
    RISKY,
    beside_others,
    costliest,
    denied,
    despite,
    hinted_words,
    later,
    likelihood,
    line_changes,
    placed_words,
    reasons,
    why_better,
)
from kk_tui.widgets.board import HINT_MARKS

ALL: Final = 4
"""Kinds of reasons given for a move, and lines of the score, where there is room for all."""


_NAMED: Final = 2
"""Maximum number of others who are named where there is little room."""


class HintWords:
    """The sentences of one hint."""

    def __init__(self, scene: Scene[Any], face: Face[Any], seat: Seat, moves: Sequence[Advice]) -> None:
        self._scene, self._face, self._seat = scene, face, seat
        self._moves = moves

    def title(self, place: int) -> list[tuple[str, str]]:
        """Return what a move is, with its style."""
        words = [hinted_words(self._scene, self._face, self._seat, each.move) for each in self._moves]
        # two moves may differ in nothing but their places
        is_unique = words.count(words[place]) == 1
        move = self._moves[place].move
        title = words[place] if is_unique else placed_words(self._scene, self._face, self._seat, move)
        return [(title, "bold $ink")]

    def figures(self, place: int, *, is_short: bool = False) -> list[tuple[str, str]]:
        """Return how likely a move wins and, of all but the best, how much worse it is; each with its style.

        Of moves that cannot be told apart, neither is likelier to win. If it `is_short`, the figures of the
        others say what they are by those of the best one.
        """
        advice, best = self._moves[place], self._moves[0]
        less = _less(best.margin - advice.margin, is_even=is_even(best, advice)) if place else ""
        if place and is_even(best, advice):
            return [(_("About as good") if is_short else less, "$ink-dim")]
        if advice.chance is None:
            return [(less, "$ink-dim")] if less else []
        chance = _percent(advice.chance)
        if place and is_short:
            n = round(best.margin - advice.margin)
            few = ngettext("{chance} %, -{n} point", "{chance} %, -{n} points", n, chance=chance)
            return [(few, "$ink-dim")]
        told = _("Win chance: {n} %.", n=chance)
        return [(f"{told} {less}".rstrip(), "$ink-dim")]

    def brief(self, place: int) -> list[tuple[str, str]]:
        """Return the first reason for a move in few words, with its style."""
        advice = self._moves[place]
        if advice.rivals:
            return [*self._of_others_in_short(advice)]
        if now := line_changes(self._scene, self._face, advice.changes):
            is_one = sum(bool(round(each.own)) for each in advice.changes) == 1
            return [(_("Now: {changes}", changes=now if is_one else _total(advice)), "$ink")]
        return self.why(place, ALL)[:1]

    def _of_others_in_short(self, advice: Advice) -> Iterator[tuple[str, str]]:
        """Yield what one would get alone, and how likely others are to make the same choice."""
        yield _("Alone: {gain}", gain=_total(advice)), "$ink"
        likeliest = sorted(advice.rivals, key=lambda rival: -rival.likely)[:_NAMED]
        risky = (rival for rival in likeliest if rival.likely >= RISKY)
        said = [f"{self._scene.name(rival.seat)} {likelihood(rival.likely)}" for rival in risky]
        if said:
            yield _("Others: {rivals}", rivals=", ".join(said)), "$refused"
        else:
            yield _("Probably nobody else calls it."), "$ink"

    def why(self, place: int, reasons_each: int) -> list[tuple[str, str]]:
        """Return sentences for a move with their styles, with so many kinds of reasons."""
        advice = self._moves[place]
        told = list[tuple[str, str]]()
        if advice.then is not None:
            then = hinted_words(self._scene, self._face, self._seat, advice.then)
            told.append((_("Then {move}.", move=then), "$ink"))
        told += self._why(place, reasons_each)
        if not place and self._beside_others:
            told.append((self._beside_others, "$happened"))
        return told

    @cached_property
    def _beside_others(self) -> str:
        """The best move's results beside the others', if no reason for it is its own; "" if one is."""
        if len(self._moves) == 1:
            return ""
        best, *others = (_sentences(self._why(place, ALL)) for place in range(len(self._moves)))
        if best.difference(*others):
            return ""
        return beside_others(self._scene, self._face, self._moves, HINT_MARKS)

    def _why(self, place: int, reasons_each: int) -> list[tuple[str, str]]:
        """Return what speaks for a move, and against it."""
        advice, why = self._moves[place], ""
        if not place and len(self._moves) > 1:
            names = _this(advice), HINT_MARKS[1]
            why = why_better(self._scene, self._face, self._moves[0], self._moves[1], names, is_listed=True)
        elif place > 1:
            # of the second one the first has told it
            why = despite(self._scene, self._face, self._moves[0], advice, HINT_MARKS[0])
        given = (said for said in self._reasons(advice, reasons_each, why) if said and said not in why)
        # what it brings, and only then what that is worth beside the others
        first, *more = [*islice(given, reasons_each)] or [""]
        told = [(said, style) for said, style in ((first, "$ink"), (why, "$happened")) if said]
        told += [(said, "$ink") for said in more]
        return [*told, *self._of_others(advice, why, is_best=not place)]

    def _reasons(self, advice: Advice, most: int, besides: str) -> Iterator[str]:
        """Yield the reasons for a move that are not given already, with at most `most` lines of the score."""
        scene, face = self._scene, self._face
        # a single gain is its own total
        total = _total(advice) if len(advice.changes) > 1 else ""
        yield reasons(scene, face, advice.changes[:most], besides, total)
        yield costliest(scene, advice)
        # why it is better says what comes later already
        yield "" if besides else later(scene, face, advice.promised[:most])
        # of a move and the next one together, what the first makes possible may be done
        yield "" if advice.then is not None and advice.changes else face.merits(scene, advice.move)

    def _of_others(self, advice: Advice, why: str, *, is_best: bool) -> Iterator[tuple[str, str]]:
        """Yield what others would get by the same choice, and how likely they are to make it.

        What the sentences `why` it is better say already is left out.
        """
        for rival in advice.rivals:
            name, gain = self._scene.name(rival.seat), f"{round(rival.gain):+}"
            is_likely, likely = rival.likely >= RISKY, likelihood(rival.likely)
            words = _("{name} will {likely} call it ({gain} if alone).", name=name, likely=likely, gain=gain)
            yield words, "$refused" if is_likely else "$ink"
        if advice.contested < RISKY:
            return
        if not advice.rivals:
            yield (
                _("Somebody else will {likely} choose it, too.", likely=likelihood(advice.contested)),
                "$refused",
            )
        kept = denied(self._scene, self._face, advice, _this(advice))
        if is_best and advice.rivals and advice.contested >= CLASHING and not (kept and kept in why):
            yield self._worth_clashing(max(advice.rivals, key=_threat)), "$refused"
        if is_best and (then := self._face.clash(self._scene, advice.move)):
            yield then, "$refused"

    def _worth_clashing(self, rival: Rival) -> str:
        """Return why a move is good though others are likely to choose it, too, such as this one."""
        if rival.gain < NOTABLE:
            return _("Still the best call, even if it comes to a clash.")
        name, gain = self._scene.name(rival.seat), f"{round(rival.gain):+}"
        return _("Worth a clash: otherwise {name} gets {gain}.", name=name, gain=gain)


def _sentences(told: Sequence[tuple[str, str]]) -> set[str]:
    """Return every sentence by itself, whichever it was told with."""
    return {sentence for said, _style in told for sentence in said.rstrip(".").split(". ")}


def _less(points: float, *, is_even: bool) -> str:
    """Return how many points a move is worse than the best one, unless they are as good as each other."""
    if is_even:
        return _("About as good as a.")
    n = round(points)
    return ngettext("{n} point less than a.", "{n} points less than a.", n)


def _percent(chance: float) -> int:
    """Return a chance in percent; nothing is quite sure while the match goes on."""
    return min(99, max(1, round(100 * chance)))


def _this(advice: Advice) -> str:
    """Return what begins a sentence about a move, with the one that follows it."""
    return _("This move") if advice.then is None else _("This turn")


def _total(advice: Advice) -> str:
    """Return what a move brings immediately, in total."""
    return f"{round(sum(change.own for change in advice.changes)):+}"


def _threat(rival: Rival) -> float:
    return (rival.gain + rival.cost) * rival.likely
