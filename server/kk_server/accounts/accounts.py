"""Accounts: the first key to connect under a name claims it, and from then on nobody else can use it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, time
from typing import Any, Final, TypeVar

import msgspec

from kk_core.errors import KkError
from kk_core.text import Text, quoted, text, text_in
from kk_core.views import GUEST_MARK, KeyLine, is_guest
from kk_server.accounts.guests import Guests, network_of
from kk_server.accounts.link_codes import LinkCodes
from kk_server.accounts.names import (
    NAME_COLUMNS,
    BadName,
    check_name,
    clean_line,
    clean_name,
    cut,
    is_allowed,
    legible_name,
    name_taken,
    skeleton,
)
from kk_server.background import retrieve, spawn
from kk_server.limits import Limits, TokenBuckets
from kk_server.storage.sql import Database
from kk_server.storage.table_log import AWAY, StorageFailed, Unreachable

T = TypeVar("T")

_CLAIM: Final = """
    INSERT INTO account_keys (fingerprint, account, claims, at, name, used)
    VALUES (:fingerprint, :account, :claims, :at, :name, :at) ON CONFLICT DO NOTHING
"""
_ADD_KEY: Final = """
    INSERT INTO account_keys (fingerprint, account, at, name, used, told)
    SELECT
        CAST(:fingerprint AS TEXT), CAST(:account AS TEXT), CAST(:at AS BIGINT), CAST(:name AS TEXT),
        CAST(:at AS BIGINT), 0
    WHERE (SELECT count(*) FROM account_keys WHERE account = CAST(:account AS TEXT))
        BETWEEN 1 AND CAST(:most AS BIGINT) - 1
    ON CONFLICT DO NOTHING
"""
_ACCOUNT_OF: Final = "SELECT account FROM account_keys WHERE fingerprint = ?"
_HOLDER_OF: Final = "SELECT account FROM account_keys WHERE claims = ?"
_KEYS_OF: Final = """
    SELECT fingerprint, name, at, used FROM account_keys WHERE account = ? ORDER BY at, rowid
"""
_NAME_KEY: Final = """
    UPDATE account_keys SET name = :name WHERE fingerprint = :fingerprint AND account = :account
"""
_NOTE_USE: Final = "UPDATE account_keys SET used = :now WHERE fingerprint = :fingerprint AND used <= :before"
_UNTOLD: Final = """
    SELECT fingerprint, name, at, used FROM account_keys WHERE account = ? AND told = 0 AND fingerprint != ?
"""
_TOLD: Final = "UPDATE account_keys SET told = 1 WHERE fingerprint = :fingerprint"
_REMOVE: Final = """
    DELETE FROM account_keys WHERE fingerprint = :fingerprint AND account = :account
    AND (SELECT count(*) FROM account_keys WHERE account = :account) > 1
"""
_CLAIM_ON: Final = """
    UPDATE account_keys SET claims = :claims
    WHERE rowid = (SELECT rowid FROM account_keys WHERE account = :account ORDER BY at, rowid LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM account_keys WHERE claims = :claims)
"""
"""When its first key is removed, an account's name is claimed by the oldest key left."""

_SETTINGS_OF: Final = "SELECT settings FROM account_settings WHERE account = ?"
_SETTINGS_BY: Final = """
    SELECT settings FROM account_settings JOIN account_keys USING (account) WHERE fingerprint = ?
"""
_KEEP_SETTINGS: Final = """
    INSERT INTO account_settings (account, settings) VALUES (:account, :settings)
    ON CONFLICT (account) DO UPDATE SET settings = :settings
"""
_WELCOMED_BY: Final = "SELECT digest FROM welcomed WHERE account = ?"
_KEEP_WELCOMED: Final = """
    INSERT INTO welcomed (account, digest) VALUES (:account, :digest)
    ON CONFLICT (account) DO UPDATE SET digest = :digest
"""

_HOUR: Final = 3600

_SOON: Final = 1.1
"""Seconds until an answer is late: then it is known whether the database is away."""

_WHILE_AWAY: Final = 0.2
"""The same while it is known to be."""

_AT_MOST: Final = 1.8
"""Seconds until a question without an answer counts as unanswered, whatever is known."""

_LOOK: Final = 0.1
"""Seconds between two looks at whether the database is away, once an answer is late."""

MOST_KEYS: Final = 20
"""Keys per account."""


