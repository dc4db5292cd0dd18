"""Link codes: how an account lets in a further key."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Final

from kk_core.protocol.codes import LETTERS, LINK_LENGTH, bare_code, is_code

LIFE: Final = 600.0
"""Seconds after which a code is worth nothing any more."""


@dataclass(frozen=True)
class _Code:
    digest: bytes
    ends: float


class LinkCodes:
    """One code for each account that has asked for one; kept as digests, in memory alone."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}

    def new(self, account: str) -> str:
        """A code for an account, as ABCD-EFGH; the one before is worth nothing any more."""
        letters = new_code(LINK_LENGTH)
        self._codes[account] = _Code(_digest(letters), self._clock() + LIFE)
        half = LINK_LENGTH // 2
        return f"{letters[:half]}-{letters[half:]}"

    def is_out(self, account: str) -> bool:
        """Whether a code of this account could still be used."""
        return account in self._alive()

    def forget(self, account: str) -> None:
        """The code of an account is worth nothing any more."""
        self._codes.pop(account, None)

    def knows(self, code: str) -> bool:
        """Whether a code could be used now; it stays so."""
        digest = _digest(code)
        return any(hmac.compare_digest(digest, known.digest) for known in self._alive().values())

    def redeem(self, code: str) -> str | None:
        """The account that a code was made for; it is used up. None for any other words."""
        digest, found = _digest(code), None
        for account, known in self._alive().items():  # all of them, so that the time taken tells nothing
            if hmac.compare_digest(digest, known.digest):
                found = account
        if found is not None:
            del self._codes[found]
        return found

    def _alive(self) -> dict[str, _Code]:
        now = self._clock()
        self._codes = {account: code for account, code in self._codes.items() if code.ends > now}
        return self._codes


def new_code(length: int) -> str:
    """A code of so many letters."""
    while not is_code(code := "".join(secrets.choice(LETTERS) for _ in range(length))):
        pass  # without a digit
    return code


def _digest(code: str) -> bytes:
    return sha256(bare_code(code).encode(errors="replace")).digest()
