"""The access policy of a server: who may come in, and as which user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import Text, quoted, text
from kk_core.views import GUEST_MARK
from kk_server.accounts.accounts import Accounts, Login, NotLetIn
from kk_server.accounts.addresses import Addresses
from kk_server.accounts.bans import Bans, banned
from kk_server.accounts.names import BadName, legible_name
from kk_server.gateway import Caller
from kk_server.storage.table_log import StorageFailed

_HARMLESS: Final = ("restrict", "no-", "from=")
"""Options that are accepted: nothing is forwarded here anyway, and `from` is checked."""

_LARGEST: Final = 1_000_000
"""Maximum size of the file in bytes."""


class BadKeys(KkError):
    """A file of keys that cannot be used; the sentence names the line and the reason."""


class AllowedKeys:
    """The keys of a file, read by `read_allowed_keys`."""

    def __init__(self, entries: list[asyncssh.SSHAuthorizedKeys]) -> None:
        self._entries = entries

    def has(self, key: asyncssh.SSHKey, address: str) -> bool:
        """Return whether a key is allowed from an address."""
        # the address is also passed as host name, which would have to be looked up
        return any(entry.validate(key, address, address) is not None for entry in self._entries)


def read_allowed_keys(path: Path) -> AllowedKeys:
    """Read the keys of a file. Raises `BadKeys` if it cannot be read, or for its first bad line."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        lines = content.decode().splitlines()
    except OSError as error:
        reason = system_reason(error)
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path), reason=reason)) from None
    except UnicodeDecodeError:
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path),
                           reason=text("it is not UTF-8"))) from None  # fmt: skip
    if len(content) > _LARGEST:
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path), reason=text("it is too long")))
    written = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    entries = [_entry(path, number, line) for number, line in written if line and not line.startswith("#")]
    if not entries:
        raise BadKeys(text("{file} has no keys: nobody could log in.", file=str(path)))
    return AllowedKeys(entries)


def _entry(path: Path, number: int, line: str) -> asyncssh.SSHAuthorizedKeys:
    try:
        entry = asyncssh.import_authorized_keys(line)
    except (ValueError, asyncssh.KeyImportError):
        raise _bad(path, number, text("this is not an SSH public key: {line}", line=quoted(line))) from None
    for option in _options(line):
        if not option.startswith(_HARMLESS):
            raise _bad(path, number, text("the option {option} is not supported here", option=quoted(option)))
    return entry


def _options(line: str) -> list[str]:
    try:
        # a line that is a key by itself has no options before it
        asyncssh.import_public_key(line)
    except asyncssh.KeyImportError:
        pass
    else:
        return []
    # commas and spaces in quotes belong to their option
    options, is_quoted = [""], False
    for character in line:
        if character == " " and not is_quoted:
            break
        is_quoted ^= character == '"'
        if character == "," and not is_quoted:
            options.append("")
        else:
            options[-1] += character
    return options


def _bad(path: Path, number: int, reason: Text) -> BadKeys:
    return BadKeys(text("{file}, line {number}: {reason}.", file=str(path), number=number, reason=reason))


@dataclass(frozen=True)
class AccessRules:
    """The people a host lets in: only the `allowed` keys, or all keys, and guests if they are welcome.

    The keys of `admins` are also let in, and may administer the server.
    """

    guests: bool = True
    allowed: AllowedKeys | None = None
    admins: AllowedKeys | None = None

    def lets_in(self, key: asyncssh.SSHKey, address: str) -> bool:
        """Return whether a key is let in from an address."""
        return self.allowed is None or self.allowed.has(key, address) or self.is_admin(key, address)

    def is_admin(self, key: asyncssh.SSHKey | None, address: str) -> bool:
        """Return whether a key may administer the server from an address."""
        return key is not None and self.admins is not None and self.admins.has(key, address)


