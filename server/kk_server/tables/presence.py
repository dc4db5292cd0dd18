"""Presence: who is online, here or at another node, and how long others have been away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from itertools import chain
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
        self._elsewhere: dict[str, dict[str, bool]] = {}
        """The users at every other node, and whether they are programs."""
        self._lost: dict[str, tuple[float, Collection[str]]] = {}
        """When each node that is gone was lost, and the users there."""
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
        found = [self._is_program_here(user)] if user in self._sessions else []
        found += [users[user] for users in self._elsewhere.values() if user in users]
        return bool(found) and all(found)

    def _is_program_here(self, user: str) -> bool:
        # somebody who is also here in person counts as a person
        return 0 < self._sessions[user] == self._programs[user]

    def go(self, user: str, *, is_program: bool = False) -> None:
        """Count one session fewer."""
        # not `subtract`, which would keep users with a count of 0
        self._programs -= Counter({user: is_program})
        self._sessions[user] -= 1
        if not self._sessions[user]:
            del self._sessions[user]
            self._note_left(user)

    def _note_left(self, user: str) -> None:
        if not self.has(user):
            self._left[user] = self._now()

    # -- other nodes -----------------------------------------------------------------------------------------

    def elsewhere(self) -> set[str]:
        """Return the users at other nodes."""
        return {user for users in self._elsewhere.values() for user in users}

    def here(self) -> dict[str, bool]:
        """Return the users at this node, and whether they are programs."""
        return {user: self._is_program_here(user) for user in self._sessions}

    def one_here(self, user: str) -> bool | None:
        """Return whether a user at this node is a program; None if they are not here."""
        return self._is_program_here(user) if user in self._sessions else None

    def is_elsewhere(self, user: str) -> bool:
        """Return whether a user is at another node."""
        return any(user in users for users in self._elsewhere.values())

    def nodes_of(self, user: str) -> list[str]:
        """Return the other nodes where a user is."""
        return sorted(node for node, users in self._elsewhere.items() if user in users)

    def change(self, node: str, users: Mapping[str, bool | None]) -> None:
        """Note who has come to another node, and whether they are programs; None for those who left."""
        known = self._elsewhere.setdefault(node, {})
        for user, is_program in users.items():
            if is_program is not None:
                known[user] = is_program
                self._left.pop(user, None)
            elif known.pop(user, None) is not None:
                self._note_left(user)

    def at(self, node: str) -> set[str]:
        """Return the users at another node."""
        return set(self._elsewhere.get(node, ()))

    def forget(self, node: str) -> None:
        """Note that another node is gone, with everybody there."""
        users = self._elsewhere.pop(node, {})
        for user in users:
            self._note_left(user)
        self._lost[node] = self._now(), tuple(users)

    def regain(self, node: str) -> None:
        """Note that a node which was lost has told who is there."""
        self._lost.pop(node, None)

    def lost(self, seconds: float) -> dict[str, Collection[str]]:
        """Return the nodes that were lost in the last `seconds`, each with the users who were there."""
        since = self._now() - seconds
        self._lost = {node: lost for node, lost in self._lost.items() if lost[0] > since}
        return {node: users for node, (_at, users) in self._lost.items()}

    # -- everybody -------------------------------------------------------------------------------------------

    def _everybody(self) -> Collection[str]:
        if not self._elsewhere:
            return self._sessions
        return set(chain(self._sessions, *self._elsewhere.values()))

    def __len__(self) -> int:
        return len(self._everybody())

    def has(self, user: str) -> bool:
        """Return whether a user is online."""
        return user in self._sessions or self.is_elsewhere(user)

    def find(self, name: str) -> str | None:
        """Return the online user with a name as typed: in any case, without a guest's mark."""
        if self.has(name):
            return name
        wanted = bare_name(name)
        return next((user for user in self.users() if bare_name(user) == wanted), None)

    def users(self) -> tuple[str, ...]:
        """Return everybody online, by name."""
        return tuple(sorted(self._everybody()))

    def seen(self) -> set[str]:
        """Return everybody who is online, or has been since the start."""
        return {*self._everybody(), *self._left}

    def away_since(self, user: str) -> int:
        """Return when a user left, in seconds since 1970; 0 if online, or not seen since the start."""
        return int(self._left.get(user, 0))

    def last_seen(self, user: str) -> float:
        """Return when a user was last online, in seconds since 1970; 0 if not since the start."""
        return self._now() if self.has(user) else self._left.get(user, 0.0)

    def gone_for(self, user: str) -> float:
        """Return the seconds that a user has been away, at least; 0 if they are online."""
        return 0.0 if self.has(user) else self._now() - self._left.get(user, self.since)
