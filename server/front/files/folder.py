"""The folder of somebody's own records: no folder of the machine, only names and what they stand for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import PurePosixPath
from time import time
from typing import Final, NamedTuple

from kk_core.record import format_record, record_of
from kk_core.wire.past import PastMatch
from server.hub.hub import Hub
from server.hub.place import NotPossible
from server.storage.records import SIGNATURE

RECORDS: Final = "records"
"""The only folder in the root."""

_FILE: Final = re.compile(
    r"(?:.*_)?(?P<table>[0-9a-f]{1,16})-(?P<match>[1-9][0-9]{0,5})\.json"
    rf"(?P<signature>{re.escape(SIGNATURE)})?"
)


class Entry(NamedTuple):
    """A folder, or a file; `at` is when its match ended, of a folder now, in seconds since 1970."""

    name: str
    at: int = 0
    match: tuple[str, int] | None = None
    """Of a file: the table, and the number of the match there."""
    is_signature: bool = False

    @property
    def is_folder(self) -> bool:
        """Whether there are others in it."""
        return self.match is None


class OwnRecords:
    """The records of the matches that a user has played, each with its signature beside it."""

    def __init__(self, hub: Hub, user: str) -> None:
        self._hub = hub
        self._user = user
        self._last: tuple[tuple[str, int], bytes] | None = None

    async def inside(self, path: PurePosixPath) -> list[Entry] | None:
        """What is in a folder; None where there is no such folder. Raises `KkError`."""
        if path == PurePosixPath("/"):
            return [Entry(RECORDS, int(time()))]
        if path != PurePosixPath("/", RECORDS):
            return None
        lines, _ = await self._hub.history.lines(self._user)
        return [entry for line in lines for entry in _files(line)]

    async def entry(self, path: PurePosixPath) -> Entry | None:
        """What has a path; a file also by the number of its match alone, as ID.json. Raises `KkError`."""
        if path in (PurePosixPath("/"), PurePosixPath("/", RECORDS)):
            return Entry(path.name or "/", int(time()))
        found = _FILE.fullmatch(path.name)
        if found is None or path.parent != PurePosixPath("/", RECORDS):
            return None
        match, is_signature = (found["table"], int(found["match"])), found["signature"] is not None
        try:
            return _files(await self._hub.history.line(self._user, *match))[is_signature]
        except NotPossible:
            return None

    async def content(self, file: Entry) -> bytes:
        """What is in a file. Raises `KkError`."""
        assert file.match is not None, "folders have none"
        if self._last is None or self._last[0] != file.match:
            match, _ = await self._hub.history.match(self._user, *file.match)
            self._last = file.match, format_record(record_of(match)).encode()
        record = self._last[1]
        return (self._hub.sign(record) or "").encode() if file.is_signature else record


def _files(line: PastMatch) -> tuple[Entry, Entry]:
    """The record of a match and its signature, by names that say when it ended, what and who it was."""
    day = datetime.fromtimestamp(line.at, UTC).date()
    people = "_".join(map(_safe, line.names))
    name = f"{day}_{line.game}_{people}_{line.table}-{line.match}.json"
    match = line.table, line.match
    return Entry(name, line.at, match), Entry(f"{name}{SIGNATURE}", line.at, match, is_signature=True)


def _safe(name: str) -> str:
    """A name of letters and digits, which mean nothing to a shell or a file system."""
    return "".join(sign if sign.isalnum() else "-" for sign in name).strip("-") or "-"
