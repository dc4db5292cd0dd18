"""The strategy for Ku-Ka-King: expected points, likely calls, and playing on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.ai.evaluation import Progress, Promises, lead, scorings_ahead
from kk_core.games.ku_ka_king.ai.prospects import Prospects, stage_number, stages
from kk_core.games.ku_ka_king.ai.rollout import go_on
from kk_core.games.ku_ka_king.ai.styles import preferences
from kk_core.games.ku_ka_king.model import CHURCH, KNIGHT, Observation, with_cards
from kk_core.games.ku_ka_king.observe import determinise, sheet
from kk_core.games.ku_ka_king.rules import act
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Move, Seat, Sheet
from kk_core.values import softmax

# in points; measured by letting the bots play against each other
TEMPERATURE: Final = 0.7
"""The points by which a row must be better to be called e times as often."""
RIVALS: Final = 10.0
"""The same for rivals, whose preferences are less certain."""
CLASH: Final = 0.9
"""The value of having to call again, as a share of an average row."""
ROUNDS: Final = 2
"""Rounds of a simulation, the current one included: what follows is noise, and costs time."""
SIMULATIONS: Final = {"hard": 200, "expert": 3000}
"""Simulations by level."""
CARE: Final = 0.08
"""The easy bot's exponent, set so that beginners beat it: `python -m tools.bench.slips`."""
SPREAD: Final = 0.5
"""The error in points of a lead at the end, which hardly tells a close win from a clear one."""
LEAD_ERROR: Final = 1.3
"""The error of an expected lead, as a multiple of that of one seat's points."""

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
        self._stages = stages(self._seats)
        self._prospects: dict[tuple[bool, int], Prospects] = {}
        self._seen: tuple[object, object, dict[Seat, list[float]]] = (None, None, {})

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
        points = self._prospects_at(position).of(position.collections)
        return list(map(sum, zip(points, *position.first, strict=True))) if position.first else points

    def spread(self, position: State) -> float:
        return LEAD_ERROR * self._prospects_at(position).error if position.affected else SPREAD

    def sheet(self, position: State) -> Sheet:
        return sheet(self._score, position)

    def _prospects_at(self, position: State) -> Prospects:
        passed = bool(position.first)
        number = stage_number(position.collections, len(position.pile), is_second_pass=passed)
        found = self._prospects.get((passed, number))
        if found is None:
            known = self._stages.second if passed else self._stages.first
            stage = known[min(number, len(known) - 1)]
            found = Prospects(stage, self._deck.counts, self._deck.scale)
            self._prospects[passed, number] = found
        return found

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

    def preferences(self, style: str, position: State, seat: Seat, moves: Sequence[Move]) -> list[float]:
        """Return what a style likes about each row, in points."""
        rows = [position.rows[move - 1] for move in moves]
        return preferences(style, rows, position.collections[seat], self._all_gains(position), seat)

    # -- playing on ------------------------------------------------------------------------------------------

    def playout(self, position: State, random: Random) -> None:
        """Call at random, up to `ROUNDS` rounds from the observation's."""
        end, draw = self._observation.round + ROUNDS, random.random
        while position.affected and position.round < end:
            go_on(self._deck, position, draw)

    long_playout = playout
