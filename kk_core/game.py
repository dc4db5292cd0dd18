"""The one protocol that all games speak: start reading here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from kk_core.chance import Chance
from kk_core.text import Text
from kk_core.types import CommonObservation, Event, Meta, Move, Options, Outcome, Seat, Sheet, Tree, Viewer

S = TypeVar("S")
O = TypeVar("O", bound=CommonObservation)  # noqa: E741 - the letter for observations, as S is for states


class Game(Protocol[S, O]):
    """A set of rules as pure functions over states, which nobody changes once they are given away.

    A state is the full truth, secrets and chance stream included, so that `apply` needs nothing else.
    Moves are atomic steps. A seat that may not act has no legal moves; when nobody is active, the match
    is over.
    """

    @property
    def meta(self) -> Meta:
        """Name, seat range and options."""
        ...

    @property
    def rules_version(self) -> str:
        """The version of the rules, which changes with every deck, map or rule."""
        ...

    @property
    def rules_data(self) -> Tree:
        """The rules in the data file as maps, lists and primitives; the same game can be made from them."""
        ...

    @property
    def printed(self) -> Any:
        """The rules data as everybody may know them: part of every observation."""
        ...

    @property
    def drawing(self) -> Any:
        """The places of things on a screen, or None; data of the game, but no part of the rules."""
        ...

    @property
    def sheet(self) -> tuple[str, ...]:
        """The lines of a score sheet by their fixed identifiers, in the order of scoring."""
        ...

    def setup(self, options: Options, seats: int, seed: bytes) -> S:
        """Return the state before the first move.

        Raises `InvalidOptions` for a number of seats, an option or a seed that the game does not know.
        """
        ...

    def active_seats(self, state: S) -> tuple[Seat, ...]:
        """Return the seats that may act: none when the match is over, several when all choose at once."""
        ...

    def legal_moves(self, state: S, seat: Seat) -> Sequence[Move]:
        """Return all moves of a seat, without repeats; empty when it may not act."""
        ...

    def apply(self, state: S, seat: Seat, move: Move) -> S:
        """Return the state after a move; the one given is left as it is.

        Raises `IllegalMove` with the reason, `InvalidMove` for what is no integer.
        """
        ...

    def why_not(self, state: S, seat: Seat, move: Move) -> Text | None:
        """Explain in a sentence why a move is not legal; None when it is. Raises `InvalidMove`."""
        ...

    def events(self, state: S) -> tuple[Event, ...]:
        """Return what rules and chance did in the step that led to this state; public to all."""
        ...

    def turn(self, state: S) -> int:
        """Return a number that changes when the turn (or the choice of all) passes on; undo stays inside."""
        ...

    def round(self, state: S) -> int:
        """Return the number of the round, from 1; public, and never lower than before."""
        ...

    def scorings(self, state: S) -> int:
        """Count the scorings before the one at the end."""
        ...

    def reveals(self, before: S, after: S, viewer: Viewer) -> bool:
        """Return whether the step showed a viewer something that they could not have worked out.

        Undo never crosses a step that showed anybody anything: neither what chance brought to the seat that
        made it, nor what others learned of that seat's secrets by seeing that it could be made.
        """
        ...

    def standing(self, state: S, viewer: Viewer) -> Sheet:
        """Return the score sheet as if everything were scored now, as far as a viewer may know."""
        ...

    def score(self, state: S) -> Sheet:
        """Return the score sheet by the full truth of the state, as if the match ended here."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """Return who has won; None while the match goes on."""
        ...

    def observe(self, state: S, viewer: Viewer) -> O:
        """Return what a viewer may know; the only way from a state to a view."""
        ...

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        """Return a move as the log shows it to a viewer; None where the choice itself is a secret."""
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

        The observation is the reader's newest one; nothing where the ply needs no word.
        """
        ...

    def determinise(self, observation: O, chance: Chance) -> S:
        """Draw a state from all those that the observation's viewer cannot tell apart, each equally likely.

        `observe` shows it to that viewer as the very same observation; nothing in it contradicts what they
        have been shown before.
        """
        ...

    def format_move(self, move: Move) -> str:
        """Return a move in the stable one-line notation of stored records. Raises `InvalidMove`."""
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
        """Return a chance or rule event of an exported record; None where the record does not list it."""
        ...


AnyGame: TypeAlias = Game[Any, Any]
"""A game with states that are opaque to the caller."""


@runtime_checkable
class Contested(Protocol):
    """A game in which several seats choose at the same moment, and each may want what the others want."""

    def with_taken(self, state: Any, seat: Seat, move: Move) -> Any:
        """Return the state in which a seat has what a legal move gives to who alone makes it."""
        ...
