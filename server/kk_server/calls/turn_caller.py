"""Calls people who are away when it is their turn: once for each turn, and all that waits in one call."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from time import time
from typing import Final, NamedTuple, Protocol

from kk_core.errors import KkError
from kk_core.protocol.typed_codes import INVITATION_LENGTH, readings
from kk_core.text import Text, quoted, text, texts
from kk_core.views import is_guest
from kk_server.accounts.link_codes import new_code
from kk_server.background import spawn
from kk_server.calls.store import CalledTurn, CallStore
from kk_server.calls.ways import CallSettings, CannotCall, NotDelivered, Sender, Way, offered, way_to
from kk_server.limits import Limits, RateLimited, TokenBuckets
from kk_server.log import get_logger
from kk_server.storage.table_log import StorageFailed
from kk_tui.languages import translate

_LOOK_EVERY: Final = 60.0
"""Seconds between two looks for people to call."""

_AT_ONCE: Final = 50
"""Accounts that are looked at before the event loop is yielded."""

_SERVICES: Final = 8
"""Services that are used at the same time; a service has one call at a time."""

_SOONEST, _LATEST = 60.0, 3600.0
"""Seconds until the first retry of a call, and the most between two."""

_LAST: Final = 5.0
"""Seconds that a call may take to end when the server stops."""

CODE_LIFE: Final = 3600.0
"""Seconds after which a code expires; mail may be slow."""

_TRIES: Final = 5
"""Wrong codes that may be typed before the right one is void."""

_ALL_CODES: Final = (1 / 10, 30)
"""Codes that are sent for all users together: per second on average, and in a burst."""

_WAITING: Final = 1000
"""Codes that can be out at a time."""

_logger = get_logger()


class WaitingTurn(NamedTuple):
    """A turn that others wait for; `at` is when the table last changed, in seconds since 1970."""

    called: CalledTurn
    title: str
    game: Text
    at: int


class CallingHub(Protocol):
    """The hub, as far as calls need it."""

    def turns_of(self, user: str) -> list[WaitingTurn]:
        """Return the turns of a user that others wait for."""
        ...

    def tables_of(self, user: str) -> Collection[str]:
        """Return the tables that concern a user."""
        ...

    def gone_for(self, user: str) -> float:
        """Return the seconds that a user has been away, at least; 0 if they are online."""
        ...

    def tell(self, user: str, sentence: Text) -> None:
        """Notify a user who is online."""
        ...

    async def language_of(self, user: str) -> str:
        """Return the language of an account; "" if it has none."""
        ...

    @property
    def is_keeper(self) -> bool:
        """True at the one node that calls the people of all, which store their addresses at any."""
        ...

    @property
    def server_name(self) -> str:
        """The name that people know this server by."""
        ...

    @property
    def arguments(self) -> str:
        """The arguments of `ssh` that lead here."""
        ...

    @property
    def page(self) -> str:
        """The address of the page for browsers; empty if there is none."""
        ...


@dataclass
class _Code:
    """A code that was sent to an address, and the wrong ones that may still be typed."""

    digest: bytes
    way: Way
    ends: float
    tries: int = _TRIES


class _Pauses:
    """Pauses before a service or an account is tried again, each twice as long as the last."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, tuple[float, float]] = {}

    def is_on(self, name: str) -> bool:
        """Return whether it is too early to try."""
        return name in self._until and self._until[name][0] > self._clock()

    def add(self, name: str) -> bool:
        """Pause, twice as long as the last time; True if this is the first pause in a row."""
        _, pause = self._until.get(name, (0.0, _SOONEST / 2))
        longer = min(2 * pause, _LATEST)
        is_first = name not in self._until
        self._until[name] = self._clock() + longer, longer
        return is_first

    def end(self, name: str) -> None:
        """Forget the pauses: it worked."""
        self._until.pop(name, None)


