"""How much one user, and all of them together, may ask of a hub."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from kk_core.errors import KkError
from kk_core.protocol.frames import MAX_CLIENT_FRAME
from kk_server.log import Style

Count: TypeAlias = Annotated[int, Meta(ge=1)]
Rate: TypeAlias = Annotated[float, Meta(gt=0)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]


_FEW: Final = 64
"""Buckets of which full ones may stay."""

_SHARING: Final = 5
"""So many people may come from one address before they have less each."""


class LimitReached(KkError):
    """More than this hub gives; nothing has changed."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits of a hub; the defaults leave people at a table plenty of room."""

    tables: Count = 500
    """Tables that are open or at play, all together."""

    tables_per_user: Count = 8
    """Tables that are open or at play and were opened by one user."""

    tables_per_address: Count = 40
    """Tables that are open or at play and were opened from one address, under whatever names."""

    requests_per_second: Rate = 50.0
    """Requests of one session in the long run."""

    requests_at_once: Count = 500
    """Requests that one session may make at once."""

    openings_per_minute: Rate = 20.0
    """Tables that one user opens in the long run; from one address five times as many."""

    openings_at_once: Count = 20
    """Tables that one user opens at once; from one address five times as many."""

    looks_per_second: Rate = 8.0
    """Places that one user goes to, seats taken or left, and views or lists sent anew in the long run."""

    looks_at_once: Count = 80
    """The same at once; from one address five times as many of both."""

    lines_per_second: Rate = 0.5
    """Lines, proposals and invitations of one user in the long run."""

    lines_at_once: Count = 6
    """Lines, proposals and invitations of one user at once."""

    names_per_minute: Rate = 1.0
    """Names that are claimed from one address in the long run."""

    names_at_once: Count = 20
    """Names that are claimed from one address at once."""

    codes_per_minute: Rate = 6.0
    """Wrong codes of invitations that one user tries in the long run."""

    codes_at_once: Count = 10
    """Wrong codes of invitations that one user tries at once."""

    links_per_minute: Rate = 1.0
    """Codes for a further key that are tried from one address in the long run."""

    links_at_once: Count = 5
    """Codes for a further key that are tried from one address at once."""

    analyses_per_minute: Rate = 1.0
    """Matches that one user may have analysed in the long run."""

    analyses_at_once: Count = 5
    """Matches that one user may have analysed at once."""

    patience: Seconds = 30.0
    """Seconds that somebody may leave unread what was sent."""


class TokenBucket:
    """A bucket that fills steadily and from which every request takes a token."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def take(self) -> bool:
        """Whether one more request fits now."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def put_back(self) -> None:
        """The last request shall not count."""
        self._tokens += 1  # what runs over is gone when somebody looks again

    def wait_for(self, cost: int) -> float:
        """Take as many tokens, at most a full bucket; or none, and give the seconds until they are there."""
        self._fill()
        if self._tokens < cost:
            return (cost - self._tokens) / self._per_second
        self._tokens -= cost
        return 0.0

    def is_full(self) -> bool:
        """Whether nothing was taken, or long ago."""
        self._fill()
        return self._tokens >= self._burst

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now


class TokenBuckets:
    """A bucket for each of those who ask, by a name; full ones are forgotten."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._new = partial(TokenBucket, per_second, burst, clock)
        self._buckets: dict[str, TokenBucket] = {}
        self._many = _FEW

    def take(self, name: str) -> bool:
        """Whether one more request of somebody fits now."""
        return self._of(name).take()

    def wait_for(self, name: str) -> float:
        """Have one more request of somebody count; or none, and give the seconds until it fits."""
        return self._of(name).wait_for(1)

    def _of(self, name: str) -> TokenBucket:
        if len(self._buckets) >= self._many:
            self._buckets = {other: bucket for other, bucket in self._buckets.items() if not bucket.is_full()}
            self._many = max(_FEW, 2 * len(self._buckets))
        found = self._buckets.get(name)
        if found is None:
            self._buckets[name] = found = self._new()
        return found

    def put_back(self, name: str) -> None:
        """The last request of somebody shall not count."""
        self._buckets[name].put_back()


class SharedBuckets:
    """A bucket for each user, and a larger one for all who come from the same address."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._users = TokenBuckets(per_second, burst, clock)
        self._networks = TokenBuckets(_SHARING * per_second, _SHARING * burst, clock)

    def take(self, user: str, network: str | None) -> bool:
        """Whether one more request of a user fits now; where they come from may not matter."""
        if not self._users.take(user):
            return False
        if network is None or self._networks.take(network):
            return True
        self._users.put_back(user)
        return False


BOT_PAUSE: Final = 0.6
"""Seconds, unless somebody wants another pace."""


class BotPace:
    """Seconds before each move of a bot; whoever is in a hurry skips them until it is a person's turn."""

    def __init__(self, seconds: float = BOT_PAUSE) -> None:
        self.seconds = seconds
        self._hurry = asyncio.Event()

    async def wait(self, begun: float) -> None:
        """Let the time before one move go by, which has begun then, by the clock of the loop."""
        until = begun + self.seconds
        if not self._hurry.is_set() and asyncio.get_running_loop().time() < until:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._hurry.wait()

    def hurry(self) -> None:
        """Skip this wait and the next ones."""
        self._hurry.set()

    def rest(self) -> None:
        """It is a person's turn: what bots do next is worth waiting for again."""
        self._hurry.clear()


class Timeouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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


class SshSettings(Struct, frozen=True):
    """The limits, the language of those who ask for none, how the log looks, and what ssh prints first."""

    limits: ServerLimits
    language: str | None = None
    log: Style = "json"
    banner: str = ""
