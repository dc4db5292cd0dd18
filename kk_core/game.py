"""The protocol that every game implements. Start reading here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from kk_core.chance import Chance
from kk_core.text import Text
from kk_core.types import CommonObservation, Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer

S = TypeVar("S")
O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter for observations, as S is for states


class Game(Protocol[S, O]):
    """A set of rules as pure functions over immutable states.

    A state is the full truth, including secrets and the chance stream, so that `apply` needs nothing else.
    Moves are atomic steps. A seat that may not act has no legal moves; when no seat is active, the match is
    over.
    """

    @property
    def meta(self) -> Meta:
        """Name, seat range, options, and more that lists show."""
        ...

    @property
    def rules_version(self) -> str:
        """The version of the rules, which changes with every change of deck, map or rules."""
        ...

    @property
    def rules_data(self) -> Tree:
        """The rules in the data file as maps, lists and primitives; enough to restore the game."""
        ...

    @property
    def printed(self) -> Any:
        """The rules data in public form: part of every observation."""
        ...

    @property
    def drawing(self) -> Any:
        """The positions of things on a screen, or None; not part of the rules."""
        ...

    @property
    def sheet(self) -> tuple[str, ...]:
        """The fixed identifiers of the score sheet's lines, in scoring order."""
        ...

    def setup(self, options: Options, seats: int, seed: bytes) -> S:
        """Return the state before the first move.

        Raises `InvalidOptions` for a number of seats, an option or a seed that the game does not know.
        """
        ...

    def active_seats(self, state: S) -> tuple[Seat, ...]:
        """Return the seats that may act: none when the match is over, several in a simultaneous choice."""
        ...

    def legal_moves(self, state: S, seat: Seat) -> Sequence[Move]:
        """Return a seat's legal moves, without repeats; empty if it may not act."""
        ...

    def apply(self, state: S, seat: Seat, move: Move) -> S:
        """Return the state after a move; `state` is not changed.

        Raises `IllegalMove` with the sentence of `why_not`, `InvalidMove` for anything but an integer.
        """
        ...

    def why_not(self, state: S, seat: Seat, move: Move) -> Text | None:
        """Explain in a sentence why a move is not legal, even if no move has its number; None if it is legal.

        Raises `InvalidMove` for anything but an integer.
        """
        ...

    def events(self, state: S) -> tuple[Event, ...]:
        """Return what rules and chance did in the step that led to this state; public."""
        ...

    def turn(self, state: S) -> int:
        """Return a number that changes with every turn or simultaneous choice; undo never crosses one."""
        ...

    def round(self, state: S) -> int:
        """Return the number of the round, from 1; public, and never decreasing."""
        ...

    def scorings(self, state: S) -> int:
        """Return the number of scorings so far, without the final one."""
        ...

    def reveals(self, before: S, after: S, viewer: Viewer) -> bool:
        """Return whether the step showed a viewer something that they could not have worked out.

        Undo never crosses such a step, whether it showed the mover what chance brought, or others something
        about the mover's secrets, by the fact that the move was possible.
        """
        ...

    def standing(self, state: S, viewer: Viewer) -> Sheet:
        """Return the score sheet as if everything were scored now, as far as a viewer may know it."""
        ...

    def score(self, state: S) -> Sheet:
        """Return the score sheet from the full state, as if the match ended here."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """Return who has won; None until the match is over."""
        ...

    def observe(self, state: S, viewer: Viewer) -> O:
        """Return what a viewer may know; the only way from a state to a view."""
        ...

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Return a move as the log shows it to a viewer; None if the choice itself is secret."""
        ...

    def describe(
        self,
        observation: O,
        names: Sequence[str],
        seat: Seat,
        move: Move | None,
        events: Sequence[Event],
    ) -> Sequence[Text]:
        """Describe a ply for the log: the move, which is None while it is secret, then its events.

        The observation is the reader's latest one. Empty if the ply needs no line.
        """
        ...

    def determinise(self, observation: O, chance: Chance) -> S:
        """Draw a state from all those that the observation's viewer cannot tell apart, each equally likely.

        Observing it as that viewer gives an equal observation, and nothing in it contradicts what they have
        been shown before.
        """
        ...

    def format_move(self, move: Move) -> str:
        """Return a move in the stable one-line notation of stored records.

        Raises `InvalidMove` for anything but the number of a move.
        """
        ...

    def parse_move(self, line: str) -> Move:
        """Parse a move that `format_move` wrote. Raises `InvalidMove`."""
        ...

    def export_setup(self, state: S) -> dict[str, Any]:
        """Return the `setup` of an exported record, from the state before the first move."""
        ...

    def export_move(self, before: S, seat: Seat, move: Move, after: S) -> dict[str, Any]:
        """Return the `move` of an exported record."""
        ...

    def export_event(self, after: S, event: Event) -> dict[str, Any] | None:
        """Return a chance or rule event of an exported record; None if records do not list it."""
        ...


AnyGame: TypeAlias = Game[Any, Any]
"""A game whose states are opaque to the caller."""


@runtime_checkable
class Foreseeable(Protocol):
    """A game in which a move that shows its player something also has effects that are known beforehand."""

    def foreseen(self, before: Any, after: Any) -> Any:
        """Return the state after a move, without what the move has shown."""
        ...


@runtime_checkable
class Contested(Protocol):
    """A game with simultaneous choices in which several seats may want the same thing."""

    def with_taken(self, state: Any, seat: Seat, move: Move) -> Any:
        """Return the state as if only this seat had made the move, which is legal."""
        ...
