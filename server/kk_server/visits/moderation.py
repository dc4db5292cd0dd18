"""Moderation: bans and mutes at all nodes, and reports; who is told of them."""

from __future__ import annotations

import asyncio
from contextvars import Context
from datetime import UTC, datetime
from typing import Final

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_core.views import ChatLine, is_guest
from kk_server.accounts.bans import Ban, Mutes, format_moment
from kk_server.background import spawn
from kk_server.log import get_logger
from kk_server.storage.sql import Database
from kk_server.storage.table_log import Unreachable
from kk_server.tables.chat import Complaint
from kk_server.tables.place import NotPossible
from kk_server.visits.audit import AuditLog
from kk_server.visits.orders import ReadBans, TellAdmins
from kk_server.visits.visits import Visits

_AGAIN: Final = 1.0
"""Seconds between two attempts to read the bans."""

_logger = get_logger()


class Moderation:
    """The bans, the mutes and the audit log of a server."""

    def __init__(self, visits: Visits, mutes: Mutes, audit: AuditLog, database: Database) -> None:
        self.bans = visits.access.bans
        self.mutes = mutes
        self.audit = audit
        self._visits = visits
        self._database = database
        self._muted: tuple[Ban, ...] = ()
        self._unmuting: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._asked = self._read = 0
        """How often the bans were to be read, and how many of these times they have been."""
        self._has_doubts = False
        """True if it is not known whether bans from here were stored."""
        self._mutes_changed()
        mutes.changed = self._mutes_changed
        for bans in (self.bans, mutes):
            bans.stored, bans.doubted = self._order_reading, self._doubt
        visits.hub.why_silent, visits.hub.take_complaint = self.why_silent, self._take_complaint

    # -- mutes -----------------------------------------------------------------------------------------------

    def why_silent(self, user: str) -> Text | None:
        """Return why a user is muted; None if they are not."""
        found = (self.mutes.find(user, None, address) for address in self._compared_addresses(user))
        mute = next((each for each in found if each is not None), None)
        if mute is None:
            return None
        if mute.ends is None:
            return text("The host of this server has muted you: nobody sees your messages.")
        until = format_moment(mute.ends)
        return text("The host of this server has muted you until {until}: nobody sees your messages.",
                    until=until)  # fmt: skip

    def _mutes_changed(self) -> None:
        """Notify people who were muted, or whose mute was lifted or has ended; wait for the next to end."""
        before, self._muted = self._muted, self.mutes.all
        for mute in self._muted:
            if mute not in before:
                self._tell_muted(mute)
        for mute in before:
            if mute not in self._muted:
                self._tell_heard(mute)
        if self._unmuting is not None:
            self._unmuting.cancel()
        if (seconds := self.mutes.next_end) is not None:
            # in an empty context, since the timer outlives the command that muted
            loop = asyncio.get_running_loop()
            self._unmuting = loop.call_later(seconds, self._mutes_changed, context=Context())

    def _tell_muted(self, mute: Ban) -> None:
        for user in self._users():
            # by name alone: not all who share an address with a guest are muted
            if mute.is_about(user, None, "") and (said := self.why_silent(user)) is not None:
                self._visits.hub.sessions.tell_here(user, said)

    def _tell_heard(self, mute: Ban) -> None:
        for user in self._users():
            addresses = self._compared_addresses(user)
            if any(mute.is_about(user, None, each) for each in addresses) and self.why_silent(user) is None:
                self._visits.hub.sessions.tell_here(
                    user, text("You are no longer muted: people see your messages again.")
                )

    def _users(self) -> set[str]:
        return {visit.user for visit in self._visits.all if visit.user is not None}

    def _compared_addresses(self, user: str) -> list[str]:
        """Return the addresses by which a user may be muted: guests can change their names."""
        addresses = [visit.caller.address for visit in self._visits.of(user)] if is_guest(user) else []
        return ["", *addresses]

    # -- bans and mutes of all nodes -------------------------------------------------------------------------

    async def follow_bans(self) -> None:
        """Read bans and mutes anew, and end the sessions of people who are banned.

        Raises `KkError`, also while some may have been stored that cannot be read yet.
        """
        self._asked += 1
        asked = self._asked
        # all who ask while they are read share the next reading: after an outage every node asks every other
        async with self._lock:
            if self._read < asked:
                asked = self._asked
                await self._load()
                # what is in doubt can be read once it is settled
                await self._database.settled()
                await self._load()
                self._read = asked

    async def _load(self) -> None:
        await self.bans.load()
        await self.mutes.load()
        self._visits.end_banned()

    def _order_reading(self) -> None:
        self._visits.tell_others(ReadBans())

    def _doubt(self) -> None:
        self._has_doubts = True
        self.follow_bans_soon()

    def follow_bans_soon(self) -> None:
        """Follow the bans as soon as all that was stored can be read."""
        if self._reading is not None:  # it may have asked before this
            self._reading.cancel()
        self._reading = spawn(self._follow_until_read(), "read bans")

    async def _follow_until_read(self) -> None:
        while True:
            try:
                if self._has_doubts:
                    await self._database.settled()
                    # one that was frozen carries out at the same time whatever it had received
                    await asyncio.sleep(_AGAIN)
                await self.follow_bans()
            except Unreachable:
                await asyncio.sleep(_AGAIN)
            except KkError as error:
                _logger.error("bans not read", reason=str(error))
                return
            else:
                break
        if self._has_doubts:
            self._has_doubts = False
            self._order_reading()

    # -- reports ---------------------------------------------------------------------------------------------

    def tell_admins(self, said: Text) -> None:
        """Notify the admins who are here."""
        admins = {each.user for each in self._visits.all if self._visits.access.is_admin(each.caller)}
        for user in admins - {None}:
            self._visits.hub.sessions.tell_here(str(user), said)

    def _take_complaint(self, complaint: Complaint) -> None:
        """Store a report with names and addresses, and notify admins online. Raises `NotPossible`."""
        own = self._visits.of(complaint.user)
        key, address = (own[0].caller.fingerprint, own[0].caller.address) if own else (None, "")
        command = " ".join(filter(None, ("report", complaint.about, complaint.why)))
        talk = [
            {
                "place": heard.place,
                "title": heard.title,
                "lines": [self._spoken(line) for line in heard.lines],
            }
            for heard in complaint.heard
        ]
        try:
            self.audit.add(
                complaint.user, key, address, command, "kept", accused=self._accused(complaint), talk=talk
            )
        except KkError as error:
            _logger.error("report not kept", user=complaint.user, reason=str(error))
            raise NotPossible(
                text("The server couldn't save this, so it wasn't done; its host must look into it.")
            ) from None
        _logger.info("report", address=address, user=complaint.user, about=complaint.about)
        said = text("{user} reports {name}; what was said is in the audit file.",
                    user=complaint.user, name=complaint.about)  # fmt: skip
        if complaint.why:
            said = text("{said} Reason: {reason}", said=said, reason=complaint.why)
        self.tell_admins(said)
        self._visits.tell_others(TellAdmins(said))

    def _accused(self, complaint: Complaint) -> list[dict[str, object]]:
        """Return everybody with the reported name, and their addresses, even if they have said nothing."""
        return [
            {"user": user, "address": next(iter(self._visits.addresses_of(user)), None)}
            for user in complaint.accused
        ]

    def _spoken(self, line: ChatLine) -> dict[str, object]:
        """Return a chat line as it is stored for the host."""
        # notes have no author, and so no address
        addresses = self._visits.addresses_of(line.user) if line.user else []
        at = datetime.fromtimestamp(line.at, UTC).isoformat()
        return {
            "at": at, "user": line.user, "name": line.name, "address": addresses[0] if addresses else None,
            "words": str(line.words),
        }  # fmt: skip

    def close(self) -> None:
        """Stop waiting for mutes to end and for bans to be read; other nodes read those in doubt."""
        if self._unmuting is not None:
            self._unmuting.cancel()
        if self._reading is not None:
            self._reading.cancel()
        if self._has_doubts:  # the others will see what becomes of them
            self._order_reading()
