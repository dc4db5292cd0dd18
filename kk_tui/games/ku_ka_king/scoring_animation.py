"""The reveal (Ku ... Ka ... King!) and both scorings, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from kk_core.games.ku_ka_king.model import (
    LINES,
    Clashed,
    Filled,
    FirstScored,
    LastRound,
    Observation,
    RoundOver,
    Taken,
    read_event,
)
from kk_core.games.ku_ka_king.notation import CARD_NAMES, list_cards, went_back
from kk_core.text import Text, joined, listed, text
from kk_core.types import Move, totals
from kk_core.views import LogEntry
from kk_tui.games.ku_ka_king.panels import held, rules
from kk_tui.games.ku_ka_king.picture import CLASH, Crack, Moment, RowLook, Taker
from kk_tui.games.ku_ka_king.reveal import Reveal, read_reveal, takers
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, group, group_variable, pictogram
from kk_tui.scene import Scene
from kk_tui.scoring_animation import BEAT, LOOK, Banner, Bar, Step, scoring_steps, since

_CALLED: Final = 1.4
_CRACKS: Final = ((Crack.CRACKED, 0.8), (Crack.FALLING, 0.2), (Crack.IN_PIECES, 0.2))
"""The states of a card being lost, and the seconds of each."""

_REVEALS: Final = 2
"""The most reveals shown; if there are more, only the last ones are."""


@dataclass(frozen=True)
class _Table:
    """The table at a moment: the rows, and what was taken in the running round."""

    rows: tuple[bytes, ...]
    taken: Mapping[Move, Taken]
    collections: tuple[bytes, ...]

    def after(self, entry: LogEntry) -> _Table:
        """Return the table after the events of a ply."""
        rows, taken = list(self.rows), dict(self.taken)
        for event in entry.events:
            match read_event(event):
                case Taken(_, row) as took:
                    rows[row - 1], taken[row] = b"", took
                case Clashed(row):
                    rows[row - 1] = rows[row - 1][:-1]
                case RoundOver():
                    taken = {}
                case Filled(added):
                    rows = [cards + more for cards, more in zip(rows, added, strict=True)]
        return _Table(tuple(rows), taken, self.with_cards(entry))

    def with_cards(self, entry: LogEntry) -> tuple[bytes, ...]:
        """Return the collections including what is taken in a ply."""
        found = [list(cards) for cards in self.collections]
        for event in entry.events:
            match read_event(event):
                case Taken(seat, _, cards):
                    for card in cards:
                        found[seat][card] += 1
        return tuple(map(bytes, found))


def scoring_animation(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Step]:
    """Return the reveals since the scene shown last, and the scorings that followed."""
    view = before.observation
    table = _Table(view.rows, takers(before), view.collections)
    reveals: list[list[Step]] = []
    entries = [entry for entry in since(before, after) if entry.events]
    shown = before
    for entry in entries:
        is_last = entry is entries[-1]
        # a scene only has the current points: what the last reveal brought is known if no other brought any
        is_known = is_last and not any(map(_brings, entries[:-1]))
        reveals.append(list(_reveal(shown, after, table, entry, is_last=is_last, is_known=is_known)))
        shown, table = _between(shown, table, entry), table.after(entry)
    return [step for steps in reveals[-_REVEALS:] for step in steps]


def left_by_reveal(
    before: Scene[Observation], after: Scene[Observation], entry: LogEntry
) -> tuple[RowLook, ...]:
    """Return the rows as the only reveal since a scene has left them, before they are refilled."""
    table = _Table(before.observation.rows, takers(before), before.observation.collections)
    reveal = read_reveal(entry.events, table.taken)
    return _settled(before, table, reveal, _gained(before, after, reveal))


def _between(scene: Scene[Observation], table: _Table, entry: LogEntry) -> Scene[Observation]:
    """Return the scene after a reveal that another one has followed: rows and collections, and what is left.

    Its points are not known here, nor what a first scoring leaves: then it stays as it was.
    """
    view, then = scene.observation, table.after(entry)
    turn, pile, box, last_round = view.round, view.pile, view.box, view.last_round
    for event in map(read_event, entry.events):
        match event:
            case Clashed():
                box += 1
            case RoundOver():
                turn += 1
            case FirstScored():
                return scene
            case LastRound():
                last_round = True
            case Filled(rows):
                added = sum(map(len, rows))
                pile, box = max(0, pile - added), box - max(0, added - pile)
    rows, collections = then.rows, then.collections
    seen = msgspec.structs.replace(
        view, rows=rows, collections=collections, round=turn, pile=pile, box=box, last_round=last_round
    )
    return replace(scene, observation=seen)


def _brings(entry: LogEntry) -> bool:
    """Return whether somebody took a row in a reveal."""
    return any(isinstance(read_event(event), Taken) for event in entry.events)


def _reveal(
    before: Scene[Observation],
    after: Scene[Observation],
    table: _Table,
    entry: LogEntry,
    *,
    is_last: bool,
    is_known: bool,
) -> Iterator[Step]:
    """Yield a reveal: three beats, the calls, what clashes, what is taken; then a scoring, if one follows.

    The points for what is taken are shown if they are known.
    """
    reveal = read_reveal(entry.events, table.taken)
    still = Moment(_looks(before, table))
    for letters, words in (("KU", text("Ku ...")), ("KA", text("Ka ...")), ("KING!", text("King!"))):
        yield Step(before, BEAT, words, banner=Banner(letters), mark=still)
    called = _called(before, still, reveal)
    calls = [text("{name} {row}", name=before.name(seat), row=row) for seat, row in reveal.calls.items()]
    yield Step(before, _CALLED, text("King! {calls}.", calls=listed(calls)), mark=called)
    if reveal.clashed:
        clashes = _clashes(before, reveal)
        yield Step(before, 1.5 * BEAT, clashes, banner=Banner(CLASH, "ku_ka_king-bad"), mark=called)
        for crack, seconds in _CRACKS:
            yield Step(before, seconds, clashes, mark=_cracked(called, reveal, crack))
    gained = _gained(before, after, reveal) if is_known else None
    settled = Moment(_settled(before, table, reveal, gained), reveal)
    shown = after if is_last and not reveal.scored else before
    yield Step(shown, LOOK, _brought(before, reveal), mark=settled)
    if reveal.scored:
        yield from _first_scoring(after, table.with_cards(entry), entry, settled)
    if is_last and after.is_over:
        yield from _final_scoring(after, settled)


# -- the rows ------------------------------------------------------------------------------------------------


def _looks(scene: Scene[Observation], table: _Table) -> tuple[RowLook, ...]:
    """Return the rows before the calls are known; those taken earlier in the round have their takers."""
    return tuple(
        RowLook(row, cards, bool(cards), taker=_taker(scene, table.taken.get(row)))
        for row, cards in enumerate(table.rows, start=1)
    )


def _taker(scene: Scene[Observation], took: Taken | None, points: int | None = None) -> Taker | None:
    return Taker(took.seat, scene.name(took.seat), took.cards, points) if took else None


def _called(scene: Scene[Observation], still: Moment, reveal: Reveal) -> Moment:
    """Return the rows with every caller's number large."""
    rows = []
    for look in still.rows:
        callers = tuple((seat, scene.name(seat)) for seat, row in reveal.calls.items() if row == look.row)
        clashed = look.row in reveal.clashed
        rows.append(replace(look, callers=callers, clashed=clashed, loud=True) if callers else look)
    return Moment(tuple(rows))


