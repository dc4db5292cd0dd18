"""How long tables wait for people."""

from __future__ import annotations

import msgspec

from server.hub.limits import Seconds


class Times(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Seconds that a table waits before something happens without its people."""

    grace: Seconds = 600.0
    """A table that nobody needs waits so long for people whose connection was lost."""

    handover: Seconds = 120.0
    """So long a table stays with an owner who is gone, before it is handed on."""

    vote: Seconds = 60.0
    """So long somebody must be away before the others can let a bot play for him."""

    empty: Seconds = 24 * 3600.0
    """So long a table stays that waits for its match, and to which none of its people comes."""

    unplayed: Seconds = 14 * 24 * 3600.0
    """So long a match stays in which nobody moves, and to which none of its people comes."""
