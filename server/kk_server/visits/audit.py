"""The audit log: an append-only file of admins' commands and users' reports.

Addresses are removed from it after some days; everything else stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from threading import Lock
from typing import Any, Final

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import text
from kk_server.storage.files import atomic_write
from kk_tui.disk import sync

AUDIT: Final = "audit.jsonl"
"""The name of the file in a data folder: one JSON object per line."""

_PRIVATE: Final = 0o600

_WORD: Final = re.compile(r"[^\s'\"]*[.:][^\s'\"]*")
"""A word in a command that may be an address or a network."""

_GONE: Final = "(address)"


class NotWritten(KkError):
    """The file cannot be written; nothing is carried out without it."""


class AuditLog:
    """The audit log of a data folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = Lock()

    def check(self) -> None:
        """Check that a line can be added. Raises `NotWritten`."""
        self._append(b"")

    def add(self, who: str, key: str | None, address: str, command: str, outcome: str, **more: Any) -> None:
        """Add a command and its outcome, synced to disk. Raises `NotWritten`."""
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "who": who, "key": key, "address": address, "command": command, "outcome": outcome, **more,
        }  # fmt: skip
        self._append(json.dumps(line).encode() + b"\n")

    def _append(self, content: bytes) -> None:
        try:
            with self._writing:
                # opened for each line, so that the file can be rotated or rewritten
                file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE)
                try:
                    os.write(file, content)
                    sync(file)
                finally:
                    os.close(file)
        except OSError as error:
            reason = system_reason(error)
            raise NotWritten(
                text("{file} cannot be written: {reason}", file=str(self._path), reason=reason)
            ) from None

    def forget_addresses(self, days: int, now: datetime | None = None) -> None:
        """Remove the addresses from lines older than `days` days; may run in a thread.

        Raises `NotWritten`.
        """
        before = ((now or datetime.now(UTC)) - timedelta(days=days)).isoformat(timespec="milliseconds")
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            reason = system_reason(error)
            raise NotWritten(
                text("{file} cannot be read: {reason}", file=str(self._path), reason=reason)
            ) from None
        try:
            rest = b"".join(_without_addresses(line, before) for line in content.splitlines(keepends=True))
            if rest == content:
                return
            with self._writing:  # lines may have been added since
                added = self._path.read_bytes()[len(content) :]
                atomic_write(self._path, rest + added, mode=_PRIVATE)
        except OSError as error:
            reason = system_reason(error)
            raise NotWritten(
                text("{file} cannot be written: {reason}", file=str(self._path), reason=reason)
            ) from None


def _without_addresses(line: bytes, before: str) -> bytes:
    try:
        said = json.loads(line)
        if said["at"] >= before:
            return line
    except (ValueError, KeyError, TypeError):
        return line
    for place in _with_address(said):
        place["address"] = None
    for key in said.keys() & {"command", "outcome"}:
        said[key] = _WORD.sub(_unless_address, str(said[key]))
    return json.dumps(said).encode() + b"\n"


def _with_address(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "address" in value:
            yield value
        for each in value.values():
            yield from _with_address(each)
    elif isinstance(value, list):
        for each in value:
            yield from _with_address(each)


def _unless_address(found: re.Match[str]) -> str:
    word = found[0]
    try:
        ip_network(word.rstrip(".,;:)").partition("%")[0], strict=False)
    except ValueError:
        return word
    return _GONE
