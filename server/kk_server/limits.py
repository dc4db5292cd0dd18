"""Limits on what one user, and all users together, may ask of a server."""

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
"""Number of people at one address who can all use their full limits."""


class LimitReached(KkError):
    """A request beyond a limit; nothing has changed."""


class RateLimited(LimitReached):
    """A request that comes too soon after others: its token bucket is empty."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits of a hub; the defaults leave people at a table plenty of room."""

    tables: Count = 500
    """Tables that are open or being played, in total."""

    tables_per_user: Count = 8
    """Tables opened by one user that are open or being played."""

    tables_per_address: Count = 40
    """Tables opened from one address, under any names, that are open or being played."""

    requests_per_second: Rate = 50.0
    """Requests of one session per second, on average."""

    requests_at_once: Count = 500
    """Requests that one session may make at once."""

    openings_per_minute: Rate = 20.0
    """Tables that one user may open, on average; from one address five times as many."""

    openings_at_once: Count = 20
    """Tables that one user may open at once; from one address five times as many."""

    looks_per_second: Rate = 8.0
    """Moves of one user between places, seats taken or left, and views or lists sent again, on average."""

    looks_at_once: Count = 80
    """The same at once; from one address five times as many of both."""

    lines_per_second: Rate = 0.5
    """Lines, proposals and invitations of one user, on average."""

    lines_at_once: Count = 6
    """Lines, proposals and invitations of one user at once."""

    names_per_minute: Rate = 1.0
    """Names claimed from one address, on average."""

    names_at_once: Count = 20
    """Names claimed from one address at once."""

    codes_per_minute: Rate = 6.0
    """Wrong invitation codes tried by one user, on average."""

    codes_at_once: Count = 10
    """Wrong invitation codes tried by one user at once."""

    links_per_minute: Rate = 1.0
    """Codes for linking a key that are tried from one address, on average."""

    links_at_once: Count = 5
    """Codes for linking a key that are tried from one address at once."""

    analyses_per_minute: Rate = 1.0
    """Matches that one user may have analysed, on average."""

    analyses_at_once: Count = 5
    """Matches that one user may have analysed at once."""

    call_codes_per_hour: Rate = 2.0
    """Codes that one user may have sent to confirm where to call them, on average; the same per address."""

    call_codes_at_once: Count = 4
    """Codes that one user may have sent at once; the same per address."""

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
        """Return the last token."""
        self._tokens += 1  # `_fill` removes any overflow

    def wait_for(self, cost: int) -> float:
        """Take `cost` tokens, at most a full bucket, or none, and return the seconds until it can."""
        self._fill()
        if self._tokens < cost:
            return (cost - self._tokens) / self._per_second
        self._tokens -= cost
        return 0.0

    def is_full(self) -> bool:
        """Return whether nothing was taken recently."""
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
        """Take one of the name's tokens; False if there is none."""
        return self._of(name).take()

    def wait_for(self, name: str) -> float:
        """Take one of the name's tokens; or take none and return the seconds until there is one."""
        return self._of(name).wait_for(1)

    def _of(self, name: str) -> TokenBucket:
        # full buckets carry no information: dropping them keeps memory bounded
        if len(self._buckets) >= self._many:
            self._buckets = {other: bucket for other, bucket in self._buckets.items() if not bucket.is_full()}
            # doubling the threshold makes sweeps cheap in the long run
            self._many = max(_FEW, 2 * len(self._buckets))
        found = self._buckets.get(name)
        if found is None:
            self._buckets[name] = found = self._new()
        return found

    def put_back(self, name: str) -> None:
        """Return the last token taken from a name's bucket."""
        # the bucket exists: a token was taken before, and nothing sweeps in between
        self._buckets[name].put_back()


class SharedBuckets:
    """A token bucket for each user, and a larger one for all users at the same address."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._users = TokenBuckets(per_second, burst, clock)
        self._networks = TokenBuckets(_SHARING * per_second, _SHARING * burst, clock)

    def take(self, user: str, network: str | None) -> bool:
        """Take a token of a user, and of their network if given; False if there is none."""
        if not self._users.take(user):
            return False
        if network is None or self._networks.take(network):
            return True
        # the request is refused, so it must not count for the user either
        self._users.put_back(user)
        return False


BOT_PAUSE: Final = 0.6
"""Default seconds before a bot's move."""


