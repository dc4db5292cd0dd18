"""The lobby: a line for each table, the people online, and their chat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from msgspec.structs import replace

from kk_core.protocol.messages import Delta, Snapshot
from kk_core.text import Text, text
from kk_core.tree import diff, fingerprint, to_tree
from kk_core.types import Tree
from kk_core.views import ChatView, LobbyView, TableLine, decode_place, lobby_tree
from kk_server.hub.directory import Directory, TableMatch
from kk_server.hub.pacing import Batches, Throttle
from kk_server.limits import RateLimited, TokenBuckets
from kk_server.storage.summaries import Summary
from kk_server.tables.cache import TableCache
from kk_server.tables.chat import Chat
from kk_server.tables.place import Subscriber, Viewpoint, Window
from kk_server.tables.presence import Presence
from kk_server.tables.table import Table

NAMES: Final = 40
"""How many people are listed; a line on the screen has no room for more."""

_APART: Final = 0.25
"""Minimum seconds between two updates about others."""

_APART_EACH: Final = 0.005
"""Plus this per viewer, whose screen takes a millisecond or two to draw."""

_TALK_APART: Final = 0.05
_TALK_APART_EACH: Final = 0.002
"""The same for the chat."""

_SEARCHES: Final = 1.0
_SEARCHES_AT_ONCE: Final = 10
"""Searches of a user, per second and at once."""


class LobbyViewer(Subscriber, Protocol):
    """A session in the lobby; `asked_at` is the time of its last request."""

    window: Window
    asked_at: float


@dataclass(eq=False, slots=True)
class _SharedView:
    """The tree of all viewers with the same window and own tables; those `behind` are to be notified."""

    window: Window
    own: tuple[str, ...]
    own_set: frozenset[str]
    viewers: set[LobbyViewer] = field(default_factory=set)
    tree: Tree = None
    tables: frozenset[str] = frozenset()
    is_stale: bool = True
    behind: set[LobbyViewer] = field(default_factory=set)
    steps: dict[int, tuple[Tree, bytes, Tree]] = field(default_factory=dict)


class Lobby:
    """The lobby. Through the same window it looks the same to everybody, except for a user's own tables.

    Viewers are notified only of changes they see. Changes that concern a user reach them at once, chat soon,
    and everything else four times a second, or less often if there are many viewers. Whoever arrives or sends
    a request is brought up to date at once.
    """

    def __init__(
        self,
        count: Callable[[], int],
        table_cache: TableCache,
        presence: Presence,
        admins: Callable[[], tuple[str, ...]],
        away: Callable[[], Iterable[tuple[str, str]]],
    ) -> None:
        """`away` returns the users of this node who are at tables of others, each with the table."""
        self._count = count
        self._table_cache = table_cache
        self._presence = presence
        self._admins = admins
        self._away = away
        self.subscribers: set[LobbyViewer] = set()
        self.chat = Chat()
        self._directory = Directory(table_cache)
        self._shared: dict[tuple[Window, tuple[str, ...]], _SharedView] = {}
        self._shared_by: dict[LobbyViewer, _SharedView] = {}
        self._viewers_of: dict[str, set[LobbyViewer]] = {}
        self._seen_by: dict[str, set[_SharedView]] = {}
        self._lines: dict[str, TableLine] = {}
        """The lines of tables as of their last change."""
        self._line_trees: dict[tuple[str, bool], Tree] = {}
        """By table, and whether for its own people or for others."""
        self._changed: set[tuple[str, bool]] = set()
        """Keys of the trees to rebuild."""
        self._people: tuple[Tree, Tree, Tree] | None = None
        self._said: tuple[ChatView, Tree] = ChatView(), to_tree(ChatView())
        self._waiting: set[_SharedView] = set()
        self._telling = Batches(self._tell)
        self._searches = TokenBuckets(_SEARCHES, _SEARCHES_AT_ONCE)
        self._rounds = Throttle(self._begin_round, self.pause)
        self._chat_rounds = Throttle(self._begin_round, self._chat_pause)

    # -- viewers ---------------------------------------------------------------------------------------------

    def enter(self, viewer: LobbyViewer) -> None:
        """Show the lobby to a viewer, or change the window of one who is here already."""
        self.subscribers.add(viewer)
        self._viewers_of.setdefault(viewer.user, set()).add(viewer)
        self._assign_view(viewer)

    def lose(self, viewer: LobbyViewer) -> None:
        """Stop showing it to a viewer."""
        # called for every session that ends, wherever it is
        if viewer not in self.subscribers:
            return
        self.subscribers.discard(viewer)
        self._viewers_of[viewer.user].discard(viewer)
        if not self._viewers_of[viewer.user]:
            del self._viewers_of[viewer.user]
        self._telling.drop(viewer)
        self._take_out(viewer)

    def _assign_view(self, viewer: LobbyViewer) -> bool:
        shared = self._shared_of(viewer.window, viewer.user)
        if self._shared_by.get(viewer) is shared:
            return False
        self._take_out(viewer)
        self._shared_by[viewer] = shared
        shared.viewers.add(viewer)
        return True

    def _take_out(self, viewer: LobbyViewer) -> None:
        shared = self._shared_by.pop(viewer, None)
        if shared is not None:
            shared.viewers.discard(viewer)
            shared.behind.discard(viewer)
            if not shared.viewers:
                self._forget(shared)

    def _shared_of(self, window: Window, user: str) -> _SharedView:
        key = window, self._directory.of(user)
        if key not in self._shared:
            own = frozenset(key[1])
            self._shared[key] = _SharedView(*key, own)
            self._see(self._shared[key], own)
        return self._shared[key]

    def _forget(self, shared: _SharedView) -> None:
        del self._shared[shared.window, shared.own]
        self._waiting.discard(shared)
        self._see(shared, frozenset())

    def _see(self, shared: _SharedView, tables: frozenset[str]) -> None:
        # lines are kept only of tables that somebody sees
        for table in shared.tables - tables:
            self._seen_by[table].discard(shared)
            if not self._seen_by[table]:
                del self._seen_by[table]
                self._lines.pop(table, None)
                for key in ((table, True), (table, False)):
                    self._line_trees.pop(key, None)
                    self._changed.discard(key)
        for table in tables - shared.tables:
            self._seen_by.setdefault(table, set()).add(shared)
        shared.tables = tables

    # -- what is new -----------------------------------------------------------------------------------------

    def load(self) -> None:
        """List all existing tables."""
        self._directory.load()

    def say(self, user: str, words: str | Text, *, is_admin: bool = False) -> None:
        """Say something to everybody in the lobby. Raises `NotPossible`."""
        self.chat.say(user, user, words, is_admin=is_admin)
        self._all_wait()
        self._chat_rounds.want()

    def changed(self, *tables: str) -> None:
        """Note that tables were added or removed, or that their lines may have changed."""
        concerned = set[LobbyViewer]()
        for table in tables:
            concerned |= self._take_in(table)
        # users at a table see its news at once, in one go; everybody else waits for the next round
        self._telling.add(concerned, first=True)
        if self._waiting:
            self._rounds.want()

    def _take_in(self, table: str) -> set[LobbyViewer]:
        """Take in a change of a table, and return the viewers whom it concerns, or has until now."""
        seen_by = self._seen_by.get(table, ())
        # before the update: people whom it no longer concerns must see it go
        concerned = {viewer for shared in seen_by if table in shared.own_set for viewer in shared.viewers}
        is_other_list = self._directory.update(table)
        self._lines.pop(table, None)
        if seen_by:
            self._changed |= {(table, True), (table, False)}
            self._wait(seen_by)
        if is_other_list:
            self._all_wait()
        people = frozenset(self._directory.people(table))
        for user in people:
            concerned |= self._viewers_of.get(user, set())
        for viewer in concerned:
            # only if it is new to them, or theirs no longer: looking takes as long as they have tables
            is_own = table in self._shared_by[viewer].own_set
            if is_own is not (viewer.user in people) and self._assign_view(viewer):
                self._shared_by[viewer].behind.add(viewer)
        return concerned

    def lines_of(self, user: str) -> Iterator[TableLine]:
        """Yield the lines of the tables that concern a user, oldest first."""
        for table in self._directory.of(user):
            if (found := self._directory.find(table)) is not None:
                yield found.line()

    def turn_of(self, user: str, besides: str) -> TableLine | None:
        """Return a table `besides` one where it is a user's turn and none of their sessions is there.

        Of tables of other nodes, only the sessions at this one are known.
        """
        for table in self._directory.of(user):
            found = self._directory.find(table)
            if found is None or table == besides or not (line := found.line()).waits_for(user):
                continue
            subscribers = found.subscribers if isinstance(found, Table) else ()
            is_there = any(somebody.user == user for somebody in subscribers)
            if not is_there and (user, table) not in self._away():
                return line
        return None

    def tables_of(self, user: str) -> tuple[str, ...]:
        """Return the tables that concern a user, oldest first."""
        return self._directory.of(user)

    def summaries_of(self, user: str) -> Iterator[tuple[str, Summary]]:
        """Yield the tables that concern a user, oldest first, and the summary of each."""
        for table in self._directory.of(user):
            if (found := self._directory.find(table)) is not None:
                yield table, found.summary() if isinstance(found, Table) else found.summary

    def presence_changed(self, user: str) -> None:
        """Note that a user has come online, or gone."""
        self._people = None
        self._all_wait()
        self.changed(*self._directory.of(user))
        self._rounds.want()

    def _all_wait(self) -> None:
        self._wait(self._shared.values())

    def _wait(self, those: Iterable[_SharedView]) -> None:
        for shared in those:
            shared.is_stale = True
            self._waiting.add(shared)

    def pause(self) -> float:
        """Return the seconds between two updates about others."""
        return max(_APART, _APART_EACH * len(self.subscribers))

    def _chat_pause(self) -> float:
        return max(_TALK_APART, _TALK_APART_EACH * len(self.subscribers))

    def _begin_round(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for shared in waiting:
            if not shared.viewers:
                self._forget(shared)
        viewers = [viewer for shared in waiting for viewer in shared.viewers]
        # whoever sent a request last is most likely to be looking
        self._telling.add(sorted(viewers, key=lambda viewer: -viewer.asked_at))

    def _tell(self, viewer: LobbyViewer) -> None:
        shared = self._shared_by[viewer]
        self._renew(shared)
        if viewer in shared.behind:
            shared.behind.discard(viewer)
            viewer.changed()

    # -- what is seen ----------------------------------------------------------------------------------------

    def share_key(self, viewpoint: Viewpoint) -> _SharedView:
        """Return the view shared by all with the same window and the same tables of their own."""
        shared = self._shared_of(viewpoint.window, viewpoint.user)
        self._renew(shared)
        return shared

    def tree(self, viewpoint: Viewpoint) -> Tree:
        """Return the tree of a viewer; the same object until it changes. Callers must not change it."""
        return self.share_key(viewpoint).tree

    def view(self, viewpoint: Viewpoint) -> LobbyView:
        """Return the tree, decoded."""
        place = decode_place(self.tree(viewpoint))
        assert isinstance(place, LobbyView)
        return place

    def has_seen(self, revision: int, last: Tree, viewpoint: Viewpoint) -> bool:  # noqa: ARG002
        """Return whether a viewer's tree is still the same."""
        return self.tree(viewpoint) is last

    def snapshot(self, viewpoint: Viewpoint) -> Snapshot:
        """Return everything that a viewer sees."""
        # every message gets its own number, since windows change at different times
        return Snapshot(self._count(), self.tree(viewpoint))

    def step(self, last: Tree, viewpoint: Viewpoint) -> Delta:
        """Return the difference from an earlier tree, computed once for all who share both."""
        shared = self.share_key(viewpoint)
        if id(last) not in shared.steps:
            # keep the earlier tree alive, so that its id is not reused
            shared.steps[id(last)] = last, fingerprint(last), diff(last, shared.tree)
        _, base, patch = shared.steps[id(last)]
        return Delta(self._count(), base, patch)

    def _renew(self, shared: _SharedView) -> None:
        if not shared.is_stale:
            return
        shared.is_stale = False
        tables, total = self._directory.others(shared.window, shared.own)
        self._see(shared, frozenset((*shared.own, *tables)))
        users, admins, programs = self._people_here()
        tree = lobby_tree(
            own=[self._line(table, is_own=True) for table in shared.own],
            others=[self._line(table, is_own=False) for table in tables],
            first=shared.window.first, total=total, shows=shared.window.shows,
            here=len(self._presence), users=users, chat=self._chat(), admins=admins, programs=programs,
        )  # fmt: skip
        if tree != shared.tree:
            if shared.tree is not None:  # new viewers fetch it anyway
                shared.behind = set(shared.viewers)
            shared.tree = tree
            # they lead to the tree that has just been replaced
            shared.steps.clear()

    def _line(self, table: str, *, is_own: bool) -> Tree:
        """Return the tree of a line; the same object as before if it is equal."""
        key = table, is_own
        before = self._line_trees.get(key)
        if before is not None and key not in self._changed:
            return before
        self._changed.discard(key)
        line = self._lines.get(table)
        if line is None:
            found = self._directory.find(table)
            assert found is not None, "what is listed is there"
            self._lines[table] = line = found.line()
        tree = to_tree(line if is_own else _for_others(line))
        # an equal tree keeps its identity, so that `diff` can skip it
        if tree != before:
            self._line_trees[key] = tree
        return self._line_trees[key]

    def _people_here(self) -> tuple[Tree, Tree, Tree]:
        """Return the people listed, the admins, and which of those listed are programs."""
        if self._people is None:
            users = list(self._presence.users()[:NAMES])
            self._people = users, list(self._admins()), list(filter(self._presence.is_program, users))
        return self._people

    def _chat(self) -> Tree:
        """Return the tree of the chat."""
        before, (_, ring) = self._said
        now = self.chat.view()
        if now != before:
            pairs = zip(now.ring, before.ring or (None,) * len(now.ring), strict=True)
            kept = ring or [None] * len(now.ring)
            said = [
                # earlier lines keep their trees, which `diff` then skips
                old if line is was else to_tree(line)
                for (line, was), old in zip(pairs, kept, strict=True)
            ]
            self._said = now, [now.said, said]
        return self._said[1]

    # -- what is asked for -----------------------------------------------------------------------------------

    async def search(self, user: str, words: str) -> TableMatch:
        """Find a table the user may see, by its title or a person there. Raises `RateLimited`."""
        if not self._searches.take(user):
            raise RateLimited(text("You are searching too fast; please wait a moment."))
        return await self._directory.search(user, words)

    def lines(self, user: str | None) -> list[TableLine]:
        """Return the lines of all tables that a user may enter; of all tables if None."""
        return [table.line() for table in self._table_cache.all() if user is None or table.admits(user)]


def _for_others(line: TableLine) -> TableLine:
    """Return a line without what changes with every move and is only shown to its own people."""
    seats = tuple(replace(seat, stood_in=0) if seat.stood_in else seat for seat in line.seats)
    return replace(line, at=0, seats=seats)
