"""Visits: all sessions, of SSH or of a browser, as the hub knows them, whichever process handles them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from time import time
from typing import Protocol

import asyncssh

from kk_core.errors import KkError
from kk_core.protocol.frames import MAX_CLIENT_FRAME
from kk_core.protocol.stream import ClientLink, Writer
from kk_core.text import Text, text, texts
from kk_core.views import KeyLine, is_guest
from kk_server import gateway
from kk_server.accounts.accounts import Login, NotLetIn, key_added, language_in
from kk_server.accounts.bans import banned
from kk_server.accounts.guests import network_of
from kk_server.accounts.names import skeleton_of
from kk_server.counts import counts
from kk_server.gateway import LINK, SFTP, Admission, Caller, CommandRequest, SessionRequest, nobody
from kk_server.hub.history import NoMatchName
from kk_server.hub.hub import Hub
from kk_server.hub.session import ArrivalNews
from kk_server.limits import ServerLimits
from kk_server.log import get_logger
from kk_server.storage.table_log import StorageFailed
from kk_server.tables.nodes import Elsewhere
from kk_server.tables.place import NotPossible, Place
from kk_server.visits.access import AccessPolicy
from kk_server.visits.orders import AddressSeen, Answers, DropKey, Orders
from kk_server.visits.programs import ProgramLink, SentAway
from kk_server.visits.sftp import OwnRecords, SftpSession

_logger = get_logger()


class TooManySessions(KkError):
    """A user has too many sessions."""


class ConsoleCommand(Protocol):
    """A parsed command."""

    @property
    def is_for_anybody(self) -> bool:
        """True if it doesn't depend on who runs it."""
        ...

    async def run(self, user: str, *, is_admin: bool) -> None:
        """Carry it out for `user`. Raises `KkError` if it is refused."""
        ...

    def stop(self, reason: Text | None = None) -> None:
        """Stop it, unless it has begun to change something; `reason` is shown to the user."""
        ...


class NoTerminal(KkError):
    """A request that needs a terminal, without one."""


class Console(Protocol):
    """The commands of a server."""

    def parse(self, caller: Caller, request: CommandRequest, writer: Writer) -> ConsoleCommand:
        """Return the command that was typed; it answers through `writer`. Raises `KkError`."""
        ...


class Visits:
    """All visits of a server, and its gateway."""

    heard = 0.0
    """Time of the last key press; unknown here, since only the processes that speak with clients know it."""

    def __init__(self, hub: Hub, access: AccessPolicy, limits: ServerLimits) -> None:
        self.hub = hub
        self.access = access
        self.limits = limits
        self.console: Console
        """Set by the server once it exists."""
        self.all: set[HubVisit] = set()
        self.ended = 0
        """Number of visits that have ended since the start."""
        self.tell_others: Callable[[Orders], None] = _nobody_else
        """Has all other nodes carry out an order."""
        self.last_order: Callable[[], int] = _no_order
        """Returns the number of the last one."""
        self.answers: Callable[[int], Awaitable[Answers]] = _no_answers
        """Returns who has carried out those after a number; waits a while for all to do so."""
        access.accounts.key_removed = self._key_removed
        access.addresses.seen = lambda user, address: self.tell_others(AddressSeen(user, address))

    @property
    def present(self) -> int:
        """Number of current visits."""
        return len(self.all)

    def of(self, user: str) -> list[HubVisit]:
        """Return all visits of a user."""
        return [visit for visit in self.all if visit.user == user]

    def addresses_of(self, user: str) -> list[str]:
        """Return the addresses of a user, current ones first, then the latest."""
        here = [visit.caller.address for visit in self.of(user)]
        return list(dict.fromkeys((*here, *(seen.address for seen in self.access.addresses.of(user)))))

    def end_named(self, name: str, by: str) -> int:
        """End all visits of a user, as an admin wishes; returns how many."""
        own = [each for each in self.all if each.user and skeleton_of(each.user) == skeleton_of(name)]
        for each in own:
            _logger.info("kicked", address=each.caller.address, user=each.user, by=by)
            each.end(text("The host of this server has ended your session."))
        return len(own)

    def end_banned(self) -> None:
        """End the visits of people who are banned."""
        for each in list(self.all):  # an end may be one at once
            if each.user is None:
                continue
            ban = self.access.bans.find(each.user, each.caller.fingerprint, each.caller.address)
            if ban is not None:
                _logger.info("banned", address=each.caller.address, what=ban.what, by=ban.by)
                each.end(banned(ban))

    def end_key(self, user: str, fingerprint: str) -> None:
        """End the visits that used a key which was removed."""
        for visit in self.of(user):
            if visit.caller.fingerprint == fingerprint:
                reason = text("The SSH key you connected with no longer opens the account {name}.", name=user)
                visit.end(reason)

    def _key_removed(self, user: str, fingerprint: str) -> None:
        """End the visits that used a removed key, and notify the user's other sessions."""
        _logger.info("key removed", user=user)
        self.end_key(user, fingerprint)
        self.tell_others(DropKey(user, fingerprint))
        gone = text("An SSH key no longer opens your account: {fingerprint}.", fingerprint=fingerprint)
        self.hub.sessions.tell(user, gone, stays=True)

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Return why a caller's key is not accepted (they may have others); None if it is."""
        return await self.access.why_not(caller, key)

    def visit(self, session: str, caller: Caller, end: Callable[[Text], None]) -> HubVisit:
        """Begin a session; `end` asks it to end, with a reason."""
        return HubVisit(self, session, caller, end)


