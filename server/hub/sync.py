"""Keeping one session's copy of a place in step."""

from __future__ import annotations

from kk_core.delta import diff
from kk_core.types import Viewer
from kk_core.wire.frames import fingerprint
from kk_core.wire.messages import Delta, Snapshot
from server.hub.place import Place


class Sync:
    """Remembers what was last sent; what comes next is the difference to that.

    A session that reads slowly is sent fewer, larger differences: what happened in between falls together.
    """

    def __init__(self) -> None:
        self._place: Place | None = None
        self._tree: object = None

    def forget(self) -> None:
        """Send a snapshot next."""
        self._place = None

    def message(self, place: Place, viewer: Viewer) -> Snapshot | Delta:
        """What brings the session up to the revision of its place."""
        last, tree = self._tree, place.tree(viewer)
        self._tree = tree
        if place is not self._place:
            self._place = place
            return Snapshot(place.revision, tree)
        return Delta(place.revision, fingerprint(last), diff(last, tree))
