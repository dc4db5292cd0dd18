"""Presence: who is online, and how long others have been away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import time

from kk_core.views import bare_name


class Presence:
    """Counts the sessions of every user; `now` returns seconds since 1970."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self.since = now()
        """When counting began."""
        self._sessions: Counter[str] = Counter()
        self._programs: Counter[str] = Counter()
        self._left: dict[str, float] = {}

    def come(self, user: str) -> None:
        """Count one more session."""
        self._sessions[user] += 1
        self._left.pop(user, None)

    def be_program(self, user: str) -> None:
        """Count one of a user's sessions as a program's."""
        self._programs[user] += 1

    def is_program(self, user: str) -> bool:
        """Return whether all sessions of a user are programs'."""
        # somebody who is also here in person counts as a person
        return 0 < self._sessions[user] == self._programs[user]

    def go(self, user: str, *, is_program: bool = False) -> None:
        """Count one session fewer."""
        # not `subtract`, which would keep users with a count of 0
        self._programs -= Counter({user: is_program})
        self._sessions[user] -= 1
        if not self._sessions[user]:
            del self._sessions[user]
            self._left[user] = self._now()

    def __len__(self) -> int:
        return len(self._sessions)

    def has(self, user: str) -> bool:
        """Return whether a user is online."""
        return user in self._sessions

    def find(self, name: str) -> str | None:
        """Return the online user with a name as typed: in any case, without a guest's mark."""
        if self.has(name):
            return name
        wanted = bare_name(name)
        return next((user for user in self.users() if bare_name(user) == wanted), None)

    def users(self) -> tuple[str, ...]:
        """Return everybody online, by name."""
        return tuple(sorted(self._sessions))

    def seen(self) -> set[str]:
        """Return everybody who is online, or has been since the start."""
        return {*self._sessions, *self._left}

    def away_since(self, user: str) -> int:
        """Return when a user left, in seconds since 1970; 0 if online, or not seen since the start."""
        return int(self._left.get(user, 0))

    def last_seen(self, user: str) -> float:
        """Return when a user was last online, in seconds since 1970; 0 if not since the start."""
        return self._now() if self.has(user) else self._left.get(user, 0.0)

    def gone_for(self, user: str) -> float:
        """Return the seconds that a user has been away, at least; 0 if they are online."""
        return 0.0 if self.has(user) else self._now() - self._left.get(user, self.since)