def _cracked(called: Moment, reveal: Reveal, crack: Crack) -> Moment:
    """Return the rows with the outermost cards breaking where calls clashed."""
    return Moment(
        tuple(replace(look, crack=crack) if look.row in reveal.clashed else look for look in called.rows)
    )


def _settled(
    scene: Scene[Observation], table: _Table, reveal: Reveal, gained: Sequence[int] | None
) -> tuple[RowLook, ...]:
    """Return the rows after cards went to their takers, with the points, and clashes have cost theirs."""
    rows = []
    for look in _looks(scene, table):
        took, clash = reveal.taken.get(look.row), reveal.clashed.get(look.row)
        if took is not None and took.seat in reveal.calls:
            points = gained[took.seat] if gained else 0
            look = replace(look, cards=b"", taker=_taker(scene, took, points))
        elif clash is not None:
            callers = tuple((seat, scene.name(seat)) for seat in clash[0])
            look = replace(look, cards=look.cards[:-1], callers=callers, clashed=True, lost=clash[1])
        rows.append(look)
    return tuple(rows)


def _gained(before: Scene[Observation], after: Scene[Observation], reveal: Reveal) -> tuple[int, ...]:
    """Return everybody's gain in points; if the first scoring followed, up to that scoring."""
    now, count = after.observation, len(LINES)
    points = totals(now.sheet[:count]) if reveal.scored else now.points
    return tuple(new - old for new, old in zip(points, before.observation.points, strict=True))


