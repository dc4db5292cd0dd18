"""What the client's copy means: the place, and the scene of a table, decoded once per change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kk_core.types import Tree
from kk_core.wire.views import LobbyView, PlaceView, TableView, decode_place
from kk_tui.games import Face
from kk_tui.scene import Scene


class Store:
    """The newest view of the place; read-only for everybody but the app."""

    def __init__(self, faces: Mapping[str, Face[Any]]) -> None:
        self.faces = faces
        self.place: PlaceView | None = None
        self.scene: Scene[Any] | None = None
        self._decoded: tuple[Tree, Any, Any] | None = None  # what is printed: as a tree, and as values

    def take(self, tree: Tree) -> None:
        """Decode a new version. Raises `msgspec.ValidationError` when it has another shape."""
        place = decode_place(tree)
        self.scene = self._scene(place) if isinstance(place, TableView) else None
        self.place = place

    @property
    def lobby(self) -> LobbyView | None:
        """The lobby, when that is the place."""
        return self.place if isinstance(self.place, LobbyView) else None

    @property
    def table(self) -> TableView | None:
        """The table, when that is the place."""
        return self.place if isinstance(self.place, TableView) else None

    @property
    def face(self) -> Face[Any] | None:
        """The face of the table's game; None for a game that this screen does not know."""
        return self.faces.get(self.table.game) if self.table else None

    def _scene(self, table: TableView) -> Scene[Any] | None:
        face = self.faces.get(table.game)
        if table.match is None or face is None:
            return None
        match = table.match
        if self._decoded is None or self._decoded[0] is not match.printed:
            drawing = face.drawing and msgspec.convert(match.drawing, face.drawing)
            self._decoded = match.printed, match.observed(face.observation).printed, drawing
        _, printed, drawing = self._decoded
        observation = match.observed(face.observation, printed)
        names = tuple(seat.name for seat in table.seats)
        return Scene(table, match, observation, drawing, names, frozenset(observation.legal_moves))
