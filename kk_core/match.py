"""A match: its state and log, undo, the views of it, and replaying it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import count, pairwise
from typing import Any, NamedTuple

from msgspec.structs import replace

from kk_core.chance import Contribution, commitment, mix_seed
from kk_core.errors import IllegalMove, KkError, UndoRefused
from kk_core.game import AnyGame, Contested, Foreseeable
from kk_core.text import Text, text
from kk_core.tree import to_tree
from kk_core.types import CommonObservation, Ends, Event, Move, Options, Seat, SeenMove, Sheet, Viewer, totals
from kk_core.views import LOG_SLOTS, Course, LogEntry, MatchView


class Ply(NamedTuple):
    """A move and the seat that made it."""

    seat: Seat
    move: Move


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of seats with repeated ones numbered: "bot:easy", "bot:easy 2"."""
    apart: list[str] = []
    for name in names:
        numbered = (name if number == 1 else f"{name} {number}" for number in count(1))
        apart.append(next(candidate for candidate in numbered if candidate not in apart))
    return tuple(apart)


class Match:
    """A match in progress. Only the states of the current turn are kept, for undo."""

    def __init__(
        self,
        game: AnyGame,
        options: Options,
        seats: tuple[str, ...],
        host_seed: bytes,
        contributions: Sequence[Contribution] = (),
        *,
        drawing: Any = None,
    ) -> None:
        """Begin a match; `drawing` replaces the game's current drawing."""
        self.game = game
        self.drawing = game.drawing if drawing is None else drawing
        self.options = game.meta.default_options() | dict(options)
        self.seats = seats
        self.host_seed = host_seed
        self.contributions = tuple(contributions)
        self.seed = mix_seed(host_seed, contributions)
        self.commitment = commitment(host_seed)
        self.plies: list[Ply] = []
        self.turns: list[int] = []  # in which turn of the game each ply was made
        self.replayed = 0
        """The number of first plies that come from another match instead of being played here."""
        self.state = game.setup(options, len(seats), self.seed)
        self._events: list[tuple[Event, ...]] = []
        # converted once: every view of the match shares these two, and deltas skip them by identity
        self._printed, self._drawing = to_tree(game.printed), to_tree(self.drawing)
        # the states before each ply of the current turn, oldest first: `_closed` before plies that can no
        # longer be taken back, except by a stored undo, `_undoable` before those that can
        self._closed: list[object] = []
        self._undoable: list[object] = []

    def fresh(self) -> Match:
        """Return a copy of the match before its first move."""
        return Match(
            self.game, self.options, self.seats, self.host_seed, self.contributions, drawing=self.drawing
        )

    @property
    def is_over(self) -> bool:
        """True once no seat can act any longer."""
        return not self.game.active_seats(self.state)

    @property
    def turn_start(self) -> int:
        """The number of plies before the current turn or simultaneous choice."""
        turn, start = self.game.turn(self.state), len(self.turns)
        while start and self.turns[start - 1] == turn:
            start -= 1
        return start

    def check_move(self, seat: Seat, move: Move) -> None:
        """Refuse a move that `play` would refuse, without making it. Raises `IllegalMove`, `InvalidMove`."""
        reason = self.game.why_not(self.state, seat, move)
        if reason is not None:
            raise IllegalMove(reason)

    def play(self, seat: Seat, move: Move) -> None:
        """Make a move. Raises `IllegalMove`; then nothing has changed."""
        before = self.state
        after = self.game.apply(before, seat, move)
        self._undoable.append(before)
        if self.game.turn(before) != self.game.turn(after):
            self._forget_turn()
        elif self._closes_undo(before, after):
            self._closed += self._undoable
            self._undoable.clear()
        self.state = after
        self.plies.append(Ply(seat, move))
        self.turns.append(self.game.turn(before))
        self._events.append(self.game.events(after))

    def _closes_undo(self, before: object, after: object) -> bool:
        # A step inside a turn can be taken back unless it showed somebody something; the match's last step
        # shows everybody the seed.
        viewers: tuple[Viewer, ...] = (*range(len(self.seats)), None)
        is_shown = any(self.game.reveals(before, after, viewer) for viewer in viewers)
        return is_shown or not self.game.active_seats(after)

    def _forget_turn(self) -> None:
        self._closed.clear()
        self._undoable.clear()

    def preview(self, seat: Seat, move: Move) -> Sheet | None:
        """Return the sheet that a seat would see after a move, without making it.

        In a simultaneous choice, it is the sheet if nobody else makes the same choice. What the move would
        show the seat is not in it, since a preview must not leak anything; None if the game cannot leave it
        out.
        Raises `IllegalMove`, `InvalidMove`.
        """
        self.check_move(seat, move)
        if isinstance(self.game, Contested):
            return self.game.standing(self.game.with_taken(self.state, seat, move), seat)
        after = self.game.apply(self.state, seat, move)
        if not self.game.active_seats(after):
            return None
        if self.game.reveals(self.state, after, seat):
            if not isinstance(self.game, Foreseeable):
                return None
            after = self.game.foreseen(self.state, after)
        return self.game.standing(after, seat)

    def wanted(self, seat: Seat, move: Move) -> tuple[int, ...]:
        """Return each seat's gain if it alone made this choice; empty if seats choose in turn.

        Raises `IllegalMove`, `InvalidMove`.
        """
        self.check_move(seat, move)
        game, state = self.game, self.state
        if not isinstance(game, Contested):
            return ()
        now = totals(game.standing(state, seat))
        then = [totals(game.standing(game.with_taken(state, each, move), seat)) for each in range(len(now))]
        return tuple(then[each][each] - now[each] for each in range(len(now)))

    def ends(self, seat: Seat, move: Move) -> Ends:
        """Return what a move would end for good, without making it.

        Raises `IllegalMove`, `InvalidMove`.
        """
        self.check_move(seat, move)
        game, before = self.game, self.state
        after = game.apply(before, seat, move)
        if game.turn(before) != game.turn(after) or not game.active_seats(after):
            return "turn"  # in a simultaneous choice, nobody learns beforehand that it is the last
        if self._closes_undo(before, after):
            return "secret"
        return "choice" if len(game.active_seats(before)) > 1 else "nothing"

    def shows(self, seat: Seat, move: Move) -> bool:
        """Return whether a move would show its own player something new, without making it.

        In a simultaneous choice it does not: nobody learns beforehand that theirs is the last.
        Raises `IllegalMove`, `InvalidMove`.
        """
        self.check_move(seat, move)
        if isinstance(self.game, Contested):
            return False
        return self.game.reveals(self.state, self.game.apply(self.state, seat, move), seat)

    def check_fresh(self, seat: Seat, ply: int) -> None:
        """Refuse a move that was chosen before the seat's own last move or the current turn.

        `ply` is the number of plies that the sender had seen. Raises `IllegalMove`.
        """
        missed = self.plies[ply:]
        # others' moves in the same simultaneous choice do not matter
        same_turn = len(missed) <= len(self._undoable)
        if ply > len(self.plies) or any(past.seat == seat for past in missed) or not same_turn:
            raise IllegalMove(text("The match has moved on since you chose; please look again."))

    def before_choice(self, seat: Seat) -> Any:
        """Return the state at the start of a seat's current choice.

        It is the current state, unless others have already made theirs in the same simultaneous choice.
        """
        turn = [*self._closed, *self._undoable]
        for state, since in zip(turn, range(len(self.plies) - len(turn), len(self.plies)), strict=True):
            active = self.game.active_seats(state)
            if len(active) > 1 and seat in active and all(ply.seat != seat for ply in self.plies[since:]):
                return state
        return self.state

    def may_undo(self, seat: Seat) -> bool:
        """Return whether a seat could choose something else after `undo`, at once or by another one."""
        open_plies = self.plies[len(self.plies) - len(self._undoable) :]
        return any(
            ply.seat == seat and len(self.game.legal_moves(state, seat)) > 1
            for ply, state in zip(open_plies, self._undoable, strict=True)
        )

    def is_forced(self, seat: Seat) -> bool:
        """Return whether a seat has a single move, so that to take only the last one back changes nothing."""
        return len(self.game.legal_moves(self.state, seat)) == 1

    def check_undo(self, seat: Seat) -> None:
        """Refuse an undo that would not work. Raises `UndoRefused`."""
        if self.may_undo(seat):
            return
        here = zip(self.plies[self.replayed :], self.turns[self.replayed :], strict=True)
        own = {turn for ply, turn in here if ply.seat == seat}
        is_active = seat in self.game.active_seats(self.state)
        if not own or (is_active and self.game.turn(self.state) not in own):
            raise UndoRefused(text("Nothing to take back: you haven't done anything yet this turn."))
        if is_active:
            raise UndoRefused(self._why_closed(seat))
        raise UndoRefused(text("Nothing to take back: your turn is over."))

    def _why_closed(self, seat: Seat) -> Text:
        if not self._closed:
            return text("Nothing to take back: you had no choice this turn.")
        shown, after = self._closed[-1], (*self._undoable, self.state)[0]
        if self.game.reveals(shown, after, seat):
            return text("You can't take this back: you've seen something new since.")
        return text("You can't take this back: the others have seen what only you knew.")

    def undo(self, seat: Seat) -> None:
        """Take back the seat's last move of the current turn. Raises `UndoRefused` without any change.

        Moves that others have made since, in a simultaneous choice, stay.
        """
        self.check_undo(seat)
        self.take_back(seat)

    def take_back(self, seat: Seat) -> None:
        """Apply a stored undo, even of a step that has shown something: the rule may have become stricter.

        Raises `UndoRefused` if the seat has made no move in the current turn.
        """
        states = [*self._closed, *self._undoable]
        index = max((i for i, ply in enumerate(self.plies) if ply.seat == seat), default=-1)
        depth = len(self.plies) - index
        if index < 0 or depth > len(states):
            raise UndoRefused(text("Nothing to take back: your turn is over."))
        # in a simultaneous choice, others may have moved after this seat; their moves are replayed below
        kept = self.plies[index + 1 :]
        self.state = states[-depth]
        del self.plies[index:], self.turns[index:], self._events[index:]
        del self._undoable[-depth:], self._closed[len(states) - depth :]
        for ply in kept:
            self.play(*ply)

    def rewind(self, ply: int) -> None:
        """Return to the position after `ply` plies, whatever has been shown since; for lessons."""
        kept = self.plies[:ply]
        for past in (self.plies, self.turns, self._events, self._closed, self._undoable):
            past.clear()
        self.state = self.game.setup(self.options, len(self.seats), self.seed)
        for seat, move in kept:
            self.play(seat, move)

    def close_replayed(self) -> None:
        """Mark the plies so far as coming from another match; they cannot be taken back."""
        self.replayed = len(self.plies)
        self._forget_turn()

    def as_at(self, ply: int, state: object) -> Match:
        """Return this match as it was after `ply` plies, in `state`, with nothing to undo."""
        then = copy(self)
        then.plies, then.turns, then._events = self.plies[:ply], self.turns[:ply], self._events[:ply]
        then.state, then._closed, then._undoable = state, [], []
        return then

    def seen_by(self, viewer: Viewer) -> Iterator[SeenMove]:
        """Yield all moves with what a viewer saw before each, and what followed."""
        return self.seen_since(0, self.game.setup(self.options, len(self.seats), self.seed), viewer)

    def seen_since(self, ply: int, state: Any, viewer: Viewer) -> Iterator[SeenMove]:
        """Yield the moves from a ply on as `seen_by` does; `state` is the one before it."""
        game = self.game
        for seat, move in self.plies[ply:]:
            seen, before = game.visible_move(seat, move, viewer), state
            state = game.apply(state, seat, move)
            yield SeenMove(game.observe(before, viewer), seat, seen, game.events(state))

    def choice_of(self, seat: Seat) -> tuple[CommonObservation, tuple[SeenMove, ...]]:
        """Return what a seat that has to choose sees, and all that was done before.

        Where several choose at the same moment, it is what the seat saw before anybody had chosen: it learns
        no more until all have.
        """
        seen, before = self.game.observe(self.state, seat), [*self.seen_by(seat)]
        while before and before[-1].move is None and seat in before[-1].observation.active:
            seen = before.pop().observation
        return seen, tuple(before)

    def log(self, viewer: Viewer, first: int = 0) -> list[LogEntry]:
        """Return the plies from number `first` on, counted from 0, as a viewer may see them."""
        see = self.game.visible_move
        plies = zip(self.plies[first:], self._events[first:], strict=True)
        return [LogEntry(seat, see(seat, move, viewer), events) for (seat, move), events in plies]

    def view(self, viewer: Viewer) -> MatchView:
        """Return what a viewer may see, redacted before anything is encoded."""
        first = max(0, len(self.plies) - LOG_SLOTS)
        log: list[LogEntry | None] = [None] * LOG_SLOTS
        # a ring, so that one more ply changes a single slot of the view, and deltas stay small
        for i, entry in enumerate(self.log(viewer, first), first):
            log[i % LOG_SLOTS] = entry
        observation = self.game.observe(self.state, viewer)
        standing = self.game.standing(self.state, viewer)
        return MatchView(
            game=self.game.meta.id,
            rules_version=self.game.rules_version,
            options=tuple(sorted(self.options.items())),
            commitment=self.commitment,
            seed=self.seed if self.is_over else None,
            printed=self._printed,
            drawing=self._drawing,
            ply=len(self.plies),
            may_undo=viewer is not None and self.may_undo(viewer),
            observation=observation,
            log=tuple(log),
            standing=() if standing == observation.sheet else standing,
            contributions=self.contributions,
            host_seed=self.host_seed if self.is_over else None,
            turn_start=self.turn_start,
        )


