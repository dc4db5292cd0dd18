"""The analysis of a match in a replay: asked for bit by bit, and put into words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from kk_core.protocol.messages import Analyse, Analysed, ClientMessage
from kk_core.text import Text, text, texts
from kk_core.types import Outcome, Seat, Sheet
from kk_core.views import Analysis, Course, Forecast, TurningPoint
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.table.advice import move_words, why_better


@dataclass(frozen=True)
class Verdict:
    """A turning point in words: the move made, a better one, and the reason; all without a subject."""

    point: TurningPoint
    played: str
    better: str
    why: str

    @property
    def ply(self) -> int:
        """The position before the move, with the choices that there were."""
        return self.point.ply

    @property
    def number(self) -> int:
        """The number of the move, from 1."""
        return self.point.ply + 1

    @property
    def cost(self) -> str:
        """The points by which the better move is better."""
        return f"{self.point.cost:.1f}"


def verdict(point: TurningPoint, scene: Scene[Any], face: Face[Any]) -> Verdict:
    """Put a turning point into words; the scene is its player's, before the move."""
    played, better = (move_words(scene, face, point.seat, move.move) for move in (point.played, point.better))
    why = why_better(scene, face, point.better, point.played) or face.merits(scene, point.better.move)
    return Verdict(point, played, better, why or _("it counts by what follows"))


class Coach:
    """The findings about one match so far."""

    def __init__(self) -> None:
        self.share = 0.0
        self.is_asking = False
        self.forecasts: list[Forecast] = []
        self.seat: Seat | None = None
        """The seat whose turning points are told; None for those of the whole match."""
        self._analysis = Analysis(0.0, (), ())
        self._verdicts: dict[TurningPoint, Verdict] = {}

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on the costliest moves, in the order of play."""
        points = sorted(self._analysis.costliest(self.seat), key=lambda point: point.ply)
        return [self._verdicts[point] for point in points]

    async def follow(
        self,
        request: Callable[[Callable[[int], ClientMessage]], Awaitable[Any]],
        scene_before: Callable[[int, Seat], Awaitable[Scene[Any]]],
        face: Face[Any],
        changed: Callable[[], None],
    ) -> None:
        """Ask until the analysis is whole; `changed` is called after each answer. Raises `KkError`."""
        self.is_asking = True
        try:
            while self.share < 1:
                # The answer has the forecasts that are not here yet, but all turning points so far.
                reply: Analysed = await request(lambda number: Analyse(number, len(self.forecasts)))
                found = reply.analysis
                self.forecasts += found.forecasts
                for point in found.turning_points:
                    if point not in self._verdicts:
                        scene = await scene_before(point.ply, point.seat)
                        self._verdicts[point] = verdict(point, scene, face)
                self._analysis, self.share = found, found.share
                changed()
        finally:
            self.is_asking = False

    def forecast(self, ply: float) -> Forecast | None:
        """Return the forecast after some plies, interpolated between two; None if unknown."""
        after = next((i for i, forecast in enumerate(self.forecasts) if forecast.ply >= ply), None)
        if after is None:
            return None
        now = self.forecasts[after]
        before = self.forecasts[max(0, after - 1)]
        part = (ply - before.ply) / (now.ply - before.ply) if now.ply > before.ply else 1.0
        return Forecast(
            now.ply, _between(before.margins, now.margins, part), _between(before.chances, now.chances, part)
        )


def percents(chances: Sequence[float]) -> list[int]:
    """Round chances that add up to 1 to whole percents that add up to 100."""
    exact = [100 * chance for chance in chances]
    whole = [int(figure) for figure in exact]
    # The percents that rounding down leaves over go to those who have lost most by it.
    by_rest = sorted(range(len(exact)), key=lambda seat: whole[seat] - exact[seat])
    for seat in by_rest[: round(sum(exact)) - sum(whole)]:
        whole[seat] += 1
    return whole


def ahead(margin: float, digits: int = 0) -> str:
    """Format a lead in points, with its sign."""
    return f"{margin:+z.{digits}f}"  # "z" for no "-0"


def _between(before: Sequence[float], now: Sequence[float], part: float) -> tuple[float, ...]:
    return tuple(a + (b - a) * part for a, b in zip(before, now, strict=True))


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
