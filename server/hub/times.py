"""How long tables wait for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """Seconds that a table waits before something happens without its people."""

    grace: float = 600.0
    """A table that nobody needs waits so long for people whose connection was lost."""

    handover: float = 120.0
    """So long a table stays with an owner who is gone, before it is handed on."""

    vote: float = 60.0
    """So long somebody must be away before the others can let a bot play for him."""

    empty: float = 24 * 3600.0
    """So long a table stays that waits for its match, and to which none of its people comes."""

    unplayed: float = 14 * 24 * 3600.0
    """So long a match stays in which nobody moves, and to which none of its people comes."""
