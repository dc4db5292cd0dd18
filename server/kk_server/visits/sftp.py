"""Read-only SFTP, version 3 (draft-ietf-secsh-filexfer-02), which every client supports.

It accesses no files on the machine; requests to write, link or look elsewhere are refused.
"""

from __future__ import annotations

import asyncio
import re
import stat
import time
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final, NamedTuple, TypeVar

from asyncssh import SFTPAttrs
from asyncssh.packet import Byte, PacketDecodeError, SSHPacket, String, UInt32

from kk_core.errors import KkError
from kk_core.protocol.frames import FrameReader, frame
from kk_core.protocol.stream import Writer
from kk_core.record import format_record, record_of
from kk_core.text import Text
from kk_core.tree import BadFrame
from kk_core.views import PastMatch
from kk_server.hub.hub import Hub
from kk_server.limits import ServerLimits, TokenBucket
from kk_server.storage.files import SIGNATURE
from kk_server.tables.place import NotPossible
from kk_server.visits.programs import SentAway

RECORDS: Final = "records"
"""The only folder in the root."""

_FILE: Final = re.compile(
    r"(?:.*_)?(?P<table>[0-9a-f]{1,16})-(?P<match>[1-9][0-9]{0,5})\.json"
    rf"(?P<signature>{re.escape(SIGNATURE)})?"
)


class DirectoryEntry(NamedTuple):
    """A folder or a file; `at` is when its match ended, or for a folder now, in seconds since 1970."""

    name: str
    at: int = 0
    match: tuple[str, int] | None = None
    """The table of a file, and the number of the match there."""
    is_signature: bool = False

    @property
    def is_folder(self) -> bool:
        """True for a folder."""
        return self.match is None


class OwnRecords:
    """The records of the matches that a user has played, each with its signature beside it."""

    def __init__(self, hub: Hub, user: str) -> None:
        self._hub = hub
        self._user = user
        self._last: tuple[tuple[str, int], bytes] | None = None

    async def inside(self, path: PurePosixPath) -> list[DirectoryEntry] | None:
        """Return the entries of a folder; None if it does not exist. Raises `KkError`."""
        if path == PurePosixPath("/"):
            return [DirectoryEntry(RECORDS, int(time.time()))]
        if path != PurePosixPath("/", RECORDS):
            return None
        lines, _ = await self._hub.history.lines(self._user)
        return [entry for line in lines for entry in _files(line)]

    async def entry(self, path: PurePosixPath) -> DirectoryEntry | None:
        """Return the entry at a path; for a file, ID.json is enough. Raises `KkError`."""
        if path in (PurePosixPath("/"), PurePosixPath("/", RECORDS)):
            return DirectoryEntry(path.name or "/", int(time.time()))
        found = _FILE.fullmatch(path.name)
        if found is None or path.parent != PurePosixPath("/", RECORDS):
            return None
        match, is_signature = (found["table"], int(found["match"])), found["signature"] is not None
        try:
            return _files(await self._hub.history.line(self._user, *match))[is_signature]
        except NotPossible:
            return None

    async def content(self, file: DirectoryEntry) -> bytes:
        """Return the content of a file. Raises `KkError`."""
        assert file.match is not None, "folders have none"
        if self._last is None or self._last[0] != file.match:
            match, _ = await self._hub.history.match(self._user, *file.match)
            # clients ask for the size, the record and its signature in turn
            self._last = file.match, format_record(record_of(match)).encode()
        record = self._last[1]
        return (self._hub.sign(record) or "").encode() if file.is_signature else record


def _files(line: PastMatch) -> tuple[DirectoryEntry, DirectoryEntry]:
    """Return the record of a match and its signature, named after day, game and people."""
    day = datetime.fromtimestamp(line.at, UTC).date()
    people = "_".join(map(_safe, line.names))
    name = f"{day}_{line.game}_{people}_{line.table}-{line.match}.json"
    match = line.table, line.match
    return DirectoryEntry(name, line.at, match), DirectoryEntry(
        f"{name}{SIGNATURE}", line.at, match, is_signature=True
    )


def _safe(name: str) -> str:
    # letters and digits have no special meaning to shells or file systems
    return "".join(sign if sign.isalnum() else "-" for sign in name).strip("-") or "-"


OPEN_AT_ONCE: Final = 32
"""Maximum number of files and folders that one session may have open."""