# -- words ---------------------------------------------------------------------------------------------------


def _clashes(scene: Scene[Observation], reveal: Reveal) -> Text:
    """Return which rows were called by several, and what that cost them."""
    (row, (seats, card)), *others = sorted(reveal.clashed.items())
    if others:
        rows = joined([str(row) for row in sorted(reveal.clashed)])
        cards = list_cards(bytes(card for _row, (_seats, card) in sorted(reveal.clashed.items())))
        return text("CLASH in rows {rows}. Into the box: {cards}.", rows=rows, cards=cards)
    return text(
        "CLASH in row {row}, {names}. Into the box: {card}.",
        row=row, names=joined([scene.name(seat) for seat in seats]), card=CARD_NAMES[card],
    )  # fmt: skip


def _brought(scene: Scene[Observation], reveal: Reveal) -> Text:
    """Return who has taken what in this reveal."""
    took = [took for took in reveal.taken.values() if took.seat in reveal.calls]
    if not took:
        return text("Nobody got anything; those who clashed call again.")
    if len(took) == 1:
        (one,) = took
        return text(
            "{name} takes row {row}: {cards}.",
            name=scene.name(one.seat), row=one.row, cards=list_cards(one.cards),
        )  # fmt: skip
    takes = [text("{name} takes row {row}", name=scene.name(one.seat), row=one.row) for one in took]
    return text("{sentence}.", sentence=listed(takes))


# -- scorings ------------------------------------------------------------------------------------------------


def _bars(view: Observation, collections: Sequence[bytes], rows: Sequence[tuple[int, ...]]) -> Iterator[Bar]:
    """Yield a bar for each line of a scoring: everybody's number of cards for it, and the points."""
    for name, line, points, why in zip(LINE_NAMES, LINES, rows, rules(view.printed.scale), strict=True):
        things = tuple(tuple((pictogram(card),) for card in cards_of(own, line)) for own in collections)
        counts, colour = held(collections, line), group_variable(line)
        yield Bar(name, points, counts, colour, "ku_ka_king-card-ink", why, things=things)


def cards_of(collection: bytes, line: str) -> list[int]:
    """Return the cards of a line by type, but of the farm each with those that make a trio with it."""
    numbered = [
        (n, card) for card, count in enumerate(collection) if group(card) == line for n in range(count)
    ]
    return [card for _n, card in (sorted(numbered) if line == "farm" else numbered)]


def _first_scoring(
    scene: Scene[Observation], collections: Sequence[bytes], entry: LogEntry, settled: Moment
) -> list[Step]:
    """Return the first scoring, line by line; then the cards with a red cross go into the box."""
    bars = [*_bars(scene.observation, collections, scene.observation.sheet[: len(LINES)])]
    nothing = (0,) * len(scene.names)
    frozen = replace(settled, collections=tuple(collections))
    steps = scoring_steps(
        scene, text("First scoring"), bars, [frozen] * len(bars), start=nothing, over_board=True
    )
    gone = [event for event in map(read_event, entry.events) if isinstance(event, FirstScored)]
    last = replace(steps[-1], says=went_back(gone[0].cards), mark=settled)
    return [*steps[:-1], last]


def _final_scoring(scene: Scene[Observation], settled: Moment) -> list[Step]:
    """Return the final scoring on top of the first one."""
    count, view = len(LINES), scene.observation
    bars = [*_bars(view, view.collections, view.sheet[count:])]
    first = totals(view.sheet[:count])
    steps = scoring_steps(
        scene, text("Final scoring"), bars, [settled] * len(bars), start=first, over_board=True
    )
    return [*steps[:-1], replace(steps[-1], mark=settled)]
