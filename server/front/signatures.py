"""Signatures of records in the format of `ssh-keygen -Y`, made with the key that guests know a server by."""

from __future__ import annotations

import base64
import binascii
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import text

NAMESPACE: Final = "kk-record"
"""What a signature is for: one made for anything else proves nothing here."""

_FIRST: Final = b"-----BEGIN SSH SIGNATURE-----"
_LAST: Final = b"-----END SSH SIGNATURE-----"
_HEAD: Final = b"SSHSIG\x00\x00\x00\x01"
_LENGTH: Final = 4
_PRINCIPAL: Final = "kk"


class BadSignature(KkError):
    """A signature that is none, or not of what it stands beside."""


def sign(key: asyncssh.SSHKey, message: bytes) -> str:
    """The signature of a message as the text of a file."""
    return asyncssh.create_sshsig(key, message, namespace=NAMESPACE).decode()


def signer_of(message: bytes, signature: bytes) -> asyncssh.SSHKey:
    """The public key whose owner has signed a message. Raises `BadSignature`."""
    blob = _unwrapped(signature)
    key = _key_in(blob)
    allowed = f'{_PRINCIPAL} namespaces="{NAMESPACE}" '.encode() + key.export_public_key()
    try:
        is_good = asyncssh.validate_sshsig(message, blob, _PRINCIPAL, allowed)
    except ValueError:  # a hash, or a kind of signature, that nobody uses
        is_good = False
    if not is_good:
        raise BadSignature(text("The signature is not one of this record."))
    return key


def _unwrapped(signature: bytes) -> bytes:
    """What stands between the first line and the last."""
    lines = signature.strip().splitlines()
    if len(lines) < 2 or lines[0] != _FIRST or lines[-1] != _LAST:
        raise BadSignature(text("This is not a signature: it does not begin and end like one."))
    inside = b"".join(lines[1:-1])
    try:
        blob = base64.b64decode(inside, validate=True)
    except binascii.Error:
        blob = b""
    if base64.b64encode(blob) != inside:
        raise BadSignature(text("This is not a signature: it is damaged."))
    return blob


def _key_in(blob: bytes) -> asyncssh.SSHKey:
    """The public key that a signature names first."""
    if not blob.startswith(_HEAD):
        raise BadSignature(text("This is not a signature that ssh-keygen could read."))
    start = len(_HEAD) + _LENGTH
    stop = start + int.from_bytes(blob[len(_HEAD) : start], "big")
    data = base64.b64encode(blob[start:stop])
    try:
        return asyncssh.import_public_key(b"ssh-ed25519 " + data)
    except asyncssh.KeyImportError:
        raise BadSignature(text("The signature was not made with an ed25519 key.")) from None
