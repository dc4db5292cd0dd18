"""How much a server bears, of all together and of each: what `limits` in its settings says."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from kk_core.wire.frames import MAX_CLIENT_FRAME
from server.hub.limits import Count, Limits, Rate, Seconds


class ServerLimits(Limits, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits of a server: those of its hub, and those of the connections to it."""

    connections: Count = 300
    """Connections, all together."""

    connections_per_address: Count = 20
    """Connections from one address."""

    connections_per_second: Rate = 2.0
    """New connections from one address in the long run."""

    connections_at_once: Count = 60
    """New connections from one address that may come faster than that."""

    unauthenticated: Count = 100
    """Connections, all together, of which it is not known yet who they are."""

    unauthenticated_per_address: Count = 10
    """Connections from one address of which it is not known yet who they are."""

    login_seconds: Seconds = 20.0
    """So long somebody may take to say who he is, and then to ask for a session."""

    keys_per_connection: Count = 20
    """SSH keys that one connection may offer."""

    sessions_per_user: Count = 10
    """Sessions of one user, whatever connections they come over."""

    channels_per_connection: Count = 4
    """Sessions over one connection."""

    keys_per_second: Rate = 30.0
    """Keys, clicks and turns of the wheel of one session in the long run; what is more is dropped unread."""

    keys_at_once: Count = 40
    """Keys, clicks and turns of the wheel that may come faster than that, and wait for their turn."""

    window_bytes: Annotated[int, Meta(ge=1024, le=2**21)] = 32 * 1024
    """What somebody may send of which nothing has been looked at."""

    frame_bytes: Annotated[int, Meta(ge=1024, le=MAX_CLIENT_FRAME)] = MAX_CLIENT_FRAME
    """The longest message of a client program."""

    columns: Annotated[int, Meta(ge=80, le=1000)] = 400
    """The widest terminal that is drawn."""

    rows: Annotated[int, Meta(ge=24, le=1000)] = 200
    """The highest terminal that is drawn."""

    idle_seconds: Seconds = 6 * 3600.0
    """So long a session may say nothing at all before it is ended; seats stay."""

    queued_bytes: Annotated[int, Meta(ge=1024)] = 64 * 1024
    """What waits for a slow reader before it is sent no more until it reads."""
