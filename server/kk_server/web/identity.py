"""Login by a key: a browser proves with a signature that it holds one, as an SSH client does."""

from __future__ import annotations

import binascii
import secrets
import time
from base64 import urlsafe_b64decode
from typing import Final

import asyncssh
from asyncssh.packet import String
from asyncssh.public_key import decode_ssh_public_key

from kk_core.text import text
from kk_server.web.frames import BadWebFrame, Challenge, Greeting

_PURPOSE: Final = "kk web login 1"
"""The first line of what is signed: a signature made for anything else proves nothing here."""

_KIND: Final = b"ssh-ed25519"
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64


class LoginChallenge:
    """A challenge for one socket. It is answered once, and by nothing signed for another one."""

    def __init__(self, origin: str, fingerprint: str, seconds: float, script: str) -> None:
        """Draw one that holds for `seconds`, for the page of an origin and the server with this key.

        `script` is the name of the page's script.
        """
        self._origin = origin
        self._fingerprint = fingerprint
        self._script = script
        self._nonce = secrets.token_urlsafe(32)
        self._expires = int(time.time() + seconds) + 1

    @property
    def message(self) -> Challenge:
        """The message to the page, which adds its origin as the browser says it."""
        return Challenge(_PURPOSE, self._fingerprint, self._nonce, self._expires, self._script)

    @property
    def signed(self) -> bytes:
        """The bytes that the key has to sign."""
        lines = _PURPOSE, self._origin, self._fingerprint, self._nonce, str(self._expires)
        return "\n".join(lines).encode()

    def signer(self, greeting: Greeting) -> asyncssh.SSHKey | None:
        """Return the key that has signed this; None for a guest, who has none. Raises `BadWebFrame`."""
        if not greeting.key and not greeting.signature:
            return None
        key, signature = (_bytes_of(written) for written in (greeting.key, greeting.signature))
        if len(key) != _KEY_BYTES or len(signature) != _SIGNATURE_BYTES or time.time() > self._expires:
            raise _wrong()
        try:
            public = decode_ssh_public_key(String(_KIND) + String(key))
        except asyncssh.KeyImportError:
            raise _wrong() from None
        if not public.verify(self.signed, String(_KIND) + String(signature)):
            raise _wrong()
        return public


def _bytes_of(written: str) -> bytes:
    try:
        return urlsafe_b64decode(written.encode("ascii"))
    except (binascii.Error, ValueError):
        raise _wrong() from None


def _wrong() -> BadWebFrame:
    return BadWebFrame(text("The signature of this browser's key is not for this login."))
