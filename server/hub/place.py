"""What sessions look at: the lobby or a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from kk_core.types import Tree, Viewer
from kk_core.wire.views import PlaceView, encode_place


class Watcher(Protocol):
    """Somebody who is told that the place has changed, and comes to look when there is time."""

    def changed(self) -> None:
        """Take note; must return at once."""
        ...


class Place(ABC):
    """Something with a revision and a tree for every viewer.

    Revisions come from one counter for the whole hub, so that a number never names two things.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count = count
        self._trees: dict[Viewer, Tree] = {}
        self.watchers: set[Watcher] = set()
        self.revision = count()

    @abstractmethod
    def view(self, viewer: Viewer) -> PlaceView:
        """The place as a viewer may see it."""

    def tree(self, viewer: Viewer) -> Tree:
        """The tree of `view`, made once per revision and shared; nobody may change it."""
        if viewer not in self._trees:
            self._trees[viewer] = encode_place(self.view(viewer))
        return self._trees[viewer]

    def publish(self) -> None:
        """Tell all who watch that there is something new; to some of them it may look the same."""
        self._trees.clear()
        self.revision = self._count()
        for watcher in self.watchers:
            watcher.changed()
