"""The door of a server: who may come in, and as whom."""

from __future__ import annotations

from dataclasses import dataclass

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, text
from server.accounts.accounts import Accounts, Login, NotLetIn
from server.front.allowed_keys import AllowedKeys


@dataclass
class Caller:
    """Somebody at the door: what he calls himself, and the key that he has shown to be his."""

    address: str
    name: str = ""
    fingerprint: str | None = None
    refusal: Text | None = None
    """Why a key that he has offered was of no use."""


@dataclass(frozen=True)
class DoorRules:
    """Whom a host lets in: with `allowed` only those keys, without it all, and guests if they are welcome."""

    guests: bool = True
    allowed: AllowedKeys | None = None


class Door:
    """Asks the accounts who somebody is.

    SSH itself lets everybody in who gets this far: only then can he be told, in a sentence, why not.
    """

    def __init__(self, accounts: Accounts, rules: DoorRules) -> None:
        self.accounts = accounts
        self._rules = rules

    async def why_not(self, caller: Caller, key: asyncssh.SSHKey) -> Text | None:
        """Why a key is of no use to a caller, who may have others; None where it is."""
        if self._rules.allowed is not None and not self._rules.allowed.has(key, caller.address):
            return text("This server lets in listed keys only: ask its host to add yours.")
        try:
            return await self.accounts.why_not(caller.name, key.get_fingerprint())
        except KkError as error:
            return error.reason

    async def enter(self, caller: Caller) -> Login:
        """Who a caller is here. Raises `KkError`."""
        if caller.fingerprint is not None:
            return await self.accounts.login(caller.name, caller.fingerprint, caller.address)
        if caller.refusal is not None:
            raise NotLetIn(caller.refusal)
        if self._rules.allowed is not None:
            raise NotLetIn(text("This server lets in listed keys only; you have shown none."))
        if not self._rules.guests:
            raise NotLetIn(
                text("This server lets in nobody without an SSH key: make one with ssh-keygen, come again.")
            )
        return await self.accounts.guest(caller.name, caller.address)

    async def link(self, caller: Caller, code: str) -> str:
        """Let the key of a caller open the account that a code was made for. Raises `KkError`."""
        if caller.fingerprint is None:
            raise NotLetIn(
                caller.refusal or text("You have shown no SSH key that could be linked: see ssh-keygen.")
            )
        return await self.accounts.link(code, caller.fingerprint, caller.address)
