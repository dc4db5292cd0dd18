"""The client's copy as values: the place, and the scene of a table, decoded once per change."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.protocol.messages import ClientMessage, LookBack, PastPosition
from kk_core.text import Text, text
from kk_core.types import Move, Tree, Viewer
from kk_core.views import (
    LobbyView,
    MatchView,
    PlaceView,
    TableView,
    decode_next,
    decode_past,
    decode_place,
)
from kk_tui.games import Face
from kk_tui.i18n import spelled
from kk_tui.scene import Scene


class PlaceStore:
    """The newest view of the place; read-only for everybody but the app.

    `fault` says why the place cannot be shown here: the game is unknown, the view cannot be read, or drawing
    the table has failed. The app then shows that sentence, and keeps running.
    """

    def __init__(self, faces: Mapping[str, Face[Any]]) -> None:
        self.faces = faces
        self.place: PlaceView | None = None
        self.scene: Scene[Any] | None = None
        self.fault: Text | None = None
        self._tree: Tree = None
        self._given_up: tuple[str, Text] | None = None  # the table here that could not be drawn, and why
        self._decoded: tuple[Tree, Any, Any] | None = None  # the printed data, as a tree and as values

    def take(self, tree: Tree) -> None:
        """Decode a new version of the copy."""
        last, before, self._tree = self._tree, self.place, tree
        self.place = self.scene = self.fault = None
        try:
            self.place = decode_place(tree) if before is None else decode_next(tree, last, before)
        except msgspec.ValidationError:
            self.fault = text("This program can't read what the server sent; a newer version can.")
        if self.table is None or (self._given_up and self._given_up[0] != self.table.id):
            self._given_up = None
        if self.table is not None:
            self._take_table(self.table)

    def _take_table(self, table: TableView) -> None:
        if self._given_up is not None:
            self.fault = self._given_up[1]
        elif self.face is None:
            self.fault = text(
                "This program can't show {game}; a newer version may.", game=_named(table, None)
            )
        elif table.match is not None:
            game = _named(table, self.face)
            try:
                self.scene = self._scene(table, table.match, self.face)
            except Exception:  # data from a newer server may be wrong in any way
                self.fault = text("This program can't read {game}; a newer version can.", game=game)

    def give_up(self, reason: Text | str) -> None:
        """Have no scene for this table, since it cannot be drawn, until the place changes."""
        if self.table is None or self.fault is not None:
            return
        game = _named(self.table, self.face)
        self.scene = None
        self.fault = text("This program can't draw {game}: {reason}", game=game, reason=reason)
        self._given_up = self.table.id, self.fault

    @property
    def lobby(self) -> LobbyView | None:
        """The lobby, if that is the place."""
        return self.place if isinstance(self.place, LobbyView) else None

    @property
    def table(self) -> TableView | None:
        """The table, if that is the place."""
        return self.place if isinstance(self.place, TableView) else None

    @property
    def face(self) -> Face[Any] | None:
        """The face of the table's game; None for a game unknown here."""
        return self.faces.get(self.table.game) if self.table else None

    def past(self, tree: Tree, viewer: Viewer) -> Scene[Any]:
        """Return the scene of an earlier position of the match here, from the answer to `LookBack`."""
        assert self.table is not None, "asked only where there is a match"
        assert self.table.match is not None, "asked only where there is a match"
        assert self.face is not None, "asked only where it is drawn"
        then = decode_past(tree, self.table.match)
        seats = tuple(replace(seat, stood_in=0) for seat in self.table.seats)
        scene = self._scene(replace(self.table, seats=seats, viewer=viewer, match=then), then, self.face)
        return dataclasses.replace(scene, is_past=True)

    def _scene(self, table: TableView, match: MatchView, face: Face[Any]) -> Scene[Any]:
        # What is printed on cards and boards stays the same object for a whole match.
        if self._decoded is None or self._decoded[0] is not match.printed:
            drawing = face.drawing and msgspec.convert(match.drawing, face.drawing)
            self._decoded = match.printed, match.observed(face.observation).printed, drawing
        _, printed, drawing = self._decoded
        observation = match.observed(face.observation, printed)
        names = tuple(spelled(seat.name) for seat in table.seats)
        # A stand-in plays until the viewer takes the seat back; until then nothing can be chosen.
        is_played_for = table.viewer is not None and table.seats[table.viewer].stand_in is not None
        legal = frozenset[Move]() if is_played_for else frozenset(observation.legal_moves)
        return Scene(table, match, observation, drawing, names, legal)


class Requester(Protocol):
    """An app or a session of lines, as far as a past position needs it."""

    @property
    def store(self) -> PlaceStore:
        """The newest view of the place."""
        ...

    async def request(self, make: Callable[[int], ClientMessage]) -> Any:
        """Send a request and return its answer. Raises `KkError`."""
        ...


async def past_scene(
    requester: Requester, match_key: tuple[str, bytes], ply: int, viewer: Viewer
) -> Scene[Any]:
    """Request the match with this key as a viewer saw it after some plies.

    Raises `KkError`, also if there is another match by then.
    """
    reply: PastPosition = await requester.request(lambda number: LookBack(number, ply, viewer))
    store = requester.store
    if store.scene is None or store.scene.match_key != match_key:
        raise KkError(text("This match is no longer here."))
    return store.past(reply.match, viewer)


def _named(table: TableView, face: Face[Any] | None) -> Text:
    """Return the game of a table in words, with the version of its rules if known."""
    name: Text | str = face.meta.name if face else table.game
    if table.match is None:
        return text("the game {game}", game=name)
    return text("the game {game} with rules {version}", game=name, version=table.match.rules_version)
