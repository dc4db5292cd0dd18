"""What those who run the server have asked for, and what came of it: a file to which is only added."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from kk_core.errors import KkError
from kk_core.text import text

AUDIT: Final = "audit.jsonl"
"""The name of the file in a data folder: an object of JSON a line."""


class NotWritten(KkError):
    """The file cannot be written; nothing is carried out without it."""


class AuditLog:
    """The file of a data folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self) -> None:
        """Make sure that a line could be added. Raises `NotWritten`."""
        self._append(b"")

    def add(self, who: str, key: str | None, address: str, command: str, outcome: str) -> None:
        """Keep one command and what came of it, on the disk when this returns. Raises `NotWritten`."""
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "who": who, "key": key, "address": address, "command": command, "outcome": outcome,
        }  # fmt: skip
        self._append(json.dumps(line).encode() + b"\n")

    def _append(self, content: bytes) -> None:
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, content)
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            reason = error.strerror or str(error)
            raise NotWritten(
                text("{file} cannot be written: {reason}", file=str(self._path), reason=reason)
            ) from None