class BotPace:
    """The pause before each bot's move; it can be skipped until a person's next turn."""

    def __init__(self, seconds: float = BOT_PAUSE) -> None:
        self.seconds = seconds
        self._hurry = asyncio.Event()

    async def wait(self, begun: float, part: float = 1) -> None:
        """Wait for a pause, or a part of it, before a move; `begun` is its start by the loop's clock."""
        until = begun + part * self.seconds
        if not self._hurry.is_set() and asyncio.get_running_loop().time() < until:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._hurry.wait()

    def hurry(self) -> None:
        """Skip this pause and the next ones."""
        self._hurry.set()

    def rest(self) -> None:
        """Stop skipping: it is a person's turn, so the bots' next moves are worth watching again."""
        self._hurry.clear()


class Timeouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Seconds after which a table goes on without its people."""

    reconnect: Seconds = 600.0
    """For an unneeded table, in case people reconnect."""

    handover: Seconds = 120.0
    """Before a table whose owner has left is handed on."""

    vote: Seconds = 60.0
    """Before others can have a bot play for somebody who is away."""

    empty: Seconds = 24 * 3600.0
    """For a table awaiting its match, without a visit of its people."""

    unplayed: Seconds = 14 * 24 * 3600.0
    """For a match without a move and without a visit of its people."""


class ServerLimits(Limits, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits of a server: those of its hub, and those of the connections to it."""

    connections: Count = 300
    """Connections in total."""

    connections_per_address: Count = 20
    """Connections from one address."""

    connections_per_second: Rate = 2.0
    """New connections from one address per second, on average."""

    connections_at_once: Count = 60
    """New connections from one address at once."""

    unauthenticated: Count = 100
    """Connections before login, in total."""

    # the price: while one person holds them all, nobody else there can log in, for up to `login_seconds`
    unauthenticated_per_address: Count = 10
    """Connections before login from one address."""

    login_seconds: Seconds = 20.0
    """Seconds to log in, and then to request a session."""

    keys_per_connection: Count = 20
    """SSH keys that one connection may offer."""

    sessions_per_user: Count = 10
    """Sessions of one user over all connections."""

    channels_per_connection: Count = 4
    """Sessions over one connection."""

    keys_per_second: Rate = 30.0
    """Keys, clicks and wheel steps of one session per second, on average; more are dropped unread."""

    keys_at_once: Count = 40
    """Keys, clicks and wheel steps that may arrive faster than that, and are queued."""

    window_bytes: Annotated[int, Meta(ge=1024, le=2**21)] = 32 * 1024
    """Bytes that a client may send before any of them are read."""

    frame_bytes: Annotated[int, Meta(ge=1024, le=MAX_CLIENT_FRAME)] = MAX_CLIENT_FRAME
    """The longest message of a client program, in bytes."""

    columns: Annotated[int, Meta(ge=80, le=1000)] = 400
    """The widest terminal drawn on, in columns."""

    rows: Annotated[int, Meta(ge=24, le=1000)] = 200
    """The tallest terminal drawn on, in lines."""

    idle_seconds: Seconds = 6 * 3600.0
    """Seconds without input after which a session ends; seats are kept."""

    queued_bytes: Annotated[int, Meta(ge=1024)] = 64 * 1024
    """Bytes that may be queued for a slow reader before sending pauses."""


class WebSettings(Struct, frozen=True):
    """The settings of the page for browsers.

    `names` are host names that people reach it by, besides addresses and those of this machine. For the
    addresses in `proxies`, `X-Forwarded-For` says where people come from. `certificate` names the files of a
    certificate and of its key, for TLS.
    """

    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    certificate: tuple[str, str] | None = None


class FrontendSettings(Struct, frozen=True):
    """The settings of the frontends, here or in workers: limits, default language, log style, what ssh prints
    first, whether there is motion on the screen, and those of the page for browsers, if there is one.
    """

    limits: ServerLimits
    language: str | None = None
    log: Style = "json"
    banner: str = ""
    motion: bool = True
    web: WebSettings | None = None
