"""A client written from docs/protocol.md and docs/records.md alone: it knows nothing of this program's code.

It keeps trees in step and checks every fingerprint, plays any legal move, adds to the shuffle, and works out
the seed at the end.
"""

from __future__ import annotations

import asyncio
import struct
from hashlib import blake2b, sha256
from random import Random
from typing import Any

import asyncssh
import msgpack

VERSION = 12

# positions in the lists of the document, the tag of a place being number 0
SEATS, VIEWER, MATCH, SHUFFLE = 8, 9, 10, 18
COMMITMENT, SEED, PRINTED, PLY, OBSERVATION, CONTRIBUTIONS, HOST_SEED = 3, 4, 5, 7, 9, 12, 13
ACTIVE, LEGAL, OUTCOME = 2, 3, 5


class Broken(Exception):
    """The server has not kept to the document."""


def patched(old: Any, patch: Any) -> Any:
    """What a patch makes of a tree."""
    if not isinstance(patch, dict):
        return patch
    new = bytearray(old) if isinstance(old, bytes) else list(old) if patch else old
    for key, value in patch.items():
        if key == -1:
            new += value
        elif key == -2:
            del new[value:]
        else:
            new[key] = value if isinstance(old, bytes) else patched(old[key], value)
    return bytes(new) if isinstance(old, bytes) else new


def moves(packed: bytes) -> list[int]:
    """Legal moves: runs of neighbours, each a gap and a length less one."""
    numbers, value, shift = [], 0, 0
    for byte in packed:
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    found: list[int] = []
    at = 0
    for gap, more in zip(numbers[::2], numbers[1::2], strict=True):
        at += gap
        found += range(at, at + more + 1)
        at += more + 1
    return found


class Stranger:
    """One connection."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self._number = 0
        self.tree: Any = None
        self.deltas = 0
        self.first: Any = None
        """The match as it was first seen."""

    @classmethod
    async def come(cls, port: int, name: str, key: asyncssh.SSHKey) -> Stranger:
        """Log in and say hello."""
        connection = await asyncssh.connect(
            "127.0.0.1",
            port,
            username=name,
            client_keys=[key],
            known_hosts=None,
            config=None,
            agent_path=None,
        )
        stranger = cls(await connection.create_process(subsystem="kk-sync", encoding=None))
        welcome = await stranger.ask("hello", VERSION)
        if welcome[0] != "welcome" or stranger.tree[0] != "lobby":
            raise Broken(welcome)
        return stranger

    async def ask(self, tag: str, *fields: Any) -> Any:
        """The answer to a request; whatever comes before it is taken in."""
        self._number += 1
        packed = msgpack.packb([tag, self._number, *fields])
        self._process.stdin.write(struct.pack(">I", len(packed)) + packed)
        while True:
            message = await self._next()
            if message is not None and message[1] == self._number:
                return message

    async def do(self, tag: str, *fields: Any) -> None:
        """Have something done."""
        answer = await self.ask(tag, *fields)
        if answer[0] != "done":
            raise Broken(answer)

    async def _next(self) -> Any:
        """The next message, None where it was about the place."""
        size = struct.unpack(">I", await self._process.stdout.readexactly(4))[0]
        message = msgpack.unpackb(await self._process.stdout.readexactly(size), strict_map_key=False)
        match message:
            case ["snap", _, tree]:
                self.tree = tree
            case ["delta", _, base, patch]:
                if blake2b(msgpack.packb(self.tree), digest_size=4).digest() != base:
                    raise Broken("the fingerprint")
                self.tree, self.deltas = patched(self.tree, patch), self.deltas + 1
            case ["bye", *_]:
                raise Broken(message)
            case _:
                return None if message[0] == "notice" else message
        if self.tree[0] == "table" and self.tree[MATCH] is not None and self.first is None:
            self.first = self.tree[MATCH]
        return None

    async def wait(self) -> None:
        """Take in one message."""
        await self._next()

    # -- a match ---------------------------------------------------------------------------------------------

    @property
    def match(self) -> Any:
        """The match at the table."""
        return self.tree[MATCH]

    async def play(self, dice: Random) -> None:
        """Play any legal move whenever there is one, until the match is over."""
        while self.match is None or self.match[OBSERVATION][OUTCOME] is None:
            legal = moves(self.match[OBSERVATION][LEGAL]) if self.match else []
            if not legal:
                await self._next()
                continue
            chosen = dice.choice(legal)
            answer = await self.ask("play", self.tree[VIEWER], self.match[PLY], chosen)
            if answer[0] not in ("done", "refused"):  # somebody else may have been quicker
                raise Broken(answer)

    def seed(self, own: bytes) -> bytes:
        """The seed of the match, worked out from what everybody can see by now; `own` has to be in it."""
        host, parts = self.match[HOST_SEED], self.match[CONTRIBUTIONS]
        if (
            sha256(host).digest() != self.match[COMMITMENT]
            or self.first[COMMITMENT] != self.match[COMMITMENT]
        ):
            raise Broken("the commitment")
        if parts != self.first[CONTRIBUTIONS] or own not in [drawn for _, drawn in parts]:
            raise Broken("the contributions")
        seed = sha256(host + b"".join(bytes([seat]) + drawn for seat, drawn in parts)).digest()
        if seed != self.match[SEED]:
            raise Broken("the seed")
        return seed

    async def go(self) -> None:
        """Hang up."""
        self._process.channel.get_connection().close()
        await asyncio.sleep(0)