_VERSION: Final = 3
_INIT, _OPEN, _CLOSE, _READ, _LSTAT, _FSTAT = 1, 3, 4, 5, 7, 8
_OPENDIR, _READDIR, _REALPATH, _STAT = 11, 12, 16, 17
_CHANGES: Final = (6, 9, 10, 13, 14, 15, 18, 20)
"""Requests that would change something: write, set attributes, remove, make, rename, link."""
_VERSION_IS, _STATUS, _HANDLE, _DATA, _NAME, _ATTRS = 2, 101, 102, 103, 104, 105
_OK, _EOF, _NO_SUCH_FILE, _DENIED, _FAILURE, _BAD_MESSAGE, _UNSUPPORTED = 0, 1, 2, 3, 4, 5, 8

_READ_ONLY: Final = 1
"""The only flag allowed for opening a file."""

_LONGEST: Final = 16 * 1024
"""Maximum bytes of a request, mostly its path."""
_CHUNK: Final = 32 * 1024
_NAMES_AT_ONCE: Final = 50  # entries of a folder that fit into one answer

T = TypeVar("T")


class _Fault(Exception):
    """A request that is answered with an error status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class SftpSession:
    """One client, whose requests are answered one by one."""

    def __init__(
        self, records: OwnRecords, reader: asyncio.StreamReader, writer: Writer, limits: ServerLimits
    ) -> None:
        self._records = records
        self._reader = reader
        self._writer = writer
        self._rate = TokenBucket(limits.requests_per_second, limits.requests_at_once)
        self._frames = FrameReader(_LONGEST)
        self._requests: deque[bytes] = deque()
        self._opened = 0
        self._files: dict[bytes, tuple[DirectoryEntry, bytes]] = {}
        self._folders: dict[bytes, list[DirectoryEntry]] = {}
        self._answers: dict[int, Callable[[SSHPacket], Awaitable[bytes]]] = {
            _OPEN: self._open, _CLOSE: self._close, _READ: self._read, _LSTAT: self._stat, _STAT: self._stat,
            _FSTAT: self._fstat, _OPENDIR: self._opendir, _READDIR: self._readdir, _REALPATH: self._realpath,
        }  # fmt: skip

    async def run(self) -> None:
        """Serve until the client leaves. Raises `KkError`, also for guests."""
        # fails for guests before anything is answered
        await self._records.inside(PurePosixPath("/records"))
        while (request := await self._request()) is not None:
            reply = await self._reply(SSHPacket(request))
            if reply is None:
                return
            await self._writer.drain()
            self._writer.write(frame(reply))
            await asyncio.sleep(self._rate.wait_for(1))

    def end(self, reason: Text) -> None:
        """Answer nothing more, and tell the client the reason."""
        self._requests.clear()
        self._reader.set_exception(SentAway(reason))

    async def _request(self) -> bytes | None:
        """Return the next request; None at the end."""
        while not self._requests:
            data = await self._reader.read(_LONGEST)
            if not data:
                return None
            try:
                self._requests.extend(self._frames.feed(data))
            # not SFTP, and there is no way to answer it
            except BadFrame:
                return None
        return self._requests.popleft()

    # -- requests --------------------------------------------------------------------------------------------

    async def _reply(self, packet: SSHPacket) -> bytes | None:
        """Return the answer to a request; None if it is invalid."""
        try:
            kind, number = packet.get_byte(), packet.get_uint32()
        except PacketDecodeError:
            return None
        if kind == _INIT:
            return Byte(_VERSION_IS) + UInt32(_VERSION)
        try:
            answer = self._answers.get(kind)
            if answer is None:
                raise _refused(kind)
            reply = await answer(packet)
        except _Fault as fault:
            reply = _status(fault.status, str(fault))
        except KkError as error:
            reply = _status(_FAILURE, str(error))
        except PacketDecodeError:
            reply = _status(_BAD_MESSAGE, "Not an SFTP version 3 request.")
        # every answer carries its request's number after its first byte
        return reply[:1] + UInt32(number) + reply[1:]

    async def _realpath(self, packet: SSHPacket) -> bytes:
        # even if it does not exist: clients ask for "." first, and append what was typed
        path = str(_path(packet)).encode()
        return Byte(_NAME) + UInt32(1) + String(path) + String(path) + SFTPAttrs().encode(_VERSION)

    async def _stat(self, packet: SSHPacket) -> bytes:
        entry = await self._entry(_path(packet))
        # the true size, although that requires building the file: clients fetch exactly that many bytes
        size = None if entry.is_folder else len(await self._content(entry))
        return Byte(_ATTRS) + _attributes(entry, size)

    async def _fstat(self, packet: SSHPacket) -> bytes:
        entry, content = self._file(packet)
        return Byte(_ATTRS) + _attributes(entry, len(content))

    async def _open(self, packet: SSHPacket) -> bytes:
        path = _path(packet)
        if packet.get_uint32() != _READ_ONLY:
            raise _Fault(_DENIED, "Files here are read-only.")
        entry = await self._entry(path)
        if entry.is_folder:
            raise _Fault(_FAILURE, f"{path} is a folder.")
        return self._hold(self._files, (entry, await self._content(entry)))

    async def _opendir(self, packet: SSHPacket) -> bytes:
        path = _path(packet)
        inside = await self._records.inside(path)
        if inside is None:
            raise _Fault(_NO_SUCH_FILE, f"No such folder: {path}.")
        return self._hold(self._folders, inside)

    async def _readdir(self, packet: SSHPacket) -> bytes:
        rest = self._folders.get(handle := packet.get_string())
        if rest is None:
            raise _Fault(_FAILURE, "This folder is not open.")
        if not rest:
            raise _Fault(_EOF, "")
        now, self._folders[handle] = rest[:_NAMES_AT_ONCE], rest[_NAMES_AT_ONCE:]
        return Byte(_NAME) + UInt32(len(now)) + b"".join(map(_listed, now))

    async def _read(self, packet: SSHPacket) -> bytes:
        _, content = self._file(packet)
        begin, length = packet.get_uint64(), packet.get_uint32()
        data = content[begin : begin + min(length, _CHUNK)]
        if not data:
            raise _Fault(_EOF, "")
        return Byte(_DATA) + String(data)

    async def _close(self, packet: SSHPacket) -> bytes:
        handle = packet.get_string()
        if self._files.pop(handle, None) is None and self._folders.pop(handle, None) is None:
            raise _Fault(_FAILURE, "This is not open.")
        return _status(_OK, "")

    # -- what they are about ---------------------------------------------------------------------------------

    async def _entry(self, path: PurePosixPath) -> DirectoryEntry:
        entry = await self._records.entry(path)
        if entry is None:
            raise _Fault(_NO_SUCH_FILE, f"No such file: {path}.")
        return entry

    async def _content(self, entry: DirectoryEntry) -> bytes:
        # building a record replays its match: pause as long as that took, for the sake of others
        began = time.monotonic()
        content = await self._records.content(entry)
        await asyncio.sleep(time.monotonic() - began)
        return content

    def _file(self, packet: SSHPacket) -> tuple[DirectoryEntry, bytes]:
        handle = packet.get_string()
        if handle not in self._files:
            raise _Fault(_FAILURE, "This file is not open.")
        return self._files[handle]

    def _hold(self, held: dict[bytes, T], value: T) -> bytes:
        if len(self._files) + len(self._folders) >= OPEN_AT_ONCE:
            raise _Fault(_FAILURE, "Too many files are open.")
        self._opened += 1
        handle = str(self._opened).encode()
        held[handle] = value
        return Byte(_HANDLE) + String(handle)


def _path(packet: SSHPacket) -> PurePosixPath:
    # relative to the root, however many `..` it has
    path = normpath("/" + packet.get_string().decode("utf-8", "replace"))
    return PurePosixPath("/", path.lstrip("/"))


def _attributes(entry: DirectoryEntry, size: int | None) -> bytes:
    mode = stat.S_IFDIR | 0o555 if entry.is_folder else stat.S_IFREG | 0o444
    attributes = SFTPAttrs(size=size, permissions=mode, atime=entry.at, mtime=entry.at)
    encoded: bytes = attributes.encode(_VERSION)
    return encoded


def _listed(entry: DirectoryEntry) -> bytes:
    # the size would require the record, so it is only given when the file itself is requested
    kind = "dr-xr-xr-x" if entry.is_folder else "-r--r--r--"
    day = time.strftime("%b %d  %Y", time.gmtime(entry.at))
    line = f"{kind}    1 you      kk              ? {day} {entry.name}"
    return String(entry.name.encode()) + String(line.encode()) + _attributes(entry, None)


def _refused(kind: int) -> _Fault:
    if kind in _CHANGES:
        return _Fault(_DENIED, "Files here are read-only.")
    return _Fault(_UNSUPPORTED, "Files here can only be listed and read.")


def _status(status: int, words: str) -> bytes:
    return Byte(_STATUS) + UInt32(status) + String(words.encode()) + String(b"en")
