"""Addresses people came from, kept for a few days so that somebody who has left can still be banned."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from kk_core.views import GUEST_MARK
from kk_server.accounts.guests import network_of
from kk_server.accounts.names import skeleton
from kk_server.log import get_logger
from kk_server.storage.files import atomic_write

ADDRESSES: Final = "addresses.jsonl"
"""The name of the file in a data folder: one JSON object per line."""

_EACH: Final = 10
"""Addresses remembered per name; the latest are kept."""

_MOST: Final = 20_000
"""Addresses remembered in total, so that thousands of made-up names do not fill the disk."""

_logger = get_logger()


class SeenAddress(msgspec.Struct, frozen=True):
    """A user, an address, and the last day (UTC) on which they came from there."""

    user: str
    address: str
    day: date


def _today() -> date:
    return datetime.now(UTC).date()


class Addresses:
    """The addresses remembered for `days` days; if 0, none are."""

    def __init__(self, path: Path, days: int, today: Callable[[], date] = _today) -> None:
        self.seen: Callable[[str, str], None] | None = None
        """Called with each user and address recorded here for the first time on a day."""
        self._path = path
        self.today = today
        self.days = days
        self._seen: dict[tuple[str, str], SeenAddress] = {}
        """By the name's skeleton and the address, the latest last."""
        self._lines = 0
        for seen in self._read():
            self._take(seen)
        self.forget()

    def see(self, user: str, address: str) -> None:
        """Record that a user has come from an address."""
        if self.note(user, address) and self.seen is not None:
            self.seen(user, address)

    def note(self, user: str, address: str) -> bool:
        """Record that a user has come from an address, here or at another node; False if it is known."""
        seen = SeenAddress(user, address, self.today())
        # most visits of a day change nothing, and write nothing
        if self.days == 0 or self._seen.get(_key(user, address)) == seen:
            return False
        self._take(seen)
        self._forget_more_than_fits(skeleton(user.removeprefix(GUEST_MARK)))
        self._append(seen)
        return True

    def of(self, name: str) -> tuple[SeenAddress, ...]:
        """Return the addresses of a user, latest first; a guest's mark may be left out."""
        wanted = skeleton(name.removeprefix(GUEST_MARK))
        found = [seen for (who, _), seen in self._seen.items() if who == wanted and self._counts(seen)]
        return tuple(reversed(found))

    def users(self) -> set[str]:
        """Return everybody whose address is remembered."""
        return {seen.user for seen in self._seen.values() if self._counts(seen)}

    def at(self, address: str) -> frozenset[str]:
        """Return the users that came from an address, or for IPv6 from its network."""
        network = network_of(address)
        return frozenset(
            seen.user
            for seen in self._seen.values()
            if network_of(seen.address) == network and self._counts(seen)
        )

    def forget(self) -> None:
        """Forget everything older than `days`, in the file too."""
        kept = {key: seen for key, seen in self._seen.items() if self._counts(seen)}
        # the file has a line for every new visit: rewrite it only if that removes some
        if len(kept) == self._lines:
            return
        self._seen = kept
        try:
            atomic_write(self._path, b"".join(map(_line, kept.values())), mode=0o600)
        except OSError as error:
            _not_written(self._path, error)
        else:
            self._lines = len(kept)

    def _counts(self, seen: SeenAddress) -> bool:
        return seen.day > self.today() - timedelta(days=self.days)

    def _take(self, seen: SeenAddress) -> None:
        key = _key(seen.user, seen.address)
        self._seen.pop(key, None)
        self._seen[key] = seen

    def _forget_more_than_fits(self, who: str) -> None:
        own = [key for key in self._seen if key[0] == who]
        for key in own[:-_EACH]:
            del self._seen[key]
        while len(self._seen) > _MOST:
            del self._seen[next(iter(self._seen))]

    # -- the file --------------------------------------------------------------------------------------------

    def _read(self) -> Iterator[SeenAddress]:
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            _logger.warning("addresses not read", file=str(self._path), reason=error.strerror or str(error))
            return
        self._lines = len(lines)
        for line in lines:
            try:
                yield msgspec.json.decode(line, type=SeenAddress)
            # the last line may be incomplete after a crash
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue

    def _append(self, seen: SeenAddress) -> None:
        # compact the file from time to time, since replaced lines stay in it
        if self._lines >= 2 * _MOST:
            self.forget()
        try:
            with open(self._path, "ab", opener=_private) as file:
                file.write(_line(seen))
        except OSError as error:
            _not_written(self._path, error)
        else:
            self._lines += 1


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _line(seen: SeenAddress) -> bytes:
    return msgspec.json.encode(seen) + b"\n"


def _key(user: str, address: str) -> tuple[str, str]:
    return skeleton(user.removeprefix(GUEST_MARK)), address


def _not_written(path: Path, error: OSError) -> None:
    _logger.warning("addresses not kept", file=str(path), reason=error.strerror or str(error))
