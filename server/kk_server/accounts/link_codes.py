"""Link codes, with which an account adds another key."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Final

from kk_core.protocol.typed_codes import LETTERS, LINK_LENGTH, bare_code, is_code

LIFE: Final = 600.0
"""Seconds after which a code expires."""


@dataclass(frozen=True)
class _Code:
    digest: bytes
    ends: float


class LinkCodes:
    """At most one code per account, kept only in memory and only as digests."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}

    def new(self, account: str) -> str:
        """Create a code for an account, such as ABCD-EFGH; any earlier one expires."""
        letters = new_code(LINK_LENGTH)
        # only the digest is kept, so that nothing in memory can link a key
        self._codes[account] = _Code(_digest(letters), self._clock() + LIFE)
        half = LINK_LENGTH // 2
        return f"{letters[:half]}-{letters[half:]}"

    def is_out(self, account: str) -> bool:
        """Return whether an account has a code that can still be used."""
        return account in self._alive()

    def forget(self, account: str) -> None:
        """Expire the code of an account."""
        self._codes.pop(account, None)

    def knows(self, code: str) -> bool:
        """Return whether a code could be used now, without using it up."""
        digest = _digest(code)
        return any(hmac.compare_digest(digest, known.digest) for known in self._alive().values())

    def redeem(self, code: str) -> str | None:
        """Use up a code and return the account it was made for; None if it is invalid."""
        digest, found = _digest(code), None
        for account, known in self._alive().items():  # always all of them, so that timing reveals nothing
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
    """Create a code of `length` letters."""
    while not is_code(code := "".join(secrets.choice(LETTERS) for _ in range(length))):
        pass  # a code has at least one digit, so that it is not mistaken for a word
    return code


def _digest(code: str) -> bytes:
    return sha256(bare_code(code).encode(errors="replace")).digest()
