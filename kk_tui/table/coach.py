"""What decided a match that is over, and where the points came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kk_core.text import Text, text, texts
from kk_core.types import Outcome, Seat, Sheet
from kk_core.views import Course


@dataclass(frozen=True)
class Swing:
    """The turn in which a seat's lead over all others grew most: its round, from 1, and both leads."""

    seat: Seat
    round: int
    ply: int
    before: int
    after: int


def decisive(course: Course, outcome: Outcome | None) -> Swing | None:
    """Return the largest swing for one of the winners; None without any."""
    last = course.points[-1] if course.points else ()
    ends_first = [seat for seat, own in enumerate(last) if own == max(last)]
    heroes = outcome.winners if outcome and outcome.winners else ends_first
    ends = sorted({0, *course.turns, len(course.movers)})
    found = [
        Swing(seat, _round(course, end), end, _lead(course, start, seat), _lead(course, end, seat))
        for start, end in pairwise(ends)
        for seat in heroes
    ]
    best = max(found, key=lambda swing: swing.after - swing.before, default=None)
    return best if best is not None and best.after > best.before else None


def _lead(course: Course, ply: int, seat: Seat) -> int:
    """Return the points by which a seat is ahead of the best of all others; negative if it is behind."""
    points = course.points[ply]
    others = [own for other, own in enumerate(points) if other != seat]
    return points[seat] - max(others, default=0)


def _round(course: Course, ply: int) -> int:
    return bisect_right(course.rounds, max(0, ply - 1)) + 1


def swing_words(swing: Swing, name: str) -> Text:
    """Return a swing as a sentence."""
    return text(
        "The decisive moment: in round {round} {name} went from {before} to {after}, as things stood then.",
        round=swing.round, name=name, before=_lead_words(swing.before), after=_lead_words(swing.after),
    )  # fmt: skip


def _lead_words(lead: int) -> Text:
    if lead == 0:
        return text("level")
    if lead > 0:
        return texts("{n} point ahead", "{n} points ahead", lead)
    return texts("{n} point behind", "{n} points behind", -lead)


def best_lines(sheet: Sheet, seat: Seat) -> Sequence[tuple[int, int]]:
    """Return the lines of a score sheet that gave a seat points, as (line, points), the best first."""
    own = [(line, points[seat]) for line, points in enumerate(sheet) if points[seat] > 0]
    return sorted(own, key=lambda item: -item[1])
