"""The decisive moment: the turn that gave the winner the lead, or most of it, and what was done in it."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from kk_core.errors import KkError
from kk_core.text import Text, text, texts
from kk_core.types import Outcome, Seat, Viewer, totals
from kk_core.views import Change, Course
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext, render
from kk_tui.scene import Scene
from kk_tui.table.advice import line_changes

# -- which turn it was ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swing:
    """A turn that changed a seat's lead over all others: its round, from 1, and both leads.

    It began after `start` plies and ended after `ply`. Where it ended with a scoring on the way, that is the
    `scoring` of this number, from 1; else 0. `for_good` means that the seat has stayed where this turn
    brought it: ahead of all others, or level with the best.
    """

    seat: Seat
    round: int
    start: int
    ply: int
    before: int
    after: int
    scoring: int = 0
    for_good: bool = False

    @property
    def gain(self) -> int:
        """The points by which the lead grew."""
        return self.after - self.before


def decisive(course: Course, outcome: Outcome | None) -> Swing | None:
    """Return the turn that decided a match for one of the winners; None if no turn did, or it has no end.

    It is the last one in which the lead changed hands: the winner was behind at some time, went ahead in this
    turn and stayed ahead, or drew level if the match ended so. Leads before everybody has had a turn do not
    count. A winner who was never behind owes the win to the turn in which their lead grew most. What a
    scoring moves has mostly been won before it, so there a turn without one comes first if it moved at least
    half as much.
    """
    if outcome is None:
        return None
    last = course.points[-1] if course.points else ()
    ends_first = [seat for seat, own in enumerate(last) if own == max(last)]
    ends = sorted({0, *course.turns, len(course.movers)})
    swings = {
        seat: [_swing(course, seat, start, end) for start, end in pairwise(ends)]
        for seat in outcome.winners or ends_first
    }
    taken = filter(None, (_taking_over(course, found) for found in swings.values()))
    return max(taken, key=lambda swing: swing.ply, default=None) or _largest(swings.values())


def _swing(course: Course, seat: Seat, start: int, end: int) -> Swing:
    # points as things stand do not change by the last scoring, which ends the match
    on_the_way = [ply for ply in course.scorings if ply < len(course.movers)]
    scoring = on_the_way.index(end) + 1 if end in on_the_way else 0
    leads = _lead(course, start, seat), _lead(course, end, seat)
    return Swing(seat, _round(course, end), start, end, *leads, scoring)


def _taking_over(course: Course, swings: Sequence[Swing]) -> Swing | None:
    """Return the turn in which a seat took the lead, or drew level, for good; None if it was never behind."""
    everybody = set(course.movers)
    late = [swing for swing in swings if set(course.movers[: swing.ply]) == everybody]
    was_behind = any(swing.after < 0 for swing in late)
    if not was_behind or late[-1].after < 0:
        return None
    least = min(1, late[-1].after)
    rest = reversed(late)
    held = next(swing for swing in rest if swing.before < least <= swing.after)
    return replace(held, for_good=True)


def _largest(swings: Iterable[Sequence[Swing]]) -> Swing | None:
    found = [swing for own in swings for swing in own if swing.gain > 0]
    best = max(found, key=lambda swing: swing.gain, default=None)
    quiet = max((swing for swing in found if not swing.scoring), key=lambda swing: swing.gain, default=best)
    if best is None or quiet is None:
        return None
    return quiet if 2 * quiet.gain >= best.gain else best


def _lead(course: Course, ply: int, seat: Seat) -> int:
    return _ahead(course.points[ply], seat)


def _ahead(points: Sequence[int], seat: Seat) -> int:
    """Return the points by which a seat is ahead of the best other seat; negative if it is behind."""
    others = [own for other, own in enumerate(points) if other != seat]
    return points[seat] - max(others, default=0)


def _round(course: Course, ply: int) -> int:
    return bisect_right(course.rounds, max(0, ply - 1)) + 1


# -- in words ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DecisiveMoment:
    """The decisive moment in words: a sentence, in full and in short, and what was done in that turn."""

    swing: Swing
    sentence: str
    short: str
    deeds: str = ""
    """What was done, and what that changed; empty as long as it is not known."""
    brief: str = ""
    """Moves and largest change, in sentences that begin with the moment."""
    gains: str = ""
    """What it changed alone."""
    result: str = ""
    """What came of it, as a sentence to follow `brief`; empty unless it gave the lead for good."""

    @property
    def plies(self) -> tuple[int, int]:
        """The plies before and after the turn, whose points it tells of."""
        return self.swing.start, self.swing.ply

    @property
    def forms(self) -> Sequence[str]:
        """All that can be said, from the longest on; what was done comes before by how much."""
        whole = (self.sentence, self.short)
        with_gains = [f"{said} {self.gains}" for said in whole if self.gains]
        return *self.telling, *with_gains, *whole

    @property
    def telling(self) -> Sequence[str]:
        """The forms that tell the moves."""
        briefly = [f"{self.brief} {self.result}", self.brief] if self.result else [self.brief]
        whole = [f"{said} {self.deeds}" for said in (self.sentence, self.short) if self.deeds]
        return *whole, *filter(None, briefly)


def moment_of(course: Course, scene: Scene[Any]) -> DecisiveMoment | None:
    """Return the decisive moment of a match, of which the scene is the last one; None if there was none."""
    swing = decisive(course, scene.observation.outcome)
    if swing is None:
        return None
    return DecisiveMoment(swing, *map(render, swing_words(swing, scene.name(swing.seat))))


_SCORINGS: Final = (text("at the first scoring"), text("at the second scoring"), text("at a later scoring"))
"""Scorings on the way, by their number."""


def swing_words(swing: Swing, name: str) -> tuple[Text, Text]:
    """Return a swing as a sentence, in full and in short."""
    when = _when(swing)
    said: dict[str, int | str | Text] = {
        "when": when, "name": name, "before": _lead_words(swing.before), "after": _lead_words(swing.after),
    }  # fmt: skip
    if swing.for_good and swing.after > 0:
        return (
            text(
                "The decisive moment: {when} {name} took the lead for good ({before}, then {after}).",
                **said,
            ),
            text("Decisive: {when} {name} took the lead for good.", when=when, name=name),
        )
    if swing.for_good:
        return (
            text("The decisive moment: {when} {name} caught up for good, from {before}.", **said),
            text("Decisive: {when} {name} caught up for good.", when=when, name=name),
        )
    if swing.before >= 0:
        return (
            text("The decisive moment: {when} {name} pulled away ({before}, then {after}).", **said),
            text("Decisive: {when} {name} pulled away.", when=when, name=name),
        )
    return (
        text("The decisive moment: {when} {name} gained ground ({before}, then {after}).", **said),
        text("Decisive: {when} {name} gained ground.", when=when, name=name),
    )


def _when(swing: Swing) -> Text:
    if not swing.scoring:
        return text("in round {round}", round=swing.round)
    scoring = _SCORINGS[min(swing.scoring, len(_SCORINGS)) - 1]
    return text("{scoring} in round {round}", scoring=scoring, round=swing.round)


def _lead_words(lead: int) -> Text:
    if lead == 0:
        return text("level")
    if lead > 0:
        return texts("{n} point ahead", "{n} points ahead", lead)
    return texts("{n} point behind", "{n} points behind", -lead)


# -- what was done -------------------------------------------------------------------------------------------

Look: TypeAlias = Callable[[int, Viewer], Awaitable[Scene[Any]]]
"""Returns the match after some plies, as a seat or a spectator saw it."""


async def with_deeds(moment: DecisiveMoment, course: Course, look: Look, face: Face[Any]) -> DecisiveMoment:
    """Return a moment with what was done in it, as far as that can be told.

    Moves may still be secret, and a face may fail at what a newer server sends.
    """
    try:
        told = await deeds(course, moment.swing, look, face)
    except Exception:
        return moment
    swing = moment.swing
    brief = _("Decisive {when}: {deeds}", when=_when(swing), deeds=told.brief) if told.brief else ""
    leads = swing.for_good and swing.after > 0
    result = _("{name} leads for good.", name=told.hero) if leads else ""
    return replace(moment, deeds=told.whole, brief=brief, gains=told.gains, result=result)


class Deeds(NamedTuple):
    """The moves of the winner's decisive turn, and the largest changes that they made in the score sheet.

    All are sentences: the `whole` of it, in `brief` the moves and the largest change, the `gains` alone.
    """

    hero: str
    whole: str
    brief: str
    gains: str


async def deeds(course: Course, swing: Swing, look: Look, face: Face[Any]) -> Deeds:
    """Return what was done in a turn. Raises `KkError`."""
    plies = _telling(course, swing)
    eyes = course.movers[plies[0]] if plies else swing.seat
    after = await look(swing.ply, eyes)
    moves = {ply: entry.move for ply, entry in after.match.recent()}
    each = list[str]()
    for ply in plies:
        if (move := moves.get(ply)) is not None:
            each.append(render(face.move_words(await look(ply, eyes), eyes, move)))
    said = [_times(words, *same) for _words, (words, *same) in groupby(each)]
    seats = range(len(after.names))
    changes = await asyncio.gather(*(_changes(look, swing, seat) for seat in seats))
    gains = list(_gain_and_loss(changes, after, face, swing.seat))
    hidden = [_("Cards still hidden then are counted.")] if await _counts_hidden(swing, look) else []
    whole, brief = " ".join([*said, *gains, *hidden]), " ".join([*said, *gains[:1]]) if said else ""
    return Deeds(after.name(swing.seat), whole, brief, " ".join(gains))


def _times(words: str, *again: str) -> str:
    """Return a sentence, and how many times more it is told in a row."""
    if not again:
        return words
    more = ngettext("Once more the same.", "The same {n} more times.", len(again))
    return f"{words} {more}"


async def _counts_hidden(swing: Swing, look: Look) -> bool:
    """Return whether everybody saw another lead, before or after a turn, than the one that is told."""
    plies = swing.start, swing.ply
    try:
        seen = await asyncio.gather(*(look(ply, None) for ply in plies))
    except KkError:
        return False
    leads = (_ahead(totals(scene.standing), swing.seat) for scene in seen)
    return (*leads,) != (swing.before, swing.after)


def _telling(course: Course, swing: Swing) -> Sequence[int]:
    """Return the plies of a turn that changed points or, where all choose at once, the seat's own."""
    turn = range(swing.start, swing.ply)
    if len({course.movers[ply] for ply in turn}) > 1:
        return [ply for ply in turn if course.movers[ply] == swing.seat]
    return [ply for ply in turn if course.points[ply] != course.points[ply + 1]]


