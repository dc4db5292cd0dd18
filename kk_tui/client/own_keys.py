"""The user's SSH keys: those that `ssh` would offer, or one made for kk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, TypeAlias

import asyncssh
import platformdirs

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import text
from kk_tui.disk import sync

KeyPairs: TypeAlias = list[asyncssh.SSHKeyPair]

_FILES: Final = ("id_ed25519", "id_ecdsa", "id_rsa")
"""Names that `ssh-keygen` gives to keys in `~/.ssh` by default."""

_KIND: Final = "ssh-ed25519"
_UNREADABLE: Final = (OSError, ValueError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError)


class NoKey(KkError):
    """There is no key, and none can be created."""


async def own_keys() -> KeyPairs:
    """Return the user's keys in files, then the one made for kk, which is created if there is no other.

    asyncssh asks an agent before it uses these. Raises `NoKey`.
    """
    pairs = [pair for name in _FILES for pair in _pairs(Path.home() / ".ssh" / name)]
    made = _folder() / "id_ed25519"
    if made.exists() or not (pairs or await _has_agent()):
        pairs += made_key(made.name)
    return pairs


def made_key(name: str) -> KeyPairs:
    """Return the key with this name in the user's data folder, creating it if needed. Raises `NoKey`."""
    path = _folder() / name
    try:
        if not path.exists():
            _make(path)
        return list(asyncssh.load_keypairs(path))
    except _UNREADABLE as error:
        raise NoKey(
            text("{file} isn't a usable key: {reason}", file=str(path), reason=system_reason(error))
        ) from None


def _folder() -> Path:
    return platformdirs.user_data_path("kk", appauthor=False) / "keys"


def _pairs(path: Path) -> KeyPairs:
    """Return the pair in a file; none without a file."""
    try:
        # skips keys with a passphrase, which only an agent can use
        return list(asyncssh.load_keypairs(path, ignore_encrypted=True)) if path.is_file() else []
    except _UNREADABLE:
        return []


async def _has_agent() -> bool:
    try:
        agent = await asyncssh.connect_agent()
    except (OSError, asyncssh.Error):
        return False
    try:
        return bool(await agent.get_keys())
    except (OSError, ValueError, asyncssh.Error):
        return False
    finally:
        agent.close()


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = asyncssh.generate_private_key(_KIND, comment="kk")
    unfinished = path.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(key.export_private_key())
        file.flush()
        sync(file.fileno())
    try:
        os.link(unfinished, path)  # unlike a rename, this never replaces a key
    except FileExistsError:
        pass  # another process has just created one, and both use that
    except OSError:  # a file system without hard links
        unfinished.replace(path)
    unfinished.unlink(missing_ok=True)
