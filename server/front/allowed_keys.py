"""The keys that a host lets in, from a file like OpenSSH's authorized_keys."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import asyncssh

from kk_core.errors import KkError
from kk_core.text import Text, quoted, text

_HARMLESS: Final = ("restrict", "no-", "from=")
"""Options of a line that are kept: here nothing is forwarded anyway; addresses are checked."""

_LARGEST: Final = 1_000_000
"""Bytes that the file may have."""


class BadKeys(KkError):
    """A file of keys that cannot be used; the sentence names the line and the reason."""


class AllowedKeys:
    """The keys of a file; made by `read_allowed_keys`."""

    def __init__(self, entries: list[asyncssh.SSHAuthorizedKeys]) -> None:
        self._entries = entries

    def has(self, key: asyncssh.SSHKey, address: str) -> bool:
        """Whether a key may come in from an address."""
        return any(entry.validate(key, address, address) is not None for entry in self._entries)


def read_allowed_keys(path: Path) -> AllowedKeys:
    """The keys of a file. Raises `BadKeys` for a file that cannot be read, and for the first bad line."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        lines = content.decode().splitlines()
    except OSError as error:
        reason: Text | str = error.strerror or str(error)
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path), reason=reason)) from None
    except UnicodeDecodeError:
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path),
                           reason=text("it is not UTF-8"))) from None  # fmt: skip
    if len(content) > _LARGEST:
        raise BadKeys(text("{file} cannot be read: {reason}", file=str(path), reason=text("it is too long")))
    written = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    entries = [_entry(path, number, line) for number, line in written if line and not line.startswith("#")]
    if not entries:
        raise BadKeys(text("{file} has no key: nobody could come in.", file=str(path)))
    return AllowedKeys(entries)


def _entry(path: Path, number: int, line: str) -> asyncssh.SSHAuthorizedKeys:
    try:
        entry = asyncssh.import_authorized_keys(line)
    except (ValueError, asyncssh.KeyImportError):
        raise _bad(path, number, text("this is no public key of SSH: {line}", line=quoted(line))) from None
    for option in _options(line):
        if not option.startswith(_HARMLESS):
            raise _bad(path, number, text("the option {option} means nothing here", option=quoted(option)))
    return entry


def _options(line: str) -> list[str]:
    """The options in front of a key; commas and blanks in quotes belong to their option."""
    try:
        asyncssh.import_public_key(line)
    except asyncssh.KeyImportError:
        pass
    else:
        return []
    options, is_quoted = [""], False
    for character in line:
        if character == " " and not is_quoted:
            break
        is_quoted ^= character == '"'
        if character == "," and not is_quoted:
            options.append("")
        else:
            options[-1] += character
    return options


def _bad(path: Path, number: int, reason: Text) -> BadKeys:
    return BadKeys(text("{file}, line {number}: {reason}.", file=str(path), number=number, reason=reason))