class AccessPolicy:
    """Lets users in, and asks the accounts who they are.

    SSH itself accepts everybody who gets this far: only then can they be given a reason for a refusal.
    """

    def __init__(self, accounts: Accounts, rules: AccessRules, bans: Bans, addresses: Addresses) -> None:
        self.accounts = accounts
        self.bans = bans
        self.rules = rules
        self.addresses = addresses
        """The addresses of everybody it has let in."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Return why a caller's key is not accepted (they may have others); None if it is."""
        if not self.rules.lets_in(key, caller.address):
            return text("This server accepts only listed keys: ask its host to add yours.")
        try:
            return await self.accounts.soon(self.accounts.why_not(caller.name, key.get_fingerprint()))
        except StorageFailed:  # whose it is, is found out when they come in
            return None
        except KkError as error:
            return error.reason

    async def enter(self, caller: Caller) -> Login:
        """Log a caller in. Raises `KkError`."""
        login = await self._login(caller)
        self.addresses.see(login.user, caller.address)
        return login

    async def _login(self, caller: Caller) -> Login:
        await self.check_ban(caller)
        if caller.fingerprint is None:
            self._check_keyless(caller)
        try:
            if caller.fingerprint is None:
                return await self.accounts.guest(caller.name, caller.address)
            return await self.accounts.login(caller.name, caller.fingerprint, caller.address, caller.key_name)
        except BadName as error:
            if caller.origin:  # a page asks for a name by itself
                raise
            # ssh may have sent their local user name
            raise BadName(
                text("{reason} Your name goes before the @: NAME@HOST.", reason=error.reason)
            ) from None

    async def recognise(self, caller: Caller) -> str:
        """Return the user of a caller who only runs a command: their account, or a guest.

        This claims no name. Raises `KkError`.
        """
        user = await self._recognised(caller)
        self.addresses.see(user, caller.address)
        return user

    async def recognise_soon(self, caller: Caller) -> str:
        """Return the user of a caller whose command doesn't depend on who they are.

        While accounts can't be read, that is a guest, and bans by name hold for the name that they have given
        alone. Raises `KkError`.
        """
        try:
            return await self.accounts.soon(self.recognise(caller))
        except StorageFailed:
            self._check_ban_of(caller.name, caller)
            if caller.fingerprint is None:
                self._check_keyless(caller)
            return GUEST_MARK + legible_name(caller.name)

    async def _recognised(self, caller: Caller) -> str:
        await self.check_ban(caller)
        if caller.fingerprint is None:
            self._check_keyless(caller)
        else:
            account = await self.accounts.recognise(caller.fingerprint)
            if account is not None:
                return account
        return (await self.accounts.guest(caller.name, caller.address, is_seen=False)).user

    def is_admin(self, caller: Caller) -> bool:
        """Return whether a caller may administer the server."""
        return self.rules.is_admin(caller.key, caller.address)

    async def check_ban(self, caller: Caller) -> None:
        """Refuse a caller banned by address, key or account name. Raises `KkError`."""
        account = None if caller.fingerprint is None else await self.accounts.account_of(caller.fingerprint)
        self._check_ban_of(account or caller.name, caller)

    def _check_ban_of(self, name: str, caller: Caller) -> None:
        ban = self.bans.find(name, caller.fingerprint, caller.address)
        if ban is not None:
            raise NotLetIn(banned(ban))

    def _check_keyless(self, caller: Caller) -> None:
        """Refuse a caller without an accepted key if they need one. Raises `NotLetIn`."""
        # they had a key, so say what is wrong with it, not how to make one
        if caller.refusal is not None:
            raise NotLetIn(caller.refusal)
        if self.rules.allowed is not None:
            raise NotLetIn(text("This server accepts only listed keys; you offered none."))
        if not self.rules.guests and caller.origin:
            raise NotLetIn(
                text(
                    "This server requires a key, which this browser cannot keep here: that takes HTTPS, and "
                    "a browser of 2025 or later."
                )
            )
        if not self.rules.guests:
            raise NotLetIn(text("This server requires an SSH key: make one with ssh-keygen and come back."))

    async def link(self, caller: Caller, code: str) -> str:
        """Add the key of a caller to the account that a code was made for. Raises `KkError`."""
        if caller.fingerprint is None:
            raise NotLetIn(caller.refusal or text("You offered no SSH key to link: see ssh-keygen."))
        await self.check_ban(caller)
        account = await self.accounts.link(code, caller.fingerprint, caller.address, caller.key_name)
        await self.check_ban(caller)  # again, now by the account's name
        self.addresses.see(account, caller.address)
        return account
