"""What sessions look at, and how each session's copy of it is kept in step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import NamedTuple, Protocol

from kk_core.delta import diff
from kk_core.text import Text
from kk_core.types import Tree, Viewer
from kk_core.wire.frames import fingerprint
from kk_core.wire.messages import Delta, Snapshot
from kk_core.wire.views import PlaceView, encode_place


class Eyes(NamedTuple):
    """Who looks: a user, through a seat or as a spectator."""

    user: str
    seat: Viewer = None


class Subscriber(Protocol):
    """Somebody who is told that there is something new, and comes to look when there is time."""

    user: str

    def changed(self) -> None:
        """Take note; must return at once."""
        ...

    def notify(self, sentence: Text, table: str | None = None) -> None:
        """Be told something, and which table it leads to."""
        ...

    def send_away(self, reason: Text) -> None:
        """Go to the lobby, and be told why."""
        ...


class Publisher(ABC):
    """Something with a revision and a tree for every viewer: the lobby or a table.

    Revisions come from one counter for the whole hub, so that a number never names two things.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count = count
        self._trees: dict[Hashable, Tree] = {}
        self.subscribers: set[Subscriber] = set()
        self.revision = count()

    @abstractmethod
    def view(self, eyes: Eyes) -> PlaceView:
        """What somebody may see of it."""

    @abstractmethod
    def share(self, eyes: Eyes) -> Hashable:
        """The same for all who see the same."""

    def tree(self, eyes: Eyes) -> Tree:
        """The tree of `view`, made once per revision and shared; nobody may change it."""
        shared = self.share(eyes)
        if shared not in self._trees:
            self._trees[shared] = encode_place(self.view(eyes))
        return self._trees[shared]

    def publish(self) -> None:
        """Tell all subscribers that there is something new; to some of them it may look the same."""
        self._trees.clear()
        self.revision = self._count()
        for subscriber in self.subscribers:
            subscriber.changed()


class DeltaEncoder:
    """Remembers what one session was last sent; what comes next is the difference to that.

    A session that reads slowly is sent fewer, larger differences: what happened in between falls together.
    """

    def __init__(self) -> None:
        self._publisher: Publisher | None = None
        self._tree: object = None

    def reset(self) -> None:
        """Send a snapshot next."""
        self._publisher = None

    def message(self, publisher: Publisher, eyes: Eyes) -> Snapshot | Delta:
        """What brings the session up to the publisher's revision."""
        last, tree = self._tree, publisher.tree(eyes)
        self._tree = tree
        if publisher is not self._publisher:
            self._publisher = publisher
            return Snapshot(publisher.revision, tree)
        return Delta(publisher.revision, fingerprint(last), diff(last, tree))
