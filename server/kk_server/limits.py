"""Limits on what one user, and everybody together, may ask of a server."""

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
"""Number of buckets up to which full ones are kept."""

_SHARING: Final = 5
"""Number of people at one address who can use their full limit."""


class LimitReached(KkError):
    """A request beyond a limit; nothing has changed."""


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
    """Seconds that sent data may stay unread."""


class TokenBucket:
    """A token bucket: it fills steadily, and every request takes a token."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def take(self) -> bool:
        """Take a token; False if there is none."""
        self._fill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def put_back(self) -> None:
        """Give the last token back."""
        self._tokens += 1  # `_fill` removes what runs over

    def wait_for(self, cost: int) -> float:
        """Take `cost` tokens, at most a full bucket; or none, and return the seconds until they are there."""
        self._fill()
        if self._tokens < cost:
            return (cost - self._tokens) / self._per_second
        self._tokens -= cost
        return 0.0

    def is_full(self) -> bool:
        """Return whether nothing was taken of late."""
        self._fill()
        return self._tokens >= self._burst

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now


class TokenBuckets:
    """A token bucket for each name; full ones are forgotten."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._new = partial(TokenBucket, per_second, burst, clock)
        self._buckets: dict[str, TokenBucket] = {}
        self._many = _FEW

    def take(self, name: str) -> bool:
        """Take a token of somebody's; False if there is none."""
        return self._of(name).take()

    def wait_for(self, name: str) -> float:
        """Take a token of somebody's; or take none and return the seconds until there is one."""
        return self._of(name).wait_for(1)

    def _of(self, name: str) -> TokenBucket:
        # full buckets say nothing about anybody: dropping them keeps memory in bounds
        if len(self._buckets) >= self._many:
            self._buckets = {other: bucket for other, bucket in self._buckets.items() if not bucket.is_full()}
            # doubling makes the sweeps cheap in the long run
            self._many = max(_FEW, 2 * len(self._buckets))
        found = self._buckets.get(name)
        if found is None:
            self._buckets[name] = found = self._new()
        return found

    def put_back(self, name: str) -> None:
        """Give somebody's last token back."""
        # it is there: whoever puts back has taken before, and nothing sweeps in between
        self._buckets[name].put_back()


class SharedBuckets:
    """A token bucket for each user, and a larger one for everybody at the same address."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._users = TokenBuckets(per_second, burst, clock)
        self._networks = TokenBuckets(_SHARING * per_second, _SHARING * burst, clock)

    def take(self, user: str, network: str | None) -> bool:
        """Take a token of a user, and of their network if that is given; False if there is none."""
        if not self._users.take(user):
            return False
        if network is None or self._networks.take(network):
            return True
        # the request is refused, so it must not count for the user either
        self._users.put_back(user)
        return False


BOT_PAUSE: Final = 0.6
"""Seconds before a bot's move by default."""


class BotPace:
    """The pause before each bot's move; it can be skipped until the next turn of a person."""

    def __init__(self, seconds: float = BOT_PAUSE) -> None:
        self.seconds = seconds
        self._hurry = asyncio.Event()

    async def wait(self, begun: float, part: float = 1) -> None:
        """Wait out the pause, or a part of it, before a move that began at `begun`, by the loop's clock."""
        until = begun + part * self.seconds
        if not self._hurry.is_set() and asyncio.get_running_loop().time() < until:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._hurry.wait()

    def hurry(self) -> None:
        """Skip this pause and the next ones."""
        self._hurry.set()

    def rest(self) -> None:
        """Stop skipping: it is a person's turn, so bots' next moves are worth watching again."""
        self._hurry.clear()


class Timeouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Seconds after which a table goes on without its people."""

    reconnect: Seconds = 600.0
    """For a table that nobody needs, while people may reconnect."""

    handover: Seconds = 120.0
    """Before a table is handed on whose owner has left."""

    vote: Seconds = 60.0
    """Before the others can let a bot play for somebody who is away."""

    empty: Seconds = 24 * 3600.0
    """For a table that waits for its match, without a visit of its people."""

    unplayed: Seconds = 14 * 24 * 3600.0
    """For a match without a move, and without a visit of its people."""


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
    """Connections before login, all together."""

    # a price: while somebody holds so many, nobody else can log in from there, for `login_seconds` at most
    unauthenticated_per_address: Count = 10
    """Connections before login from one address."""

    login_seconds: Seconds = 20.0
    """Time to log in, and then to ask for a session."""

    keys_per_connection: Count = 20
    """SSH keys that one connection may offer."""

    sessions_per_user: Count = 10
    """Sessions of one user, whatever connections they come over."""

    channels_per_connection: Count = 4
    """Sessions over one connection."""

    keys_per_second: Rate = 30.0
    """Keys, clicks and turns of the wheel of one session in the long run; more are dropped unread."""

    keys_at_once: Count = 40
    """Keys, clicks and turns of the wheel that may come faster than that, and wait for their turn."""

    window_bytes: Annotated[int, Meta(ge=1024, le=2**21)] = 32 * 1024
    """Bytes that a client may send before any of them is read."""

    frame_bytes: Annotated[int, Meta(ge=1024, le=MAX_CLIENT_FRAME)] = MAX_CLIENT_FRAME
    """The longest message of a client program."""

    columns: Annotated[int, Meta(ge=80, le=1000)] = 400
    """The widest terminal that is drawn on."""

    rows: Annotated[int, Meta(ge=24, le=1000)] = 200
    """The tallest terminal that is drawn on."""

    idle_seconds: Seconds = 6 * 3600.0
    """Time without any input after which a session ends; seats stay."""

    queued_bytes: Annotated[int, Meta(ge=1024)] = 64 * 1024
    """Bytes that may wait for a slow reader before sending stops."""


class SshSettings(Struct, frozen=True):
    """The settings of the SSH side: limits, default language, style of the log, what ssh prints first, and
    whether anything is seen moving.
    """

    limits: ServerLimits
    language: str | None = None
    log: Style = "json"
    banner: str = ""
    motion: bool = True
