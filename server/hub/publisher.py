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


class Window(NamedTuple):
    """Which of other people's lines somebody sees of the lobby (see `Browse`)."""

    first: int = 0
    size: int = 8
    shows: str = "all"


class Eyes(NamedTuple):
    """Who looks: a user, at a table through a seat or as a spectator, in the lobby through a window."""

    user: str
    seat: Viewer = None
    window: Window = Window()


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
        self._steps: dict[tuple[int, int], _Step] = {}
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

    def has_seen(self, revision: int, last: Tree, eyes: Eyes) -> bool:  # noqa: ARG002
        """Whether nothing is new for somebody who was shown a tree at a revision."""
        return revision == self.revision

    def snapshot(self, eyes: Eyes) -> Snapshot:
        """All of it as somebody sees it."""
        return Snapshot(self.revision, self.tree(eyes))

    def step(self, last: Tree, eyes: Eyes) -> Delta:
        """From an earlier tree of this place to that of now; made once for all who saw and see the same."""
        tree = self.tree(eyes)
        key = id(last), id(tree)
        if key not in self._steps:
            delta = Delta(self.revision, fingerprint(last), diff(last, tree))
            self._steps[key] = _Step(last, tree, delta)
        return self._steps[key].delta

    def renew(self) -> None:
        """Take note that there is something new."""
        self._trees.clear()
        self._steps.clear()
        self.revision = self._count()

    def spread(self) -> None:
        """Have all subscribers look; to some of them it may look the same."""
        for subscriber in self.subscribers:
            subscriber.changed()

    def publish(self) -> None:
        """Take note that there is something new, and tell all subscribers."""
        self.renew()
        self.spread()


class _Step(NamedTuple):
    """From one tree to another; it has both, so that nothing else can be where they are."""

    last: Tree
    tree: Tree
    delta: Delta


class DeltaEncoder:
    """Remembers what one session was last sent; what comes next is the difference to that.

    A session that reads slowly is sent fewer, larger differences: what happened in between falls together.
    """

    def __init__(self) -> None:
        self._publisher: Publisher | None = None
        self._revision = -1
        self._tree: Tree = None

    def reset(self) -> None:
        """Send a snapshot next."""
        self._publisher = None

    def message(self, publisher: Publisher, eyes: Eyes) -> Snapshot | Delta | None:
        """What brings the session up to the publisher's revision; None where it is there already."""
        is_here = publisher is self._publisher
        if is_here and publisher.has_seen(self._revision, self._tree, eyes):
            return None
        message = publisher.step(self._tree, eyes) if is_here else publisher.snapshot(eyes)
        self._publisher, self._revision, self._tree = publisher, message.revision, publisher.tree(eyes)
        return message
