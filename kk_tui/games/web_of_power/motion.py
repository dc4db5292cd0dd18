"""Motion in a step of the board game: pieces being placed, alliances won, cards drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from textual.content import Content

from kk_core.games.web_of_power.model import (
    DrawFaceUp,
    DrawFromPile,
    Exchange,
    InterimScored,
    LastRound,
    Observation,
    Reshuffled,
    cards_of,
    read,
    read_event,
)
from kk_core.games.web_of_power.notation import describe_event
from kk_core.text import Text
from kk_core.types import Move, Seat
from kk_tui.games.web_of_power.choices import country_of, target_of
from kk_tui.games.web_of_power.mapview import holders
from kk_tui.games.web_of_power.panels import chips
from kk_tui.games.web_of_power.picture import Rising
from kk_tui.i18n import _
from kk_tui.scene import Scene
from kk_tui.scoring_animation import since
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.motion import MOST, Chip, Lit, MotionFrame, Name, Thing


def motion(before: Scene[Observation], after: Scene[Observation], _glyphs: Glyphs) -> Sequence[MotionFrame]:
    """Return what moves in a single ply."""
    entries = since(before, after)
    if len(entries) != 1 or entries[0].move is None:
        return ()
    seat, move = entries[0].seat, entries[0].move
    if target_of(after.observation.printed, move) is not None:
        return [*_placed(before, after, seat, move)]
    words = _drawn(after.observation, move)
    return () if words is None else (MotionFrame(lit=(Lit(seat, _on(words, seat)),)),) * MOST


def _drawn(view: Observation, move: Move) -> Content | None:
    match read(view.printed, move):
        case DrawFaceUp(kind):
            return Content.assemble("+ ", chips((kind,)))
        case DrawFromPile():
            return Content(_("+ card from pile"))
        case Exchange(kind):
            return Content.assemble(_("discards"), " ", chips((kind,)))
    return None


def _placed(
    before: Scene[Observation], after: Scene[Observation], seat: Seat, move: Move
) -> Iterator[MotionFrame]:
    """Yield the cards that come to a place in a ring, the walls of the piece, and the whole piece."""
    placed = target_of(after.observation.printed, move)
    assert placed is not None, "asked for a piece"
    target, payment = placed
    paid = chips(cards_of(country_of(after.observation.printed, target), payment))
    cards = _on(Content.assemble(" ", paid, " "), seat)
    were, are = holders(before.standing), holders(after.standing)
    won = frozenset(n for n, old, new in zip(count(), were, are, strict=False) if new and new != old)
    told = [Lit(each, _on(Content(_won(numbers)), each)) for each, numbers in _by_seat(were, are)]
    yield MotionFrame(Rising(target, seat, 0, were), (Chip(cards, Name(seat), Thing(target), 0.5, seat),))
    yield MotionFrame(Rising(target, seat, 1, won=won))
    yield MotionFrame(Rising(target, seat, 2, won=won), lit=tuple(told))


def _by_seat(
    were: Sequence[tuple[Seat, ...]], are: Sequence[tuple[Seat, ...]]
) -> Iterator[tuple[Seat, list[int]]]:
    """Yield the seats that now hold alliances which they did not hold before, with the numbers of these."""
    found = dict[Seat, list[int]]()
    for number, (old, new) in enumerate(zip(were, are, strict=True), 1):
        for seat in set(new).difference(old):
            found.setdefault(seat, []).append(number)
    yield from sorted(found.items())


def _won(numbers: Sequence[int]) -> str:
    return _("alliance {numbers}", numbers=", ".join(map(str, numbers)))


def _on(words: Content, seat: Seat) -> Content:
    """Return words on the colour of a seat, except those that have their own ground."""
    ground = Content.styled(words.plain, f"bold $seat-ink on $seat-{seat}")
    return Content(words.plain, [*ground.spans, *words.spans])


def announcements(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Text]:
    """Return that a scoring was held, that the second half has begun, or the last round."""
    events = [event for entry in since(before, after) for event in entry.events]
    kinds = [type(read_event(event)) for event in events]
    wanted = {InterimScored, LastRound} | ({Reshuffled} if InterimScored not in kinds else set())
    return [describe_event(event) for event, kind in zip(events, kinds, strict=True) if kind in wanted]