# -- looking back --------------------------------------------------------------------------------------------


class NoSuchPly(KkError):
    """The match has fewer plies than requested."""


class Replay:
    """The past positions of a match, which may still be running. Position 0 is before the first ply."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._plies: list[Ply] = []
        self._states: list[Any] = [match.fresh().state]

    def view(self, ply: int, viewer: Viewer) -> MatchView:
        """Return a viewer's view after `ply` plies, without legal moves. Raises `NoSuchPly`."""
        seen = self.at(ply).view(viewer)
        return replace(seen, observation=replace(seen.observation, legal_moves=()))

    def at(self, ply: int) -> Match:
        """Return the match as it was after `ply` plies. Raises `NoSuchPly`."""
        self._catch_up()
        if ply >= len(self._states):
            raise NoSuchPly(text("The match has only {n} plies.", n=len(self._plies)))
        return self.match.as_at(ply, self._states[ply])

    def cut(self, ply: int) -> Match:
        """Return the match after `ply` plies, or from the start of the simultaneous choice it is in.

        Raises `NoSuchPly`.
        """
        then, game = self.at(ply), self.match.game
        turn = game.turn(then.state)
        start = next(i for i, state in enumerate(self._states) if game.turn(state) == turn)
        return self.at(start) if len(game.active_seats(self._states[start])) > 1 else then

    def course(self) -> Course:
        """Return the course of the match from the full state; only for people who may know all of it."""
        self._catch_up()
        game, states = self.match.game, self._states
        return Course(
            movers=tuple(ply.seat for ply in self._plies),
            turns=_changes(states, game.turn),
            rounds=_changes(states, game.round),
            scorings=_changes(states, lambda state: (game.scorings(state), not game.active_seats(state))),
            points=tuple(totals(game.score(state)) for state in states),
        )

    def _catch_up(self) -> None:
        # In a running match, plies may have been taken back and others played since the last look.
        plies, game = self.match.plies, self.match.game
        both = enumerate(zip(self._plies, plies, strict=False))
        differing = (i for i, (mine, theirs) in both if mine != theirs)
        # keep the states up to the first difference, so that a match is not replayed at each look
        known = next(differing, min(len(plies), len(self._plies)))
        del self._plies[known:], self._states[known + 1 :]
        for ply in plies[known:]:
            self._states.append(game.apply(self._states[-1], ply.seat, ply.move))
            self._plies.append(ply)


def _changes(states: list[Any], of: Callable[[Any], object]) -> tuple[int, ...]:
    values = [of(state) for state in states]
    return tuple(i for i, (before, after) in enumerate(pairwise(values), 1) if before != after)