def _nobody_else(_: Orders) -> None:
    """Do nothing: there are no other nodes."""


def _no_order() -> int:
    """Return 0: there are no other nodes."""
    return 0


async def _no_answers(_: int) -> Answers:
    """Return nothing: there are no other nodes."""
    return Answers(0, ())


class HubVisit:
    """One session of a user."""

    def __init__(self, visits: Visits, session: str, caller: Caller, end: Callable[[Text], None]) -> None:
        self.id = session
        """Its name in the log."""
        self.caller = caller
        self.end = end
        self.user: str | None = None
        """The user, once known."""
        self._visits = visits
        self._news = ArrivalNews()
        self._place: Place | Elsewhere | None = None
        self._programs: set[ProgramLink | SftpSession] = set()
        self._sent_away: Text | None = None
        """The reason, if it was sent away."""
        self._command: ConsoleCommand | None = None
        visits.all.add(self)

    def leave(self) -> None:
        """Note that the session has ended; may be called more than once."""
        if self in self._visits.all:
            self._visits.all.discard(self)
            self._visits.ended += 1
        self.end = nobody
        if self._command is not None:
            self._command.stop()

    def send_away(self, reason: Text) -> None:
        """End anything served there, now or later, with a reason."""
        self._sent_away = reason
        for program in self._programs:
            program.end(reason)
        if self._command is not None:
            self._command.stop(reason)

    # -- coming in -------------------------------------------------------------------------------------------

    async def enter(self, request: SessionRequest) -> Admission:
        """Log in. Raises `KkError`."""
        with self._noting_refusals():
            return await self._enter(request)

    @contextmanager
    def _noting_refusals(self) -> Iterator[None]:
        try:
            yield
        except NotLetIn as error:
            counts.refused_logins += 1
            _logger.info("auth failed", address=self.caller.address, user=self.caller.name, reason=str(error))
            raise

    async def _enter(self, request: SessionRequest) -> Admission:
        access = self._visits.access
        is_app = request.purpose == gateway.SHELL or request.command in gateway.PLACES
        if is_app and not request.has_terminal:
            # before a name is claimed; who is banned needs no terminal to be told so
            await access.check_ban(self.caller)
            raise NoTerminal(gateway.NEEDS_TERMINAL)
        linked = await self._link_key(request.code) if request.command == LINK else None
        # with a terminal, linking leads straight into the game
        if linked is not None and not request.has_terminal:
            return Admission(linked.user, said=linked.notice)
        login = linked or await access.enter(self.caller)
        self._take_place(login.user)
        _logger.info("connect", address=self.caller.address, user=login.user, purpose=request.purpose)
        kept: tuple[Text, ...] = ()
        if linked is None and self.caller.fingerprint is not None:
            kept = await access.accounts.news_of_keys(login.user, self.caller.fingerprint)
        self._news = ArrivalNews(login.notice, kept, is_known_elsewhere=linked is not None)
        try:
            self._place = await self._place_for(login.user, request)
        except Elsewhere as elsewhere:
            self._place = elsewhere
        except NotPossible as error:
            return Admission(login.user, nowhere=error.reason)
        if is_guest(login.user):
            return Admission(login.user)
        settings = await access.accounts.settings_of(login.user)
        return Admission(login.user, True, settings, language_in(settings))

    async def _place_for(self, user: str, request: SessionRequest) -> Place | None:
        """Return the place that a request leads to; None for the lobby.

        Raises `NotPossible` if there is no such place for them, or not yet, and another `KkError` if the
        server cannot give it now.
        """
        match request.command:
            case gateway.JOIN:
                return await self._visits.hub.join(user, request.code)
            case gateway.TABLE:
                self._visits.hub.count_look(user, self._network)
                return await self._visits.hub.table(request.code)
            case gateway.MATCH:
                self._visits.hub.count_look(user, self._network)
                try:
                    return await self._visits.hub.open_match(user, request.code)
                except NoMatchName as error:
                    raise error if self.caller.origin else error.with_commands from None
            case _:
                return None

    async def _link_key(self, code: str) -> Login:
        """Link the caller's key by a code. Raises `KkError`."""
        hub, accounts = self._visits.hub, self._visits.access.accounts
        account = await self._visits.access.link(self.caller, code)
        _logger.info("key linked", address=self.caller.address, user=account)
        if hub.presence.has(account):  # with another key, since this one has only just been linked
            fingerprint = self.caller.fingerprint or ""
            now = int(time())
            added = key_added(KeyLine(fingerprint, self.caller.key_name, now, now))
            hub.sessions.tell(account, added, stays=True)
            await accounts.note_told(fingerprint)
        return Login(account, text("This key now opens the account {name}.", name=account))

    async def _recognised(self, *, is_for_anybody: bool = False) -> str:
        access = self._visits.access
        with self._noting_refusals():
            user = await (access.recognise_soon if is_for_anybody else access.recognise)(self.caller)
        self._take_place(user)
        return user

    def _take_place(self, user: str) -> None:
        """Count as one of the user's sessions. Raises `TooManySessions`."""
        # counted before `self.user` is set, so this one is not included
        n = len(self._visits.of(user))
        if n >= self._visits.limits.sessions_per_user:
            raise TooManySessions(
                texts(
                    "You already have a session here: leave it first.",
                    "You already have {n} sessions here: leave one first.",
                    n,
                )
            )
        self.user = user

    async def language(self) -> str | None:
        """Return the language that the caller has chosen for their account, if any, and if it can be read."""
        accounts, key = self._visits.access.accounts, self.caller.fingerprint
        with suppress(StorageFailed):
            return await accounts.soon(accounts.language_by(key)) if key else None
        return None

    async def keep(self, settings: str, before: str | None) -> None:
        """Store what differs from the settings `before`, or if there were none, all. Raises `KkError`."""
        await self._visits.access.accounts.keep_settings(self._known(), settings, before)

    # -- what is served --------------------------------------------------------------------------------------

    @property
    def _network(self) -> str:
        return network_of(self.caller.address)

    @property
    def _is_admin(self) -> bool:
        return self._visits.access.is_admin(self.caller)

    def _known(self) -> str:
        if self.user is None:
            raise NotPossible(text("You are not logged in."))
        return self.user

    def _first(self) -> tuple[ArrivalNews, Place | Elsewhere | None]:
        # only the first link gets the news and begins at the requested place
        news, place = self._news, self._place
        self._news, self._place = ArrivalNews(), None
        return news, place

    async def link(self) -> ClientLink:
        """Return a link for an app in this process. Raises `KkError`."""
        user, (news, place) = self._known(), self._first()
        return self._visits.hub.connect(
            user, news, place, self._network, key=self.caller.fingerprint, origin=self.caller.origin,
            is_admin=self._is_admin,
        )  # fmt: skip

    async def serve_app(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Serve an app in another process. Raises `KkError`."""
        link = ProgramLink(reader, writer, MAX_CLIENT_FRAME)
        await self._serve(link)

    async def serve(self, subsystem: str, reader: asyncio.StreamReader, writer: Writer) -> int:
        """Serve a subsystem until it ends; returns the exit status. Raises `KkError`."""
        if subsystem == SFTP:
            return await self._give_files(reader, writer)
        program = ProgramLink(reader, writer, self._visits.limits.frame_bytes)
        with self._ending(program):
            if not await program.is_greeted():
                return 1
            await self._serve(program)
        return 0

    async def _give_files(self, reader: asyncio.StreamReader, writer: Writer) -> int:
        user = await self._recognised()
        _logger.info("files", address=self.caller.address, user=user)
        sftp = SftpSession(OwnRecords(self._visits.hub, user), reader, writer, self._visits.limits)
        with self._ending(sftp):
            await sftp.run()
        return 0

    @contextmanager
    def _ending(self, program: ProgramLink | SftpSession) -> Iterator[None]:
        """Allow it to be ended while it is served."""
        self._programs.add(program)
        if self._sent_away is not None:
            program.end(self._sent_away)
        try:
            yield
        finally:
            self._programs.discard(program)

    async def _serve(self, link: ProgramLink) -> None:
        user, (news, place) = self._known(), self._first()
        await self._visits.hub.serve(
            user, link, news, place, self._network, key=self.caller.fingerprint, origin=self.caller.origin,
            is_admin=self._is_admin,
        )  # fmt: skip

    async def run(self, request: CommandRequest, writer: Writer) -> None:
        """Run a command and write its answer. Raises `KkError` if it is refused."""
        command = self._visits.console.parse(self.caller, request, writer)
        # parsed before logging in, so that a mistyped command has no effect at all
        user, is_admin = await self._recognised(is_for_anybody=command.is_for_anybody), self._is_admin
        if self._sent_away is not None:
            raise SentAway(self._sent_away)
        _logger.info("command", address=self.caller.address, user=user, command=request.command)
        self._command = command
        await command.run(user, is_admin=is_admin)
