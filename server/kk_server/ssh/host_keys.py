"""The server's own key, by which people recognise it, and the signatures of records."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from stat import S_IMODE
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import text
from kk_tui.disk import sync

FILE: Final = "ssh_host_ed25519_key"
KIND: Final = "ssh-ed25519"
"""The only kind of host key supported."""


def host_key(data: Path) -> asyncssh.SSHKey:
    """Return the key of a data folder, creating it at the first start.

    Raises `KkError` for a file that is not a key, or that others on this machine may read.
    """
    path = data / FILE
    try:
        if not path.exists():
            _create(path)
    except OSError as error:
        reason = system_reason(error)
        raise KkError(text("{file} cannot be written: {reason}", file=str(path), reason=reason)) from None
    try:
        _refuse_open(path)
        key = asyncssh.read_private_key(path)
    except (OSError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        reason = system_reason(error)
        raise KkError(text("{file} isn't a usable key: {reason}", file=str(path), reason=reason)) from None
    if key.get_algorithm() != KIND:
        raise KkError(
            text("{file} is a key of type {found}, not {kind}.",
                 file=str(path), found=key.get_algorithm(), kind=KIND)
        )  # fmt: skip
    return key


def _refuse_open(path: Path) -> None:
    # as OpenSSH does
    status = path.stat()
    if status.st_uid == os.getuid() and (mode := S_IMODE(status.st_mode)) & 0o077:
        raise KkError(
            text(
                "Others can read {file} (mode {mode}): `chmod 600` it. Anybody with the key can "
                "impersonate this server.",
                file=str(path), mode=f"{mode:04o}",
            )
        )  # fmt: skip


def _create(path: Path) -> None:
    key = asyncssh.generate_private_key(KIND, comment="kk")
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(key.export_private_key())
        file.flush()
        # the key must not be lost, or people would see a changed host key
        sync(file.fileno())
    unfinished.replace(path)


NAMESPACE: Final = "kk-record"
"""The purpose named in signatures: one made for anything else proves nothing here."""

_FIRST: Final = b"-----BEGIN SSH SIGNATURE-----"
_LAST: Final = b"-----END SSH SIGNATURE-----"
_HEAD: Final = b"SSHSIG\x00\x00\x00\x01"
_LENGTH: Final = 4  # bytes before each string in SSH's formats
_PRINCIPAL: Final = "kk"


class BadSignature(KkError):
    """Not a signature, or not one of the record beside it."""


def sign(key: asyncssh.SSHKey, message: bytes) -> str:
    """Return the signature of a message as the text of a file."""
    return asyncssh.create_sshsig(key, message, namespace=NAMESPACE).decode()


def signer_of(message: bytes, signature: bytes) -> asyncssh.SSHKey:
    """Return the public key that signed a message. Raises `BadSignature`."""
    blob = _unwrapped(signature)
    key = _key_in(blob)
    # asyncssh wants a list of signers: allow whoever signed, and let the caller judge the key
    allowed = f'{_PRINCIPAL} namespaces="{NAMESPACE}" '.encode() + key.export_public_key()
    try:
        is_good = asyncssh.validate_sshsig(message, blob, _PRINCIPAL, allowed)
    except ValueError:  # an unknown hash or kind of signature
        is_good = False
    if not is_good:
        raise BadSignature(text("The signature is not for this record."))
    return key


def _unwrapped(signature: bytes) -> bytes:
    lines = signature.strip().splitlines()
    if len(lines) < 2 or lines[0] != _FIRST or lines[-1] != _LAST:
        raise BadSignature(text("This is not a signature: it does not begin and end like one."))
    inside = b"".join(lines[1:-1])
    try:
        blob = base64.b64decode(inside, validate=True)
    except binascii.Error:
        blob = b""
    # only the canonical encoding is accepted, so that no two signature files are the same signature
    if base64.b64encode(blob) != inside:
        raise BadSignature(text("This is not a signature: it is damaged."))
    return blob


def _key_in(blob: bytes) -> asyncssh.SSHKey:
    if not blob.startswith(_HEAD):
        raise BadSignature(text("This is not a signature that ssh-keygen could read."))
    start = len(_HEAD) + _LENGTH
    stop = start + int.from_bytes(blob[len(_HEAD) : start], "big")
    data = base64.b64encode(blob[start:stop])
    try:
        return asyncssh.import_public_key(b"ssh-ed25519 " + data)
    except asyncssh.KeyImportError:
        raise BadSignature(text("The signature was not made with an ed25519 key.")) from None
