"""The cards: hands, open cards, the draw pile, what follows when it runs out, and what can be noted."""

from __future__ import annotations

from functools import cache

from kk_core.chance import Chance
from kk_core.edit import BYTE, with_byte, with_item
from kk_core.games.web_of_power.model import (
    CARDS,
    DREW,
    INTERIM_SCORED,
    LAST_ROUND,
    NO_CARD,
    RESHUFFLED,
    TURNED_UP,
)
from kk_core.games.web_of_power.scoring import cloister_points
from kk_core.games.web_of_power.setup import unshuffled
from kk_core.games.web_of_power.state import Draft
from kk_core.types import Seat


def replace_open_cards(draft: Draft) -> None:
    """The top cards of the pile take the places of the open cards that were drawn."""
    for place, kind in enumerate(draft.face_up):
        if kind == NO_CARD and draft.pile:
            top = draft.pile[0]
            draft.pile = draft.pile[1:]
            draft.face_up = with_byte(draft.face_up, place, top)
            draft.events += ((TURNED_UP, top),)
            run_out_if_empty(draft)


def run_out_if_empty(draft: Draft) -> None:
    """What follows directly when the last card has left the pile: the second half, then the last round."""
    if draft.pile:
        return
    if draft.pile_runs:
        draft.pile_runs = 2
        draft.events += ((LAST_ROUND,),)
        return
    if not draft.deal.end_of_round:
        score_interim(draft)
    chance = Chance(draft.deal.seed, draft.position)
    cards = unshuffled(draft.discards)
    chance.shuffle(cards)
    draft.pile = bytes(cards)
    draft.discards = bytes(len(CARDS))
    draft.position = chance.position
    draft.pile_runs = 1
    draft.old = tuple(map(without, draft.hands, draft.shown))
    draft.since = (b"",) * draft.deal.seats
    draft.events += ((RESHUFFLED, len(cards)),)


def score_interim(draft: Draft) -> None:
    """Only cloisters count; the points stay, whatever happens on the board later."""
    seats = draft.deal.seats
    draft.interim = b"".join(
        bytes(cloister_points(draft.cloisters[start : start + seats]))
        for start in range(0, len(draft.cloisters), seats)
    )
    draft.events += ((INTERIM_SCORED,),)


# -- what everybody can note ---------------------------------------------------------------------------------


def note_play(draft: Draft, seat: Seat, kind: int, cards: int) -> None:
    """A seat has played cards of a kind: those that it had taken from the open cards count as played first.

    Which of two equal cards it plays makes no difference to anybody.
    """
    shown, old, since = [*draft.shown], [*draft.old], [*draft.since]
    for _ in range(cards):
        if kind in shown[seat]:
            shown[seat] = without(shown[seat], BYTE[kind])
        elif old and old[seat]:
            if since[seat]:
                since[seat] += BYTE[kind]
            else:  # nothing was drawn since: it was an old one
                old[seat] = without(old[seat], BYTE[kind])
    draft.shown, draft.old, draft.since = tuple(shown), tuple(old), tuple(since)


def note_draw(draft: Draft, seat: Seat) -> None:
    """A seat that may have old cards draws from the new pile: `since` from now on."""
    if draft.old and draft.old[seat]:
        draft.since = with_item(draft.since, seat, draft.since[seat] + BYTE[DREW])


# -- bytes ---------------------------------------------------------------------------------------------------


@cache
def with_card(hand: bytes, kind: int) -> bytes:
    """A hand with one card more."""
    return bytes(sorted(hand + BYTE[kind]))


def without(hand: bytes, cards: bytes) -> bytes:
    """A hand without some of its cards."""
    for kind in cards:
        hand = hand.replace(BYTE[kind], b"", 1)
    return hand
