"""The server's own key, by which people know that they have reached the same server again."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import text

FILE: Final = "ssh_host_ed25519_key"
KIND: Final = "ssh-ed25519"
"""The one kind that hosts are known by and sign with."""


def host_key(data: Path) -> asyncssh.SSHKey:
    """The key of a data folder, made at the first start.

    Raises `KkError` for a file that is no key, or that others on this machine may read.
    """
    path = data / FILE
    try:
        if not path.exists():
            _create(path)
        _refuse_open(path)
        key = asyncssh.read_private_key(path)
    except (OSError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KkError(text("{file} is no usable key: {reason}", file=str(path), reason=reason)) from None
    if key.get_algorithm() != KIND:
        raise KkError(
            text("{file} is a key of kind {found}, not {kind}.",
                 file=str(path), found=key.get_algorithm(), kind=KIND)
        )  # fmt: skip
    return key


def _refuse_open(path: Path) -> None:
    """Refuse what OpenSSH refuses: a key of ours that is not for us alone."""
    status = path.stat()
    if status.st_uid == os.getuid() and (mode := S_IMODE(status.st_mode)) & 0o077:
        raise KkError(
            text(
                "{file} may be read by others (mode {mode}): `chmod 600` it. "
                "Whoever has the key can pass for this server.",
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
        os.fsync(file.fileno())
    unfinished.replace(path)