class TurnCaller:
    """Knows who wants to be called where, and calls them.

    `senders` deliver by kind of address; without any, nobody is called, but addresses can be forgotten.
    """

    def __init__(
        self,
        store: CallStore,
        settings: CallSettings | None = None,
        senders: Mapping[str, Sender] | None = None,
        *,
        limits: Limits | None = None,
        language: str | None = None,
        now: Callable[[], float] = time,
    ) -> None:
        """Take the parts; `now` returns seconds since 1970."""
        self.settings = settings or CallSettings()
        self._store = store
        self._senders = senders or {}
        self.language = language
        """The language of accounts that have chosen none."""
        self._now = now
        self._hub: CallingHub
        self._addresses: dict[str, str] = {}
        self._called: dict[str, dict[str, CalledTurn]] = {}
        """The last turn that each account was called for, by table."""
        self._is_current = True
        """True unless another node may have called people since those turns were read."""
        self._codes: dict[str, _Code] = {}
        self._looking: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._one_by_one = asyncio.Lock()
        """Held while people are called, so that nobody is called twice at the same time."""
        self._confirming: set[asyncio.Task[None]] = set()
        self.use(limits or Limits())

    def use(self, limits: Limits) -> None:
        """Apply new limits."""
        per_second, burst = limits.call_codes_per_hour / 3600, limits.call_codes_at_once
        self._by_account = TokenBuckets(per_second, burst)
        self._by_address = TokenBuckets(per_second, burst)
        self._all_codes = TokenBuckets(*_ALL_CODES)

    async def start(self, hub: CallingHub) -> None:
        """Read what is stored, and begin to call. Raises `StorageFailed`."""
        self._hub = hub
        self._pauses = _Pauses(asyncio.get_running_loop().time)
        self._addresses, self._called = await self._store.addresses(), await self._store.turns()
        if self._senders:
            self._looking = spawn(self._run(), "calls")

    async def close(self) -> None:
        """Stop calling, after what is being delivered."""
        self._closing.set()
        if self._looking is not None:
            # a call that is delivered but not noted would be made again
            await asyncio.wait([self._looking], timeout=_LAST)
            self._looking.cancel()
        for task in self._confirming:
            task.cancel()
        for sender in set(self._senders.values()):
            await sender.close()

    # -- choosing --------------------------------------------------------------------------------------------

    @property
    def ways(self) -> tuple[str, ...]:
        """The forms of addresses that can be called here."""
        return offered(self.settings)

    def address_of(self, user: str) -> str:
        """Return the confirmed address of an account; "" if it has none."""
        return self._addresses.get(user, "")

    def unconfirmed(self, user: str) -> str:
        """Return the address to which a code was sent that can still be typed; "" if there is none."""
        code = self._codes.get(user)
        return code.way.address if code is not None and code.ends > self._now() else ""

    def order(self, user: str, typed: str) -> None:
        """Send a code to an address; once it is typed, the account is called there.

        Raises `CannotCall`, `RateLimited`.
        """
        if is_guest(user):
            raise CannotCall(text("Guests have no account; connect with an SSH key, and the name is yours."))
        way = way_to(typed, self.settings)
        if self.address_of(user) == way.address:
            raise CannotCall(text("You are already called at {address}.", address=quoted(way.address)))
        now = self._now()
        self._codes = {account: code for account, code in self._codes.items() if code.ends > now}
        # somebody else's mailbox must not be filled with codes, whoever asks for them
        may = self._by_account.take(user) and self._by_address.take(way.address.casefold())
        if not may or not self._all_codes.take("") or len(self._codes) >= _WAITING:
            raise RateLimited(text("Too many codes were sent; please wait a while."))
        letters = new_code(INVITATION_LENGTH)
        self._codes[user] = _Code(_digest(letters), way, now + CODE_LIFE)
        sending = spawn(self._send_code(user, way, letters), f"code for {user}")
        self._confirming.add(sending)
        sending.add_done_callback(self._confirming.discard)

    async def confirm(self, user: str, typed: str) -> str:
        """Call an account at the address that this code was sent to from now on; returns the address.

        Raises `CannotCall`, `StorageFailed`.
        """
        if not self.unconfirmed(user):
            raise CannotCall(text("There is no code to confirm: ask for a new one."))
        code = self._codes[user]
        if not any(hmac.compare_digest(code.digest, _digest(each)) for each in readings(typed)):
            code.tries -= 1
            if not code.tries:
                del self._codes[user]
                raise CannotCall(
                    text("This code is wrong, and the right one is void now: ask for a new one.")
                )
            raise CannotCall(text("This code is wrong."))
        await self._store.keep_address(user, code.way.address)
        self._addresses[user] = code.way.address
        del self._codes[user]
        self._pauses.end(user)
        _logger.info("calls ordered", user=user, kind=code.way.kind)
        return code.way.address

    async def stop(self, user: str) -> bool:
        """Forget the address of an account; False if it has none. Raises `StorageFailed`."""
        had = bool(self.address_of(user) or self.unconfirmed(user))
        self._codes.pop(user, None)
        await self._store.forget(user)
        self._addresses.pop(user, None)
        self._called.pop(user, None)
        if had:
            _logger.info("calls stopped", user=user)
        return had

    async def _send_code(self, user: str, way: Way, code: str) -> None:
        hub, language = self._hub, await self._hub.language_of(user) or self.language
        server = hub.server_name
        short = text(
            "{code} is the code with which {name} confirms being called here by {server}.",
            code=code, name=user, server=server,
        )  # fmt: skip
        lines = (
            short,
            text("Type it in the game, or: {command}", command=f"ssh {hub.arguments} calls confirm {code}"),
            text("It is good for an hour. If you didn't ask for it, do nothing: no more mail will come."),
        )
        subject = translate(text("A code from {server}", server=server), language)
        body = "\n\n".join(translate(line, language) for line in lines) + "\n"
        try:
            await self._senders[way.kind].send(way, subject, body, translate(short, language))
        except NotDelivered as error:
            _logger.warning("code not sent", user=user, service=way.service, reason=error.reason)
            self._codes.pop(user, None)
            hub.tell(user, text("The code couldn't be sent to {address}.", address=quoted(way.address)))

    # -- calling ---------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while not self._closing.is_set():
            await self.look()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY):
                    await self._closing.wait()

    async def look(self) -> None:
        """Call everybody who is due."""
        async with self._one_by_one:
            if not self._hub.is_keeper:
                self._is_current = False
                return
            try:
                await self._follow_store()
            except StorageFailed as error:
                _logger.warning("nobody called", reason=str(error))
                return
            await self._look()

    async def _follow_store(self) -> None:
        self._addresses = await self._store.addresses()
        if not self._is_current:
            self._called = await self._store.turns()
            self._is_current = True

    async def _look(self) -> None:
        waiting: dict[str, list[str]] = {}
        for number, account in enumerate(list(self._addresses), 1):
            if not number % _AT_ONCE:
                await asyncio.sleep(0)
            way = self._way_to(account)
            if way is not None and not self._pauses.is_on(account) and self._turns_to_call(account):
                waiting.setdefault(way.service, []).append(account)
        some = asyncio.Semaphore(_SERVICES)
        await asyncio.gather(*(self._use(some, service, users) for service, users in waiting.items()))

    def _way_to(self, account: str) -> Way | None:
        try:
            return way_to(self._addresses[account], self.settings)
        except (KkError, KeyError):  # the host has taken this way back, or the user their address
            return None

    def _turns_to_call(self, account: str) -> list[WaitingTurn]:
        """Return the turns that an account has to be called for now: none, or all that are not yet told."""
        away = 60 * self.settings.away_minutes
        if self._hub.gone_for(account) < away:
            return []
        called, before = self._called.get(account, {}), self._now() - away
        turns = [turn for turn in self._hub.turns_of(account) if called.get(turn.called.table) != turn.called]
        return turns if any(turn.at <= before for turn in turns) else []

    async def _use(self, some: asyncio.Semaphore, service: str, accounts: Iterable[str]) -> None:
        async with some:
            for account in accounts:
                if self._closing.is_set() or self._pauses.is_on(service):
                    return
                try:
                    await self._call(account)
                except Exception as error:  # one call that fails must not keep the others from theirs
                    self._pauses.add(account)
                    _logger.error("not called", user=account, error=repr(error))

    async def _call(self, account: str) -> None:
        language = await self._hub.language_of(account) or self.language
        # asked again: they may have come or moved while others were called
        way, turns = self._way_to(account), self._turns_to_call(account)
        if way is None or not turns:
            return
        try:
            await self._senders[way.kind].send(way, *self._words(account, turns, language))
        except NotDelivered as error:
            if not error.is_final:
                self._note_failure(account, way, error)
                return
            _logger.warning("call refused", user=account, service=way.service, reason=error.reason)
        else:
            _logger.info("called", user=account, kind=way.kind, turns=len(turns))
        self._pauses.end(account)
        self._pauses.end(way.service)
        await self._note(account, turns)

    def _note_failure(self, account: str, way: Way, error: NotDelivered) -> None:
        name = way.service if error.is_away else account
        if self._pauses.add(name):  # once, until it works
            _logger.warning("call not delivered", user=account, service=way.service, reason=error.reason)

    async def _note(self, account: str, turns: Iterable[WaitingTurn]) -> None:
        if account not in self._addresses:  # they have just had it forgotten
            return
        tables, called = set(self._hub.tables_of(account)), self._called.get(account, {})
        called = {table: turn for table, turn in called.items() if table in tables}
        self._called[account] = called | {turn.called.table: turn.called for turn in turns}
        try:
            await self._store.keep_turns(account, self._called[account].values())
        except StorageFailed as error:
            _logger.error("call not stored", user=account, reason=str(error))

    # -- words -----------------------------------------------------------------------------------------------

    def _words(self, account: str, turns: list[WaitingTurn], language: str | None) -> tuple[str, str, str]:
        """Return the subject and the body of a mail, and the message for a webhook."""
        hub = self._hub
        lines = [
            (
                translate(text("Your turn at {title} ({game})", title=turn.title, game=turn.game), language),
                [
                    f"ssh -t {hub.arguments} table {turn.called.table}",
                    *([f"{hub.page}table/{turn.called.table}"] if hub.page else ()),
                ],
            )
            for turn in turns
        ]
        subject = texts("Your turn at {title}", "{n} tables wait for you", len(turns), title=turns[0].title)
        end = text(
            "You are told once for each turn, while you are away. {name} at {server} asked for this mail. "
            "To get no more of it, and to have this address forgotten: {command}",
            name=account, server=hub.server_name, command=f"ssh {hub.arguments} calls stop",
        )  # fmt: skip
        body = ["\n    ".join((said, *ways)) for said, ways in lines] + [translate(end, language)]
        short = "\n".join(f"{said}: {', '.join(ways)}" for said, ways in lines)
        return translate(subject, language), "\n\n".join(body) + "\n", short


def _digest(code: str) -> bytes:
    return sha256(code.encode(errors="replace")).digest()
