"""The strategy for Ku-Ka-King: expected points, likely calls, and playing on."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import Final

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.ai.evaluation import Progress, Promises, lead, scorings_ahead, standing
from kk_core.games.ku_ka_king.ai.rollout import RowValues, Worth, go_on
from kk_core.games.ku_ka_king.model import CHURCH, KNIGHT, Observation, with_cards
from kk_core.games.ku_ka_king.observe import determinise
from kk_core.games.ku_ka_king.rules import act
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Move, Seat
from kk_core.values import softmax

# in points; measured by letting the bots play against each other
TEMPERATURE: Final = 0.7
"""The points by which a row must be better to be called e times as often."""
RIVALS: Final = 10.0
"""The same for rivals, whose preferences are less certain."""
CLASH: Final = 0.9
"""The value of having to call again, as a share of an average row."""
CHURCH_LEAD: Final = 8.0
KNIGHT_LEAD: Final = 2.0
"""The worth in playouts of one more church or knight near the lead; a quarter of it elsewhere."""
ROUNDS: Final = 100
"""Rounds of a playout: enough for the end, which says most and takes only a third longer than three."""
SIMULATIONS: Final = {"hard": 120}
"""Simulations by level; fewer than in other games, since each goes to the end, takes longer and says more."""
SPREAD: Final = 0.5
LATE_SPREAD: Final = 3.0
EARLY_SPREAD: Final = 8.0
"""The error of an evaluation in points: after the end, shortly before it, and what the start adds to that."""
# the approximate number of cards in the pile at the start
_MUCH: Final = 80

_PILE_STEP: Final = 24
# progress is rounded down to multiples of these, so that cached promises can be reused
_CARDS_STEP: Final = 6


class Strategy:
    """A `kk_core.search.strategy.SearchStrategy` for one observation."""

    let_play: Final = None

    def __init__(
        self,
        game: Game[State, Observation],  # noqa: ARG002
        observation: Observation,
        trust: Sequence[float] = (),  # noqa: ARG002
    ) -> None:
        self._observation = observation
        self._deck = observation.printed
        self._score = scoring.scorer(self._deck.scale)
        self._seats = len(observation.collections)
        self._promises: dict[Progress, Promises] = {}
        self._leads: dict[tuple[int, ...], float] = {}
        self._seen: tuple[object, object, dict[Seat, list[float]]] = (None, None, {})
        self._worth: dict[tuple[Promises, bytes, tuple[int, int]], Worth] = {}

    def position(self, state: State) -> State:
        """Return a state that can be changed."""
        return state.__replace__()

    def world(self, chance: Chance) -> State:
        # calls already made are secret, so all affected seats choose again
        state = determinise(self._observation, chance)
        state.waiting = state.affected
        state.calls = bytes(self._seats)
        return state

    def copy(self, position: State) -> State:
        return position.__replace__()

    def active(self, position: State) -> tuple[Seat, ...]:
        return SEATS_OF[position.waiting]

    def legal(self, position: State, seat: Seat) -> tuple[Move, ...]:  # noqa: ARG002
        return position.open_rows

    def step(self, position: State, seat: Seat, move: Move) -> None:
        act(self._deck, position, seat, move)

    # -- what collections are worth --------------------------------------------------------------------------

    def settle(self, position: State, random: Random) -> None:
        """Do nothing: in simultaneous choices, nobody moves last."""

    def expected(self, position: State) -> Sequence[float]:
        if not position.affected:
            lines = (*position.first, *self._score(position.collections))
            return [float(sum(column)) for column in zip(*lines, strict=True)]
        promises = self._promises_at(position)
        points = [promises.of(cards) for cards in position.collections]
        shared = standing(self._deck.scale, position.collections, is_second_pass=bool(position.first))
        return [sum(column) for column in zip(points, shared, *position.first, strict=True)]

    def spread(self, position: State) -> float:
        return (
            SPREAD if not position.affected else LATE_SPREAD + EARLY_SPREAD * sqrt(len(position.pile) / _MUCH)
        )

    def _promises_at(self, position: State) -> Promises:
        # cards left are counted in the observation, not the position, so that positions share promises
        most = max(map(sum, position.collections)) if not position.first else 0
        pile = len(position.pile)
        progress = Progress(
            pile - pile % _PILE_STEP, most - most % _CARDS_STEP, bool(position.first), position.last_round
        )
        found = self._promises.get(progress)
        if found is None:
            scorings = scorings_ahead(self._deck, self._observation.collections, progress)
            found = self._promises[progress] = Promises(self._deck.scale, scorings)
        return found

    def _lead(self, collections: Sequence[bytes], seat: Seat, passed: bool) -> float:
        churches, knights = [cards[CHURCH] for cards in collections], [cards[KNIGHT] for cards in collections]
        key = (seat, passed, *churches, *knights)
        found = self._leads.get(key)
        if found is None:
            found = lead(self._deck.scale, collections, seat, is_second_pass=passed)
            self._leads[key] = found
        return found

    # -- policy ----------------------------------------------------------------------------------------------

    def priors(self, position: State, seat: Seat, moves: Sequence[Move]) -> list[float]:
        gains = self._all_gains(position)
        own = gains[seat]
        alone = [1.0] * len(moves)
        for rival, wanted in gains.items():
            if rival != seat:
                for i, weight in enumerate(softmax(wanted, RIVALS)):
                    # assuming that rivals call independently
                    alone[i] *= 1 - weight
        second = CLASH * sum(own) / len(own)
        expected = [a * gain + (1 - a) * second for a, gain in zip(alone, own, strict=True)]
        return softmax(expected, TEMPERATURE)

    def _all_gains(self, position: State) -> dict[Seat, list[float]]:
        # cached for one position, since `priors` is called for each seat in turn
        rows, collections, known = self._seen
        if rows is not position.rows or collections is not position.collections:
            known = {seat: self._gains(position, seat) for seat in SEATS_OF[position.affected]}
            self._seen = position.rows, position.collections, known
        return known

    def _gains(self, position: State, seat: Seat) -> list[float]:
        promises, passed = self._promises_at(position), bool(position.first)
        rows, mine = position.rows, position.collections[seat]
        owned = list(position.collections)
        before: float | None = None
        gains = []
        for row in position.open_rows:
            cards = rows[row - 1]
            gain = promises.gain(mine, cards)
            # churches and knights count only in comparison with the others
            if CHURCH in cards or KNIGHT in cards:
                if before is None:
                    before = self._lead(owned, seat, passed)
                owned[seat] = with_cards(mine, cards)
                gain += self._lead(owned, seat, passed) - before
                owned[seat] = mine
            gains.append(gain)
        return gains

    keen_priors = priors

    # -- playing on ------------------------------------------------------------------------------------------

    def playout(self, position: State, random: Random) -> None:
        """Play on for `ROUNDS` rounds, or to the end of the match."""
        last, current, noise = position.round + ROUNDS, 0, random.random
        while position.affected and position.round < last:
            if position.round != current:
                current, looks = position.round, self.looks(position)
            else:
                looks.look_again(position)
            go_on(self._deck, position, looks, noise)

    long_playout = playout

    def looks(self, position: State) -> RowValues:
        """Return quick estimates of the worth of a new round's rows to all seats."""
        return RowValues(position.rows, self._quick_worths(position))

    def _quick_worths(self, position: State) -> list[Worth]:
        # much like `_gains`, but by the worth of single cards, which is far cheaper
        promises, collections = self._promises_at(position), position.collections
        churches, knights = [cards[CHURCH] for cards in collections], [cards[KNIGHT] for cards in collections]
        found = []
        for seat, mine in enumerate(collections):
            most = max(churches[:seat] + churches[seat + 1 :]), max(knights[:seat] + knights[seat + 1 :])
            key = promises, mine, most
            worth = self._worth.get(key)
            found.append(self._quick_worth(*key) if worth is None else worth)
        return found

    def _quick_worth(self, promises: Promises, mine: bytes, most: tuple[int, int]) -> Worth:
        # `most` has the most churches and knights of any other seat
        found = promises.of_one_more(mine).copy()
        for card, worth, others in zip((CHURCH, KNIGHT), (CHURCH_LEAD, KNIGHT_LEAD), most, strict=True):
            found[card] = worth if others - 1 <= mine[card] <= others else worth / 4
        looked_up = self._worth[promises, mine, most] = found.__getitem__
        return looked_up
