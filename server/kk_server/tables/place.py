"""Places that sessions go to (tables and replays), and how changes reach the sessions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import ClassVar, NamedTuple, Protocol

from kk_core.errors import KkError
from kk_core.match import Match, Replay
from kk_core.protocol.messages import Delta, Snapshot
from kk_core.record import Record, record_of
from kk_core.search.analysis import Effort, MatchAnalysis
from kk_core.text import Text, text
from kk_core.tree import diff, fingerprint
from kk_core.types import Seat, Tree, Viewer
from kk_core.views import Course, MatchView, PlaceView, encode_place


class NotPossible(KkError):
    """A request that is not possible as things stand; nothing has changed."""


class Window(NamedTuple):
    """The part of the lobby's list of other tables that a user sees (see `Browse`)."""

    first: int = 0
    size: int = 8
    shows: str = "all"


class Viewpoint(NamedTuple):
    """A viewer: at a table a user with a seat or as a spectator, in the lobby a user with a window."""

    user: str
    seat: Viewer = None
    window: Window = Window()


class Subscriber(Protocol):
    """A session that is notified of changes, and fetches them when it has time."""

    user: str

    def changed(self) -> None:
        """Note a change; must return at once."""
        ...

    def notify(self, sentence: Text, table: str | None = None) -> None:
        """Show a sentence, and the table it links to."""
        ...

    def send_away(self, reason: Text) -> None:
        """Move the user to the lobby, and say why."""
        ...

    def follow(self, table: str) -> None:
        """Follow a table to the node that serves it from now on."""
        ...


class Publisher(Protocol):
    """Anything with a tree for each viewer: the lobby or a place."""

    def tree(self, viewpoint: Viewpoint) -> Tree:
        """Return the tree of a viewer; shared, so callers must not change it."""
        ...

    def has_seen(self, revision: int, last: Tree, viewpoint: Viewpoint) -> bool:
        """Return whether nothing has changed since a tree at a revision."""
        ...

    def snapshot(self, viewpoint: Viewpoint) -> Snapshot:
        """Return everything a viewer sees."""
        ...

    def step(self, last: Tree, viewpoint: Viewpoint) -> Delta:
        """Return the difference between an earlier tree and the current one."""
        ...


class DeltaEncoder:
    """Encodes a place for one session, as differences from what was last sent.

    A session that reads slowly gets fewer, larger differences: changes in between are merged.
    """

    def __init__(self) -> None:
        self._publisher: Publisher | None = None
        self._revision = -1
        self._tree: Tree = None

    def reset(self) -> None:
        """Send a snapshot next."""
        self._publisher = None

    def message(self, publisher: Publisher, viewpoint: Viewpoint) -> Snapshot | Delta | None:
        """Return the message that brings the session up to date; None if it already is."""
        is_here = publisher is self._publisher
        # many changes are invisible to most viewers
        if is_here and publisher.has_seen(self._revision, self._tree, viewpoint):
            return None
        message = publisher.step(self._tree, viewpoint) if is_here else publisher.snapshot(viewpoint)
        self._publisher, self._revision, self._tree = publisher, message.revision, publisher.tree(viewpoint)
        return message


def colours(seats: int, match: int) -> tuple[Seat, ...]:
    """Return the colour of every seat in match `match` of a table, from 1: the number of its holder's first
    seat.

    With every match people move on by one seat, so that another player starts.
    """
    return tuple((seat + match - 1) % seats for seat in range(seats))


class _Step(NamedTuple):
    """The delta from one tree to another; holds both, so that their ids are not reused."""

    last: Tree
    tree: Tree
    delta: Delta


