"""Hints in words: what a move is, how much worse than the best, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from msgspec import structs
from rich.cells import cell_len

from kk_core.types import Seat
from kk_core.views import Advice, Rival, is_even
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene
from kk_tui.table.advice import (
    CLASHING,
    NOTABLE,
    RISKY,
    beside_others,
    costliest,
    denied,
    despite,
    fares_worse,
    hinted_words,
    later,
    likelihood,
    line_changes,
    played_on,
    reasons,
    why_better,
)
from kk_tui.widgets.board import HINT_MARKS

ALL: Final = 4
"""Kinds of reasons given for a move, and lines of the score, where there is room for all."""


class HintWords:
    """The sentences of one hint."""

    def __init__(self, scene: Scene[Any], face: Face[Any], seat: Seat, moves: Sequence[Advice]) -> None:
        self._scene, self._face, self._seat = scene, face, seat
        self._moves = moves

    def title(self, place: int, *, is_tight: bool = False) -> list[tuple[str, str]]:
        """Return what a move is, with its style; where it is made is marked on the board.

        If `is_tight`, what is in sight there is not named.
        """
        move, tight = self._moves[place].move, self._face.tight_hint_words
        if is_tight and tight is not None:
            return [(render(tight(self._scene, move)), "bold $ink")]
        return [(hinted_words(self._scene, self._face, self._seat, move), "bold $ink")]

    def figures(self, place: int, width: int | None = None) -> list[tuple[str, str]]:
        """Return how likely a move wins and, of all but the best, how much worse it is; each with its style.

        Of moves that cannot be told apart, neither is likelier to win. In a `width`, that of the others is
        the longest form that fits into a line of it.
        """
        advice, best = self._moves[place], self._moves[0]
        less = _less(best.margin - advice.margin, is_even=is_even(best, advice)) if place else ""
        if place and is_even(best, advice):
            is_long = width is not None and cell_len(less) > width
            return [(_("About as good") if is_long else less, "$ink-dim")]
        if advice.chance is None:
            return [(less, "$ink-dim")] if less else []
        chance = _percent(advice.chance)
        if place and width is not None:
            forms = _figures_in_line(chance, round(best.margin - advice.margin))
            return [(next((form for form in forms if cell_len(form) <= width), forms[-1]), "$ink-dim")]
        told = _("Win chance: {n} %.", n=chance)
        return [(f"{told} {less}".rstrip(), "$ink-dim")]

    def brief(self, place: int, *, has_reason: bool = True) -> list[tuple[str, str]]:
        """Return what a move brings in few words and, if it `has_reason`, what that is worth; styled."""
        advice = self._moves[place]
        if advice.rivals:
            return [self._of_others_in_short(place) if has_reason else (_alone(advice), "$ink")]
        changes = line_changes(self._scene, self._face, advice.changes)
        if not changes:
            return self.why(place, ALL)[:1]
        is_one = sum(bool(round(each.own)) for each in advice.changes) == 1
        now = changes if is_one else _total(advice)
        return [(self._worth(place, now) if has_reason else _("Now {changes}", changes=now), "$ink")]

    def doubled(self, place: int) -> list[tuple[str, str]]:
        """Return those of the sentences `why` that tell no more than what is told in `brief`."""
        advice, best = self._moves[place], self._moves[0]
        alone = [structs.replace(each, rival=None, loss=0.0, leads=False) for each in advice.changes]
        said = {
            reasons(self._scene, self._face, alone) if len(alone) == 1 and not advice.rivals else "",
            despite(best, advice, HINT_MARKS[0]) if place and fares_worse(best, advice) else "",
        }
        return [each for each in self.why(place, ALL) if each[0] in said]

    def _worth(self, place: int, now: str) -> str:
        """Return what a move brings at once, and how it does in the end beside the best or the others."""
        best, advice = self._moves[0], self._moves[place]
        if place and is_even(best, advice):
            return _("Now {changes}", changes=now)
        if place:
            more = _gain(advice) - _gain(best)
            if more > 0:
                return _("Now {changes}, less in the end", changes=now)
            return _("Now {changes}", changes=now) if more else _("Now {changes}, less later", changes=now)
        if any(_gain(other) > _gain(best) and not is_even(best, other) for other in self._moves[1:]):
            return _("Now {changes}, more in the end", changes=now)
        return _("Now {changes}", changes=now)

    def _of_others_in_short(self, place: int) -> tuple[str, str]:
        """Return what one would get alone, and what speaks for it or against it, with its style."""
        advice, best = self._moves[place], self._moves[0]
        gain = _total(advice)
        if not place and (kept := costliest(self._scene, advice)):
            return f"{_alone(advice)}. {kept}", "$ink"
        rival = max(advice.rivals, key=lambda rival: rival.likely)
        name = self._scene.name(rival.seat)
        if not place and rival.likely >= CLASHING:
            return _("Alone: {gain}, worth a clash with {name}.", gain=gain, name=name), "$refused"
        if rival.likely >= RISKY:
            likely = likelihood(rival.likely)
            said = _("Alone: {gain}, but {name} will {likely} call it.", gain=gain, name=name, likely=likely)
            return said, "$refused"
        if place and _gain(advice) > _gain(best) and not is_even(best, advice):
            return _("Alone: {gain}, but less in the end.", gain=gain), "$ink"
        return _("Alone: {gain}, and probably nobody else calls it.", gain=gain), "$ink"

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
        advice = self._moves[place]
        why, beyond = self._beside_best(place)
        given = (said for said in self._reasons(advice, reasons_each, why) if said and said not in why)
        # what it brings, then what that is worth beside the others, and what is only known from playing on
        first, *more = [*islice(given, reasons_each)] or [""]
        told = [(first, "$ink"), (why, "$happened"), *((said, "$ink") for said in more)]
        told += [*self._of_others(advice, why, is_best=not place), (beyond, "$happened")]
        return [(said, style) for said, style in told if said]

    def _beside_best(self, place: int) -> tuple[str, str]:
        """Return why the best move is better than the second one, or what another one's gain at once is worth
        beside it; and where the best one did better when both were played on.
        """
        scene, face, best, advice = self._scene, self._face, self._moves[0], self._moves[place]
        if not place and len(self._moves) > 1:
            second, names = self._moves[1], (HINT_MARKS[0], HINT_MARKS[1])
            beyond = played_on(scene, face, best, second, names)
            return why_better(scene, face, best, second, (_this(best), names[1]), beyond, is_listed=True)
        if place > 1:
            # of the second one the first has told it
            names = HINT_MARKS[0], HINT_MARKS[place]
            is_worse = fares_worse(best, advice)
            beyond = played_on(scene, face, best, advice, names, is_of_other=True) if is_worse else ""
            return despite(best, advice, names[0]), beyond
        return "", ""

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


def _figures_in_line(chance: int, n: int) -> Sequence[str]:
    """Return how likely a move wins, and how much worse than the best one it is, the longest form first."""
    return (
        ngettext(
            "Wins {chance} %; {n} point less than a", "Wins {chance} %; {n} points less than a",
            n, chance=chance,
        ),
        ngettext("Wins {chance} %; {n} point less", "Wins {chance} %; {n} points less", n, chance=chance),
        ngettext("{n} point less than a", "{n} points less than a", n),
        ngettext("{n} point less", "{n} points less", n),
    )  # fmt: skip


def _percent(chance: float) -> int:
    """Return a chance in percent; nothing is quite sure while the match goes on."""
    return min(99, max(1, round(100 * chance)))


def _this(advice: Advice) -> str:
    """Return what begins a sentence about a move, with the one that follows it."""
    return _("This move") if advice.then is None else _("This turn")


def _gain(advice: Advice) -> int:
    """Return the points that a move brings immediately."""
    return round(sum(change.own for change in advice.changes))


def _total(advice: Advice) -> str:
    return f"{_gain(advice):+}"


def _alone(advice: Advice) -> str:
    return _("Alone: {gain}", gain=_total(advice))


def _threat(rival: Rival) -> float:
    return (rival.gain + rival.cost) * rival.likely
