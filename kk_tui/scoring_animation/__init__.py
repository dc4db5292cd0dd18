"""Scoring animations and other special moments, as lists of steps to be shown one after the other.

An animation is a pure value. A face makes it from two scenes, the one shown last and the one to be shown
next; the log of the second has what came between. The table screen plays it (see
`kk_tui.match.scoring_player`) and shows the second scene afterwards, so that nothing important is shown
only by an animation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from kk_core.text import Text, text
from kk_core.types import Seat
from kk_core.views import LogEntry
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene

BEAT = 0.4
"""Seconds of a beat, such as Ku, Ka, King."""

LOOK = 2.0
"""Seconds that everybody needs to take in something that is at rest."""

_LINE = 1.2
"""Seconds for one line of a scoring."""


@dataclass(frozen=True)
class Banner:
    """A short word, large over the board, the same in all languages unless it is a text.

    Its colour is a theme variable.
    """

    letters: str | Text
    colour: str = "gold"


class Pictogram(NamedTuple):
    """A small picture: its name, and the theme variables of its ink and ground (None: that of the page).

    `pictures` show the same in lines of equal length, the smallest first. `letters` stand for it where no
    sign has its name.
    """

    name: str
    ink: str
    ground: str | None
    pictures: tuple[tuple[str, ...], ...] = ()
    letters: Text | None = None


@dataclass(frozen=True)
class Bar:
    """A line of a scoring: what is counted, what each seat has of it, and the points for it.

    `colour` is the theme variable of its ground (None: the page), `ink` that of text on it. `counts` is empty
    if only points are shown. `why` says in a sentence how the points came about. `owner` is the seat if the
    line belongs to a single one. `shares` are what the points are made of, where this is told apart, for what
    `sources` name. `things` are the signs on each of what is counted, by seat; without them, it is drawn
    blank. `shorter` are labels for when there is less room, the longest first, the last one of at most 6
    columns. `uncounted` is the label until the line is counted, if its own would reveal what a seat has yet
    to turn over: it is that of all such lines of the seat from this one on.
    """

    label: Text
    points: tuple[int, ...]
    counts: tuple[int, ...] = ()
    colour: str | None = None
    ink: str = "country-ink"
    why: Text | None = None
    owner: Seat | None = None
    shorter: tuple[Text, ...] = ()
    things: tuple[tuple[tuple[Pictogram, ...], ...], ...] = ()
    uncounted: Text | None = None
    shares: tuple[tuple[int, ...], ...] = ()
    sources: tuple[Text, ...] = ()


@dataclass(frozen=True)
class ScoringProgress:
    """A scoring under way: the first `counted` of `bars` are counted, the last of these just now.

    `start` are the points before the first. If `over_board`, it covers the table, otherwise it is beside the
    board. `is_done` when everything is counted. If `grouped` lines are counted at once, `group` is what they
    give together.
    """

    title: Text
    names: tuple[str, ...]
    start: tuple[int, ...]
    bars: tuple[Bar, ...]
    counted: int
    over_board: bool = False
    is_done: bool = False
    grouped: int = 1
    group: Bar | None = None

    @property
    def now(self) -> Bar:
        """The line, or the group of lines, that is being counted, or was counted last."""
        return self.group or self.bars[self.counted - 1]

    @property
    def newest(self) -> tuple[Bar, ...]:
        """The lines that are being counted, or were counted last."""
        return self.bars[self.counted - self.grouped : self.counted]

    @property
    def totals(self) -> tuple[int, ...]:
        """Everybody's points, including everything counted so far."""
        return self._after(self.counted)

    @property
    def most(self) -> int:
        """The most points that anybody has at any time during it, at least 1."""
        return max(1, *(points for counted in range(len(self.bars) + 1) for points in self._after(counted)))

    def _after(self, counted: int) -> tuple[int, ...]:
        rows = (self.start, *(bar.points for bar in self.bars[:counted]))
        return tuple(sum(column) for column in zip(*rows, strict=True))


@dataclass(frozen=True)
class Step:
    """A scene that is shown for some seconds, and what appears over or beside it.

    `mark` is for the game's own board (`Board.highlight`). `says` is for the prompt line. A step that `waits`
    stands until somebody goes on, unless they want scorings to go by themselves. One that `is_detail` is part
    of a later step and shown only to those who want every line.
    """

    scene: Scene[Any]
    seconds: float
    says: Text
    banner: Banner | None = None
    scoring: ScoringProgress | None = None
    mark: object = None
    waits: bool = False
    is_detail: bool = False


class LineGroup(NamedTuple):
    """Lines of a scoring that are counted in one step: their number, what they give together, and its mark.

    The mark is of no use for a single line, which has its own.
    """

    lines: int
    bar: Bar
    mark: object


def scoring_steps(
    scene: Scene[Any],
    title: Text,
    bars: Sequence[Bar],
    marks: Sequence[object],
    *,
    start: tuple[int, ...],
    over_board: bool = False,
    groups: Sequence[LineGroup] = (),
) -> list[Step]:
    """Return the steps of a scoring, one per line with its mark on the board; the last is shown longer.

    Lines of `groups`, which together are all lines, are details, each group followed by its own step.
    """
    ends = dict(zip(accumulate(group.lines for group in groups), groups, strict=True))
    alone = {at for at, group in ends.items() if group.lines == 1}
    steps = []

    def add(seconds: float, scoring: ScoringProgress, mark: object, *, is_detail: bool) -> None:
        says = scoring.now.why or text("{title}: {line}", title=title, line=scoring.now.label)
        steps.append(Step(scene, seconds, says, scoring=scoring, mark=mark, waits=True, is_detail=is_detail))

    for number, mark in enumerate(marks, 1):
        scoring = ScoringProgress(title, scene.names, start, tuple(bars), number, over_board)
        add(_LINE, scoring, mark, is_detail=bool(groups) and number not in alone)
        if number in ends and number not in alone:
            group = ends[number]
            add(2 * LOOK, replace(scoring, grouped=group.lines, group=group.bar), group.mark, is_detail=False)
    if steps:
        whole = ScoringProgress(title, scene.names, start, tuple(bars), len(bars), over_board, is_done=True)
        says = text(
            "{title}: the score sheet ({key}) lists all of these points.", title=title, key=KEYS["sheet"].word
        )
        steps.append(Step(scene, 2 * LOOK, says, scoring=whole, waits=True))
    return steps


def last_look(
    scene: Scene[Any], title: Text, describe: Callable[[Scene[Any], LogEntry], Sequence[Text]]
) -> Step:
    """Return the step before a scoring that no reveal leads to: the board, and the last move in words."""
    told = (words[0] for _ply, entry in reversed(scene.match.recent()) if (words := describe(scene, entry)))
    return Step(scene, LOOK, text("{move} {title} is next.", move=next(told), title=title), waits=True)


def since(before: Scene[Any], after: Scene[Any]) -> list[LogEntry]:
    """Return the plies that the second scene has and the first has not, oldest first."""
    return [entry for ply, entry in after.match.recent() if ply >= before.match.ply]