async def _changes(look: Look, swing: Swing, seat: Seat) -> Sequence[Change]:
    """Return what a turn changed for a seat, in every line; nothing as long as that is secret."""
    # only the seat itself always saw all of its points; what the end reveals was no change of this turn
    try:
        before, after = await asyncio.gather(look(swing.start, seat), look(swing.ply, seat))
    except KkError:
        return ()
    lines = enumerate(zip(before.standing, after.standing, strict=True))
    more = ((line, now[seat] - then[seat]) for line, (then, now) in lines)
    return [Change(line, own, None, 0.0, leads=False) for line, own in more]


def _gain_and_loss(
    changes: Sequence[Sequence[Change]], scene: Scene[Any], face: Face[Any], hero: Seat
) -> Iterator[str]:
    """Yield in which lines a seat gained most, and in which the one lost most that lost anything."""
    if told := line_changes(scene, face, [each for each in changes[hero] if each.own > 0]):
        yield _("Gain for {name}: {changes}.", name=scene.name(hero), changes=told)
    lost = {seat: [each for each in own if each.own < 0] for seat, own in enumerate(changes) if seat != hero}
    loser = min(lost, key=lambda seat: sum(each.own for each in lost[seat]))
    if told := line_changes(scene, face, lost[loser]):
        yield _("Loss for {name}: {changes}.", name=scene.name(loser), changes=told)
