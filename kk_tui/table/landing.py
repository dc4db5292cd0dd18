"""Where somebody lands who arrives: at the table or replay that they left, or at a match that needs them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from kk_core.protocol.messages import GoTo
from kk_core.views import LobbyView, PlaceView, decode_place
from kk_tui.client.client import Client, Refusal
from kk_tui.table.ranks import YOUR_TURN, YOURS, rank, running_match

_DIGITS: Final = 9
"""Digits of a step at most; no match has as many."""


def at_step(place: str, step: int | None) -> str:
    """Return a place, or that of a replay at a step: what `stepless` takes apart."""
    return place if step is None else f"{place} {step}"


def stepless(place: str) -> tuple[str, int | None]:
    """Return a place without the step of a replay, and that step, if it has one."""
    table, _space, step = place.rpartition(" ")
    is_step = step.isascii() and step.isdecimal() and len(step) <= _DIGITS
    return (table, int(step)) if table and is_step else (place, None)


async def land(client: Client, user: str, was_at: str | None, *, goes_back: bool = True) -> str | None:
    """Go where a user belongs, given where they were; return that place, or None for where they are now.

    What is gone, or not for them to see any more, gives way to the next place; only someone who `goes_back`
    is taken to a match that they were not at. Raises `KkError`, or `msgspec.ValidationError` for a place from
    a newer server.
    """
    places = landings(decode_place(client.tree), user, was_at) if goes_back else filter(None, (was_at,))
    for place in places:
        try:
            await client.request(partial(GoTo, table=place))
        except Refusal:
            continue
        return place
    return None


def landings(place: PlaceView, user: str, was_at: str | None) -> Iterable[str]:
    """Return where a user may land, best first.

    That is their own match; if they were only watching a table, a match takes them away from it only if it is
    their turn there.
    """
    if not isinstance(place, LobbyView) or (match := running_match(place, user)) is None:
        return filter(None, (was_at,))
    here = next((table for table in place.tables if table.id == was_at), None)
    plays_there = here is not None and here.phase == "playing" and rank(here, user) <= YOURS
    stays = plays_there or rank(match, user) != YOUR_TURN
    return dict.fromkeys(filter(None, (was_at, match.id) if stays else (match.id, was_at)))