class _StoredSettings(msgspec.Struct):
    """The part of somebody's settings that the server itself reads; they are the app's."""

    language: str = ""


def language_in(settings: str | None) -> str | None:
    """Return the language in stored settings; None if they have none."""
    try:
        return msgspec.json.decode(settings or "{}", type=_StoredSettings).language or None
    except msgspec.DecodeError:
        return None


def _changed(stored: str | None, before: str, after: str) -> str:
    """Return the settings after a change, with what others have changed in the stored ones meanwhile."""
    here, old, new = (
        msgspec.json.decode(each or "{}", type=dict[str, Any]) for each in (stored, before, after)
    )
    kept = {name: value if value != old.get(name) else here.get(name, value) for name, value in new.items()}
    return msgspec.json.encode(kept).decode()


class AccountStore:
    """The table of accounts. An account is identified by its name, which its oldest key claims."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def claim(self, account: str, claims: str, fingerprint: str, name: str) -> bool:
        """Create an account; `claims` is the skeleton of its name, `name` the name of the key.

        False if the name or the key is taken. Raises `StorageFailed`.
        """
        row = {
            "account": account, "claims": claims, "fingerprint": fingerprint, "name": name, "at": int(time()),
        }  # fmt: skip
        return await self.database.write(_CLAIM, row) == 1

    async def add_key(self, account: str, fingerprint: str, name: str) -> bool:
        """Add a key to an account. False if the key is taken, or the account has the maximum number of keys.

        Raises `StorageFailed`.
        """
        row = {
            "account": account, "fingerprint": fingerprint, "name": name, "at": int(time()),
            "most": MOST_KEYS,
        }  # fmt: skip
        return await self.database.write(_ADD_KEY, row) == 1

    async def keys_of(self, account: str) -> tuple[KeyLine, ...]:
        """Return the keys of an account, oldest first. Raises `StorageFailed`."""
        return tuple(KeyLine(*row) for row in await self.database.rows(_KEYS_OF, (account,)))

    async def name_key(self, account: str, fingerprint: str, name: str) -> bool:
        """Name a key of an account. False if the account has no such key. Raises `StorageFailed`."""
        row = {"account": account, "fingerprint": fingerprint, "name": name}
        return await self.database.write(_NAME_KEY, row) == 1

    async def note_use(self, fingerprint: str) -> None:
        """Record that a key was used, to the hour. Raises `StorageFailed`."""
        now = int(time())
        row = {"fingerprint": fingerprint, "now": now, "before": now - _HOUR}
        # changes a row at most once an hour, so most connections write nothing
        await self.database.write(_NOTE_USE, row)

    async def untold(self, account: str, fingerprint: str) -> tuple[KeyLine, ...]:
        """Return the account's other keys that its owner has not been told about. Raises `StorageFailed`."""
        rows = await self.database.rows(_UNTOLD, (account, fingerprint))
        return tuple(KeyLine(*row) for row in rows)

    async def note_told(self, fingerprint: str) -> None:
        """Record that the owner was told about a key. Raises `StorageFailed`."""
        await self.database.write(_TOLD, {"fingerprint": fingerprint})

    async def remove_key(self, account: str, claims: str, fingerprint: str) -> bool:
        """Remove a key from an account, which keeps its name. False for its last key or somebody else's.

        Raises `StorageFailed`.
        """
        row = {"account": account, "claims": claims, "fingerprint": fingerprint}
        # in one transaction: an account must always have a key that claims its name
        removed, _ = await self.database.write_all([(_REMOVE, row), (_CLAIM_ON, row)])
        return removed == 1

    async def account_of(self, fingerprint: str) -> str | None:
        """Return the account of a key. Raises `StorageFailed`."""
        return await self._one(_ACCOUNT_OF, fingerprint)

    async def holder_of(self, claims: str) -> str | None:
        """Return the account whose name has this skeleton. Raises `StorageFailed`."""
        return await self._one(_HOLDER_OF, claims)

    async def settings_of(self, account: str) -> str | None:
        """Return the stored settings of an account. Raises `StorageFailed`."""
        return await self._one(_SETTINGS_OF, account)

    async def settings_by(self, fingerprint: str) -> str | None:
        """Return the stored settings of the account of a key. Raises `StorageFailed`."""
        return await self._one(_SETTINGS_BY, fingerprint)

    async def keep_settings(self, account: str, settings: str) -> None:
        """Store settings, replacing earlier ones. Raises `StorageFailed`."""
        await self.database.write(_KEEP_SETTINGS, {"account": account, "settings": settings})

    async def welcomed_by(self, account: str) -> str | None:
        """Return the digest of the welcome that an account read last. Raises `StorageFailed`."""
        return await self._one(_WELCOMED_BY, account)

    async def keep_welcomed(self, account: str, digest: str) -> None:
        """Record that an account has read the welcome with this digest. Raises `StorageFailed`."""
        await self.database.write(_KEEP_WELCOMED, {"account": account, "digest": digest})

    async def _one(self, query: str, value: str) -> str | None:
        rows: list[Any] = await self.database.rows(query, (value,))
        return str(rows[0][0]) if rows else None