class Place(ABC):
    """A place with a match, or where one will begin. `id` names it in requests.

    Revisions come from one counter for the whole hub, so no number is ever used twice.
    """

    id: str
    _replay: Replay | None = None
    _analysis: MatchAnalysis | None = None
    effort: ClassVar[Effort] = Effort()
    """The effort spent on analysing a finished match."""

    def __init__(self, count: Callable[[], int]) -> None:
        self._count = count
        self._trees: dict[Hashable, Tree] = {}
        self._steps: dict[tuple[int, int], _Step] = {}
        self.subscribers: set[Subscriber] = set()
        self.revision = count()

    @abstractmethod
    def view(self, viewpoint: Viewpoint) -> PlaceView:
        """Return the place as a viewer may see it."""

    @abstractmethod
    def share_key(self, viewpoint: Viewpoint) -> Hashable:
        """Return a key that is equal for all viewers who see the same."""

    @property
    @abstractmethod
    def match(self) -> Match | None:
        """The match here."""

    @property
    @abstractmethod
    def match_number(self) -> int:
        """A number that differs for every match of this place."""

    @property
    @abstractmethod
    def is_revealed(self) -> bool:
        """True if everybody here may see all of the match."""

    @abstractmethod
    def seats_of(self, user: str) -> tuple[Seat, ...]:
        """Return the seats that a user owns now."""

    @abstractmethod
    def enter(self, subscriber: Subscriber) -> None:
        """Show the place to another subscriber. Raises `NotPossible`."""

    @abstractmethod
    async def leave(self, subscriber: Subscriber) -> None:
        """Stop showing it to a subscriber who moves elsewhere."""

    @abstractmethod
    def lose(self, subscriber: Subscriber) -> None:
        """Stop showing it to a subscriber whose connection is lost."""

    # -- publishing ------------------------------------------------------------------------------------------

    def tree(self, viewpoint: Viewpoint) -> Tree:
        """Return the tree of `view`, made once per revision and shared; callers must not change it."""
        shared = self.share_key(viewpoint)
        if shared not in self._trees:
            self._trees[shared] = encode_place(self.view(viewpoint))
        return self._trees[shared]

    def has_seen(self, revision: int, last: Tree, viewpoint: Viewpoint) -> bool:  # noqa: ARG002
        """Return whether nothing has changed since a tree at a revision."""
        return revision == self.revision

    def snapshot(self, viewpoint: Viewpoint) -> Snapshot:
        """Return everything a viewer sees."""
        return Snapshot(self.revision, self.tree(viewpoint))

    def step(self, last: Tree, viewpoint: Viewpoint) -> Delta:
        """Return the difference from an earlier tree, computed once for all who share both."""
        tree = self.tree(viewpoint)
        # trees are shared, so comparing identities is enough, and much cheaper
        key = id(last), id(tree)
        if key not in self._steps:
            delta = Delta(self.revision, fingerprint(last), diff(last, tree))
            self._steps[key] = _Step(last, tree, delta)
        return self._steps[key].delta

    def publish(self) -> None:
        """Start a new revision, and notify all subscribers."""
        self._trees.clear()
        self._steps.clear()
        self.revision = self._count()
        for subscriber in self.subscribers:
            subscriber.changed()

    # -- looking back ----------------------------------------------------------------------------------------

    def look_back(self, user: str, ply: int, eyes: Viewer) -> MatchView:
        """Return the match as it was after `ply` plies. Raises `KkError`.

        During the match, a viewer sees only what they could see at that time; afterwards, everything.
        """
        match = self._running()
        allowed = range(len(match.seats)) if self.is_revealed else self.seats_of(user)
        if eyes is not None and eyes not in allowed:
            raise NotPossible(text("This is not your seat."))
        return self._replay_of(match).view(ply, eyes)

    def course(self) -> Course:
        """Return the course of the match. Raises `NotPossible` before its end."""
        return self._replay_of(self._ended()).course()

    @property
    def analysis(self) -> MatchAnalysis | None:
        """The analysis of the match here, if there is one."""
        kept = self._analysis
        return kept if kept is not None and kept.match is self.match else None

    def begin_analysis(self) -> MatchAnalysis:
        """Begin an analysis of the match. Raises `NotPossible` before its end."""
        self._analysis = MatchAnalysis(self._replay_of(self._ended()), self.effort)
        return self._analysis

    def record(self) -> Record:
        """Return the record of the match. Raises `NotPossible` before its end."""
        return record_of(self._ended())

    def cut(self, ply: int) -> Match:
        """Return the match that ended here, cut at the ply it is continued from. Raises `KkError`."""
        then = self._replay_of(self._ended()).cut(ply)
        if then.is_over:
            raise NotPossible(text("The match is over here; go back to where a move is still possible."))
        return then

    def _running(self) -> Match:
        if self.match is None:
            raise NotPossible(text("The match has not begun."))
        return self.match

    def _ended(self) -> Match:
        match = self._running()
        if not self.is_revealed:
            raise NotPossible(self.why_secret)
        return match

    @property
    def why_secret(self) -> Text:
        """Why not everybody here may see all of the match."""
        return text("The match isn't over yet; its record stays secret until then.")

    def _replay_of(self, match: Match) -> Replay:
        # kept for the next look, since building it replays the match
        if self._replay is None or self._replay.match is not match:
            self._replay = Replay(match)
        return self._replay
