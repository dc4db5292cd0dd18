"""The door of a server: who may come in, and as whom."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.accounts.accounts import Accounts, Login, NotLetIn
from server.accounts.addresses import Addresses
from server.accounts.bans import Bans, banned
from server.front.allowed_keys import AllowedKeys, read_allowed_keys
from server.front.reception import Caller
from server.settings import Settings


@dataclass(frozen=True)
class DoorRules:
    """Whom a host lets in: with `allowed` only those keys, without it all, and guests if they are welcome.

    Who has one of the keys of `admins` comes in, too, and may run the server.
    """

    guests: bool = True
    allowed: AllowedKeys | None = None
    admins: AllowedKeys | None = None

    def lets_in(self, key: asyncssh.SSHKey, address: str) -> bool:
        """Whether a key may come in from an address."""
        return self.allowed is None or self.allowed.has(key, address) or self.is_admin(key, address)

    def is_admin(self, key: asyncssh.SSHKey | None, address: str) -> bool:
        """Whether a key may run the server from an address."""
        return key is not None and self.admins is not None and self.admins.has(key, address)


def door_rules(settings: Settings) -> DoorRules:
    """Whom settings let in, with the keys of their files. Raises `BadKeys`."""
    allowed, admins = (
        None if file is None else read_allowed_keys(Path(file)) for file in (settings.allow, settings.admins)
    )
    return DoorRules(settings.guests != "no" and allowed is None, allowed, admins)


class Door:
    """Asks the accounts who somebody is.

    SSH itself lets everybody in who gets this far: only then can he be told, in a sentence, why not.
    """

    def __init__(self, accounts: Accounts, rules: DoorRules, bans: Bans, addresses: Addresses) -> None:
        self.accounts = accounts
        self.bans = bans
        self.rules = rules
        self.addresses = addresses
        """From where people came whom it has let in."""

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Why a key is of no use to a caller, who may have others; None where it is."""
        if not self.rules.lets_in(key, caller.address):
            return text("This server lets in listed keys only: ask its host to add yours.")
        try:
            return await self.accounts.why_not(caller.name, key.get_fingerprint())
        except KkError as error:
            return error.reason

    async def enter(self, caller: Caller) -> Login:
        """Who a caller is here. Raises `KkError`."""
        login = await self._login(caller)
        self.addresses.see(login.user, caller.address)
        return login

    async def _login(self, caller: Caller) -> Login:
        await self._check_ban(caller)
        if caller.fingerprint is not None:
            return await self.accounts.login(caller.name, caller.fingerprint, caller.address, caller.key_name)
        self._check_keyless(caller)
        return await self.accounts.guest(caller.name, caller.address)

    async def recognise(self, caller: Caller) -> str:
        """Who a caller is who only asks for something: his account, or a guest; none is claimed for that.

        Raises `KkError`.
        """
        user = await self._recognised(caller)
        self.addresses.see(user, caller.address)
        return user

    async def _recognised(self, caller: Caller) -> str:
        await self._check_ban(caller)
        if caller.fingerprint is None:
            self._check_keyless(caller)
        else:
            account = await self.accounts.recognise(caller.fingerprint)
            if account is not None:
                return account
        return (await self.accounts.guest(caller.name, caller.address, is_seen=False)).user

    def is_admin(self, caller: Caller) -> bool:
        """Whether a caller may run the server."""
        return self.rules.is_admin(caller.key, caller.address)

    async def _check_ban(self, caller: Caller) -> None:
        """Refuse who is banned by his address, his key, or the name of his account. Raises `KkError`."""
        account = None if caller.fingerprint is None else await self.accounts.account_of(caller.fingerprint)
        ban = self.bans.find(account or caller.name, caller.fingerprint, caller.address)
        if ban is not None:
            raise NotLetIn(banned(ban))

    def _check_keyless(self, caller: Caller) -> None:
        """Refuse somebody without a key of use, where it needs one. Raises `NotLetIn`."""
        if caller.refusal is not None:
            raise NotLetIn(caller.refusal)
        if self.rules.allowed is not None:
            raise NotLetIn(text("This server lets in listed keys only; you have shown none."))
        if not self.rules.guests:
            raise NotLetIn(
                text("This server lets in nobody without an SSH key: make one with ssh-keygen, come again.")
            )

    async def link(self, caller: Caller, code: str) -> str:
        """Let the key of a caller open the account that a code was made for. Raises `KkError`."""
        if caller.fingerprint is None:
            raise NotLetIn(
                caller.refusal or text("You have shown no SSH key that could be linked: see ssh-keygen.")
            )
        await self._check_ban(caller)
        account = await self.accounts.link(code, caller.fingerprint, caller.address, caller.key_name)
        await self._check_ban(caller)  # of the account, too
        self.addresses.see(account, caller.address)
        return account