_ALL_TRIES: Final = (1 / 2, 60)
"""Link codes that all users together may try: per second on average, and in a burst."""


_NO_ACCOUNT: Final = text("Guests have no account; connect with an SSH key, and the name is yours.")
_NO_KEYS: Final = text("You have no account here yet: open the game once with an SSH key.")
_NO_SUCH_KEY: Final = text("Your account has no such key.")


class NotLetIn(KkError):
    """A user is refused; the sentence says why, and what to do."""


@dataclass(frozen=True)
class Login:
    """The user that somebody is logged in as, and a notice for them."""

    user: str
    notice: Text | None = None


class Accounts:
    """The accounts of a server. Keys are identified by fingerprints, as printed by `ssh-keygen -l`."""

    def __init__(
        self, store: AccountStore, limits: Limits | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._store = store
        self._clock = clock
        self._codes = LinkCodes(store.database)
        self.guests = Guests(clock)
        # a single bucket, so that guessing from many addresses is no faster
        self._all_tries = TokenBuckets(*_ALL_TRIES, clock)
        self.key_removed: Callable[[str, str], None] = lambda _user, _fingerprint: None
        """Called with account and fingerprint after a key is removed."""
        self.server_name = ""
        """The name of the server, which nobody may use."""
        self.use(limits or Limits())

    def use(self, limits: Limits) -> None:
        """Apply new limits."""
        self._claims = TokenBuckets(limits.names_per_minute / 60, limits.names_at_once, self._clock)
        self._tries = TokenBuckets(limits.links_per_minute / 60, limits.links_at_once, self._clock)

    # -- coming in -------------------------------------------------------------------------------------------

    async def soon(self, asking: Coroutine[Any, Any, T]) -> T:
        """Return what a question to the database is answered by, unless it is away.

        Raises `Unreachable` if it is, or answers too slowly, after less than two seconds, or what the
        question raises.
        """
        database, limit = self._store.database, monotonic() + _AT_MOST
        # not cancelled when it is late, or its asker is, as that would cost a connection
        answer = spawn(asking, "ask the database", named=True)
        answer.add_done_callback(retrieve)
        await asyncio.wait([answer], timeout=_SOON if database.fault is None else _WHILE_AWAY)
        while not answer.done():
            if database.fault is not None or monotonic() > limit:
                raise Unreachable(AWAY)
            # a second statement may have become late since
            await asyncio.wait([answer], timeout=_LOOK)
        return answer.result()

    async def account_of(self, fingerprint: str) -> str | None:
        """Return the account of a key. Raises `StorageFailed`."""
        return await self._store.account_of(fingerprint)

    async def why_not(self, raw: str, fingerprint: str) -> Text | None:
        """Return why a key cannot use a name; None if it can, or might still be linked.

        Raises `StorageFailed`.
        """
        if await self._store.account_of(fingerprint) is not None:
            return None
        holder = await self.holder_of(raw)
        if holder is None or await self._codes.is_out(holder):
            return None
        # checked again: the key may just have claimed the name over another connection
        return None if await self._store.account_of(fingerprint) is not None else name_taken(holder)

    async def login(self, raw: str, fingerprint: str, address: str, key_name: str = "") -> Login:
        """Log in with a key, to its account or to a new one with this name. Raises `KkError`."""
        account = await self.recognise(fingerprint)
        if account is None:
            account = await self._claim(raw, fingerprint, address, key_name)
            if account is not None:
                sentence = text("The name {name} is now yours: it belongs to your key.", name=account)
                return Login(account, sentence)
            account = await self._store.account_of(fingerprint)  # two connections at once with the same key
        if account is None:
            raise NotLetIn(name_taken(await self.holder_of(raw) or clean_name(raw)))
        if not is_allowed(account, self.server_name):
            # it was free when claimed; since then a release, or the server's name, has reserved it
            return Login(account, _unheard(account))
        # the same name in another spelling needs no notice
        if skeleton(raw) == skeleton(account):
            return Login(account)
        return Login(account, text("Your key belongs to {name}, so that is your name here.", name=account))

    async def recognise(self, fingerprint: str) -> str | None:
        """Return the account of a key and record its use. Raises `StorageFailed`."""
        account = await self._store.account_of(fingerprint)
        if account is not None:
            with suppress(StorageFailed):  # failing to store this is no reason to refuse anybody
                await self._store.note_use(fingerprint)
        return account

    async def _claim(self, raw: str, fingerprint: str, address: str, key_name: str) -> str | None:
        name = check_name(raw, self.server_name)
        if await self._store.holder_of(skeleton(name)) is not None:
            return None
        # checked after the name, so that trying a taken name costs nothing
        if not self._claims.take(network_of(address)):
            raise NotLetIn(text("Too many new names from your address; please try again in a minute."))
        return name if await self._store.claim(name, skeleton(name), fingerprint, key_name) else None

    def check_heard(self, user: str) -> None:
        """Refuse chat from a user whose name could not be claimed today.

        Raises `NotLetIn`.
        """
        if not is_allowed(user, self.server_name):
            raise NotLetIn(_unheard(user))

    async def guest(self, raw: str, address: str, *, is_seen: bool = True) -> Login:
        """Log in without a key. With `is_seen` false any name will do, such as that of a script's user.

        Raises `KkError`.
        """
        # a command shows its user's name to nobody, and it may be that of a script's user such as root
        name = check_name(raw, self.server_name) if is_seen else legible_name(raw)
        holder = await self.holder_of(name)
        if holder is not None and not self.guests.has_used(name, address):
            raise NotLetIn(name_taken(holder))
        return Login(self.guests.name_for(name, address))

    async def holder_of(self, raw: str) -> str | None:
        """Return the account whose name looks like this one. Raises `KkError`."""
        return await self._store.holder_of(skeleton(legible_name(raw)))

    # -- names on seats --------------------------------------------------------------------------------------

    async def seat_name(self, user: str, wanted: str) -> str:
        """Return a user's name for a seat: their own, or an unclaimed one they want. Raises `KkError`."""
        if not wanted or wanted == user:
            return user
        name = check_name(wanted, self.server_name)
        if await self._store.holder_of(skeleton(name)) not in (None, user):
            raise BadName(text("The name {name} belongs to somebody else here.", name=name))
        # guests keep their mark, whatever name they choose on a seat
        return GUEST_MARK + cut(name, NAME_COLUMNS - len(GUEST_MARK)) if is_guest(user) else name

    # -- further keys ----------------------------------------------------------------------------------------

    async def new_code(self, user: str) -> str:
        """Create a code that links another key to an account. Raises `KkError`, for guests as well."""
        if is_guest(user):
            raise NotLetIn(_NO_ACCOUNT)
        return await self._codes.new(user)

    async def is_link_code(self, code: str) -> bool:
        """Return whether a code would link a key now. Raises `StorageFailed`."""
        return await self._codes.knows(code)

    async def link(self, code: str, fingerprint: str, address: str, key_name: str = "") -> str:
        """Add a key to the account that a code was made for; returns the account. Raises `KkError`."""
        own = await self._store.account_of(fingerprint)
        if own is not None:
            raise NotLetIn(text("This key already belongs to {name}; link another key.", name=own))
        if not (self._tries.take(network_of(address)) and self._all_tries.take("")):
            raise NotLetIn(text("Too many codes tried; please wait a few minutes."))
        account = await self._codes.redeem(code)
        if account is None:
            raise NotLetIn(text("This code is wrong, already used, or more than ten minutes old."))
        if not await self._store.add_key(account, fingerprint, key_name):
            raise NotLetIn(text("{name} already has {n} keys.", name=account, n=MOST_KEYS))
        return account

    # -- the keys of an account ------------------------------------------------------------------------------

    async def keys_of(self, user: str) -> tuple[KeyLine, ...]:
        """Return the keys of a user's account, oldest first. Raises `KkError`."""
        if is_guest(user):
            raise NotLetIn(_NO_KEYS)
        return await self._store.keys_of(user)

    async def find_key(self, user: str, typed: str) -> KeyLine:
        """Return one of a user's keys by its name or the start of its fingerprint. Raises `KkError`."""
        keys = await self.keys_of(user)
        begin = typed.removeprefix("SHA256:")
        # a name wins over the start of a fingerprint, since it may look like one
        found = [key for key in keys if _in_one_word(key.name) == _in_one_word(typed)] or [
            key for key in keys if key.fingerprint.removeprefix("SHA256:").startswith(begin)
        ]
        if len(found) > 1:
            raise NotLetIn(
                text("{words} matches several of your keys; type more of it.", words=quoted(typed))
            )
        if not found or not begin:
            raise NotLetIn(text("You have no key {words}; `keys` lists them.", words=quoted(typed)))
        return found[0]

    async def name_key(self, user: str, fingerprint: str, name: str) -> None:
        """Name a key of a user's account. Raises `KkError`."""
        if not await self._store.name_key(user, fingerprint, clean_line(name, NAME_COLUMNS)):
            raise NotLetIn(_NO_SUCH_KEY)

    async def remove_key(self, user: str, fingerprint: str) -> None:
        """Remove a key from a user's account, and any link code it has open. Raises `KkError`."""
        keys = await self.keys_of(user)
        if fingerprint not in {key.fingerprint for key in keys}:
            raise NotLetIn(_NO_SUCH_KEY)
        if not await self._store.remove_key(user, skeleton(user), fingerprint):
            raise NotLetIn(text("This is your only key: without it you couldn't log in again."))
        # whoever had the key may have requested a code to come back with
        await self._codes.forget(user)
        self.key_removed(user, fingerprint)

    async def news_of_keys(self, user: str, fingerprint: str) -> tuple[Text, ...]:
        """Return the notices about new keys that the user of this key has not had yet.

        Raises `StorageFailed`.
        """
        untold = await self._store.untold(user, fingerprint)
        for key in untold:
            await self._store.note_told(key.fingerprint)
        return tuple(map(key_added, untold))

    async def note_told(self, fingerprint: str) -> None:
        """Record that the owner was told about a key. Raises `StorageFailed`."""
        await self._store.note_told(fingerprint)

    # -- settings --------------------------------------------------------------------------------------------

    async def settings_of(self, user: str) -> str | None:
        """Return the stored settings of an account, or None. Raises `StorageFailed`."""
        return await self._store.settings_of(user)

    async def language_of(self, user: str) -> str | None:
        """Return the language in the settings of an account, if any. Raises `StorageFailed`."""
        return language_in(await self._store.settings_of(user))

    async def language_by(self, fingerprint: str) -> str | None:
        """Return the language in the settings of the account of a key, if any. Raises `StorageFailed`."""
        return language_in(await self._store.settings_by(fingerprint))

    async def keep_settings(self, user: str, settings: str, before: str | None = None) -> None:
        """Store settings for an account. Raises `StorageFailed`.

        If they were changed from those `before`, only what differs: another session may have changed others.
        """
        if before is not None:
            settings = _changed(await self._store.settings_of(user), before, settings)
        await self._store.keep_settings(user, settings)

    # -- the welcome -----------------------------------------------------------------------------------------

    async def has_read(self, user: str, digest: str) -> bool:
        """Return whether an account has read the welcome page with this digest; False for guests.

        Raises `StorageFailed`.
        """
        return not is_guest(user) and await self._store.welcomed_by(user) == digest

    async def keep_read(self, user: str, digest: str) -> None:
        """Record that a welcome page was read. Raises `StorageFailed`."""
        if not is_guest(user):
            await self._store.keep_welcomed(user, digest)


def key_added(key: KeyLine) -> Text:
    """Return the notice about a new key for the owner of an account."""
    return text(
        "Another SSH key now opens your account: {name}, {fingerprint}. If you didn't add "
        "it, remove it in the lobby: with k, or in lines of text with '{keys}'.",
        name=key.name or "-", fingerprint=key.fingerprint, keys=text_in("typed", "keys"),
    )  # fmt: skip


def _unheard(account: str) -> Text:
    return text(
        "The name {name} is no longer allowed here: you can go on playing, but nobody sees "
        "your messages. Connect with another SSH key to use another name.",
        name=account,
    )


def _in_one_word(name: str) -> str:
    # names have no spaces when given to a command
    return "".join(name.casefold().split())
