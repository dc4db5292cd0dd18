"""The server's own key, by which people know that they have reached the same server again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import text

FILE: Final = "ssh_host_ed25519_key"
KIND: Final = "ssh-ed25519"
"""The one kind that hosts are known by and sign with."""


def host_key(data: Path) -> asyncssh.SSHKey:
    """The key of a data folder, made at the first start. Raises `KkError` for a file that is no key."""
    path = data / FILE
    if not path.exists():
        _create(path)
    try:
        key = asyncssh.read_private_key(path)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        raise KkError(text("{file} is no usable key: {reason}", file=str(path), reason=str(error))) from None
    if key.get_algorithm() != KIND:
        raise KkError(
            text("{file} is a key of kind {found}, not {kind}.",
                 file=str(path), found=key.get_algorithm(), kind=KIND)
        )  # fmt: skip
    return key


def _create(path: Path) -> None:
    key = asyncssh.generate_private_key(KIND, comment="kk")
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(key.export_private_key())
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
