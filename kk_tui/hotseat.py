"""Several people at one screen: through whose eyes it should show the table."""

from __future__ import annotations

from collections.abc import Sequence

from kk_core.types import Seat, Viewer


def next_eyes(active: Sequence[Seat], mine: Sequence[Seat], eyes: Viewer) -> Viewer:
    """The seat of mine that the screen should show now; `eyes` is the one it shows.

    Whoever can act keeps the screen; then comes the next one who can act, in seat order; while nobody here
    can act, the screen stays with whom it is with. One person alone never gives it away.
    """
    if len(mine) == 1:
        return mine[0]
    able = [seat for seat in mine if seat in active]
    if not able or eyes in able:
        return eyes if eyes in mine else None
    if eyes is None:
        return able[0]
    return min(able, key=lambda seat: (seat <= eyes, seat))
