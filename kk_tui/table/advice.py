"""The findings of searches in words: reasons for a move, verdicts on one, the analysis of a match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from textual.content import Content

from kk_core.protocol.messages import Analyse, Analysed, ClientMessage
from kk_core.text import text
from kk_core.types import Move, Seat
from kk_core.views import Advice, Analysis, Change, Forecast, TurningPoint
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene
from kk_tui.widgets.explanation import explained

_CHANGES: Final = 3
"""Lines of the score that are told of a move, at most."""

_SURE: Final = 100
"""Percent that no search may claim."""


def move_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in words, without its subject."""
    nameless = replace(scene, names=("",) * len(scene.names))
    return render(face.move_words(nameless, seat, move)).strip()


def hinted_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in the words of a hint, beside which its place is numbered on the board."""
    if face.hint_words is None:
        return move_words(scene, face, seat, move)
    return render(face.hint_words(scene, move))


def reasons(scene: Scene[Any], face: Face[Any], changes: Sequence[Change], besides: str = "") -> str:
    """Return the changes of the score by a move, the largest first; "" if they are next to nothing.

    Those that stand in the words `besides` them are left out.
    """
    changed = _told(scene, face, [each for each in changes if _words(scene, face, each) not in besides])
    if face.all_at_once:  # the others' choices decide, so these are means
        return changed and _("on average {changes}", changes=changed)
    return changed and _("as things stand {changes}", changes=changed)


def later(scene: Scene[Any], face: Face[Any], promised: Sequence[Change]) -> str:
    """Return the points that a move saves for later, the most first; "" if they are next to nothing."""
    changed = _told(scene, face, promised)
    return changed and _("kept for later {changes}", changes=changed)


def percent(likely: float) -> str:
    """Format a probability from 0 to 1 as percents; no search is quite sure."""
    n = round(100 * likely)
    return str(n) if n < _SURE else f"> {_SURE - 1}"


def _told(scene: Scene[Any], face: Face[Any], changes: Sequence[Change]) -> str:
    return "; ".join(filter(None, (_words(scene, face, change) for change in changes[:_CHANGES])))


def _words(scene: Scene[Any], face: Face[Any], change: Change) -> str:
    """Return the change of one line of the score; "" if it is next to nothing."""
    said = []
    if own := round(change.own):
        said.append(ngettext("{gain} point", "{gain} points", abs(own), gain=f"{own:+}"))
    if change.leads:
        said.append(_("the most there"))
    if change.rival is not None and (loss := round(change.loss)):
        said.append(f"{scene.name(change.rival)} {loss:+}")
    label = render((face.line_words or face.sheet_label)(scene, change.line))
    return _("“{label}”: {changes}", label=label, changes=", ".join(said)) if said else ""


_RISKY: Final = 0.1
"""Probability from which it is worth saying that somebody else may choose the same."""


def why_better(scene: Scene[Any], face: Face[Any], better: Advice, other: Advice) -> str:
    """Return what speaks for one move and not for another; "" if that is next to nothing."""
    said = []
    if other.contested - better.contested >= _RISKY:
        likely = percent(other.contested)
        said.append(_("{n} % that somebody else chooses the other, too", n=likely))
    said.append(_told(scene, face, contrast(better.changes, other.changes)))
    said.append(later(scene, face, better.promised))
    return "; ".join(filter(None, said))


def contrast(better: Sequence[Change], played: Sequence[Change]) -> list[Change]:
    """Return what one move brings and another does not, by lines of the score sheet, the most first."""
    lines = {change.line: [change, None] for change in better}
    for change in played:
        lines.setdefault(change.line, [None, None])[1] = change
    found = [_more(line, *pair) for line, pair in lines.items()]
    brings = [change for change in found if round(change.own) > 0 or round(change.loss) < 0]
    return sorted(brings, key=lambda change: change.loss - change.own)


def _more(line: int, better: Change | None, played: Change | None) -> Change:
    """Return the difference of two changes of a line."""
    nothing = Change(line, 0.0, None, 0.0, leads=False)
    one, other = better or nothing, played or nothing
    # a loss counts against the same rival's alone
    spared = other.loss if other.rival == one.rival else 0.0
    loss = min(0.0, one.loss - spared)
    return Change(line, one.own - other.own, one.rival, loss, one.leads and not other.leads)


# -- verdicts ------------------------------------------------------------------------------------------------


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
    why = [why_better(scene, face, point.better, point.played)]
    gained = sum(change.own - change.loss for change in contrast(point.better.changes, point.played.changes))
    # what is to be seen at once may be the least of it
    if 2 * gained < point.cost:
        why.append(face.merits(scene, point.better.move))
    said = "; ".join(filter(None, why)) or reasons(scene, face, point.better.changes)
    return Verdict(point, played, better, said or _("it counts by what follows"))


def lost_words(told: Verdict) -> str:
    """Return what a move gives away, as a sentence."""
    n = round(told.point.cost)
    return ngettext("This gives away about {n} point.", "This gives away about {n} points.", n)


_WARNING: Final = text("What the coach says of the move that you have chosen, before anybody sees it.")


def warning(told: Verdict, scene: Scene[Any], face: Face[Any], *, is_marked: bool) -> Iterator[Content]:
    """Yield what speaks against a move that is about to be made, a paragraph each.

    The better move `is_marked` on the board with a 1, or else named alone.
    """
    better = hinted_words(scene, face, told.point.seat, told.point.better.move)
    better = better.rstrip(".")
    words = _("Better: {move}, marked 1.", move=better) if is_marked else _("Better: {move}.", move=better)
    yield explained((_("The coach"), "bold $gold"), _WARNING)
    yield explained((lost_words(told), "bold $refused"), _WARNING)
    yield explained((words, "$ink"), _WARNING)
    yield explained((f"({told.why})", "$ink-dim"), _WARNING)


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
