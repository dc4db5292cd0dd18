"""What a search makes of the match that a replay shows: asked for bit by bit, and put into words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from kk_core.protocol.messages import Analyse, Analysed, ClientMessage
from kk_core.protocol.views import Analysis, Change, Course, Forecast, TurningPoint
from kk_core.text import Text, text, texts
from kk_core.types import Outcome, Seat, Sheet
from kk_tui.games import Face
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.table.advice import later, move_words, percent, reasons

_RISKY: Final = 0.1
"""So likely somebody has to choose the same before it is worth a word."""


@dataclass(frozen=True)
class Verdict:
    """A turning point: what was done, what would have been better, and why; without their subject."""

    point: TurningPoint
    played: str
    better: str
    why: str

    @property
    def ply(self) -> int:
        """The position before the move, in which one sees what there was to choose from."""
        return self.point.ply

    @property
    def number(self) -> int:
        """That of the move, from 1."""
        return self.point.ply + 1

    @property
    def cost(self) -> str:
        """How many points the better move is better."""
        return f"{self.point.cost:.1f}"


def verdict(point: TurningPoint, scene: Scene[Any], face: Face[Any]) -> Verdict:
    """A turning point in words, by the scene before the move through the eyes of its player."""
    played, better = (move_words(scene, face, point.seat, move.move) for move in (point.played, point.better))
    return Verdict(point, played, better, _why(point, scene, face))


def _why(point: TurningPoint, scene: Scene[Any], face: Face[Any]) -> str:
    said = []
    if point.played.contested - point.better.contested >= _RISKY:
        likely = percent(point.played.contested)
        said.append(_("{n} % that somebody else chooses what was played, too", n=likely))
    said.append(reasons(scene, face, contrast(point.better.changes, point.played.changes)))
    said.append(later(scene, face, point.better.promised))
    told = "; ".join(filter(None, said)) or face.merits(scene, point.better.move)
    return told or _("it counts by what follows")


def contrast(better: Sequence[Change], played: Sequence[Change]) -> list[Change]:
    """What one move brings that another one does not, line by line, the most first."""
    lines = {change.line: [change, None] for change in better}
    for change in played:
        lines.setdefault(change.line, [None, None])[1] = change
    found = [_more(line, *pair) for line, pair in lines.items()]
    brings = [change for change in found if round(change.own) > 0 or round(change.loss) < 0]
    return sorted(brings, key=lambda change: change.loss - change.own)


def _more(line: int, better: Change | None, played: Change | None) -> Change:
    """The difference of two changes of a line; a rival's loss counts where it is the same one's."""
    nothing = Change(line, 0.0, None, 0.0, leads=False)
    one, other = better or nothing, played or nothing
    spared = other.loss if other.rival == one.rival else 0.0
    loss = min(0.0, one.loss - spared)
    return Change(line, one.own - other.own, one.rival, loss, one.leads and not other.leads)


class Coach:
    """Findings about one match, as far as they have come."""

    def __init__(self) -> None:
        self.share = 0.0
        self.is_asking = False
        self.forecasts: list[Forecast] = []
        self.seat: Seat | None = None
        """Whose turning points are told; None for those of the match."""
        self._analysis = Analysis(0.0, (), ())
        self._verdicts: dict[TurningPoint, Verdict] = {}

    @property
    def verdicts(self) -> list[Verdict]:
        """What is told of the turning points, in the order of time."""
        points = sorted(self._analysis.costliest(self.seat), key=lambda point: point.ply)
        return [self._verdicts[point] for point in points]

    async def follow(
        self,
        request: Callable[[Callable[[int], ClientMessage]], Awaitable[Any]],
        scene_before: Callable[[int, Seat], Awaitable[Scene[Any]]],
        face: Face[Any],
        changed: Callable[[], None],
    ) -> None:
        """Ask until all is known; `changed` is called after each answer. Raises `KkError` like `request`."""
        self.is_asking = True
        try:
            while self.share < 1:
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
        """What everybody could expect after so many plies, between two forecasts by both; None if unknown."""
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
    """Chances that add up to 1 as whole percents that add up to 100: what is left goes where most was cut."""
    exact = [100 * chance for chance in chances]
    whole = [int(figure) for figure in exact]
    by_rest = sorted(range(len(exact)), key=lambda seat: whole[seat] - exact[seat])
    for seat in by_rest[: round(sum(exact)) - sum(whole)]:
        whole[seat] += 1
    return whole


def ahead(margin: float, digits: int = 0) -> str:
    """By how many points somebody is ahead, with its sign; a little less than nothing is not -0."""
    return f"{margin:+z.{digits}f}"


def _between(before: Sequence[float], now: Sequence[float], part: float) -> tuple[float, ...]:
    return tuple(a + (b - a) * part for a, b in zip(before, now, strict=True))


@dataclass(frozen=True)
class Swing:
    """The turn in which the lead of a seat over all others grew most: its round, from 1, and both leads."""

    seat: Seat
    round: int
    ply: int
    before: int
    after: int


def decisive(course: Course, outcome: Outcome | None) -> Swing | None:
    """The largest swing for one of those who are first in the end; None without any."""
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
    """How many points a seat is ahead of the best of all others; negative when it is behind."""
    points = course.points[ply]
    others = [own for other, own in enumerate(points) if other != seat]
    return points[seat] - max(others, default=0)


def _round(course: Course, ply: int) -> int:
    """The round in which the ply before a position was made."""
    return bisect_right(course.rounds, max(0, ply - 1)) + 1


def swing_words(swing: Swing, name: str) -> Text:
    """The decisive moment in a sentence."""
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
    """The lines of a score sheet that gave a seat most, as (line, points), the best first."""
    own = [(line, points[seat]) for line, points in enumerate(sheet) if points[seat] > 0]
    return sorted(own, key=lambda item: -item[1])
