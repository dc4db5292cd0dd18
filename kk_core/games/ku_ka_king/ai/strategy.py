"""The strategy for Ku-Ka-King: expected points, likely calls, and playing on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log
from random import Random
from typing import Final

from kk_core.chance import Chance
from kk_core.game import Game
from kk_core.games.ku_ka_king import scoring
from kk_core.games.ku_ka_king.ai.evaluation import Progress, Promises, lead, scorings_ahead
from kk_core.games.ku_ka_king.ai.prospects import Prospects, stage_number, stages
from kk_core.games.ku_ka_king.ai.rollout import go_on
from kk_core.games.ku_ka_king.ai.styles import preferences
from kk_core.games.ku_ka_king.model import CHURCH, KNIGHT, Observation, Revealed, read_event, with_cards
from kk_core.games.ku_ka_king.observe import as_seen, determinise, sheet
from kk_core.games.ku_ka_king.rules import act
from kk_core.games.ku_ka_king.state import SEATS_OF, State
from kk_core.types import Move, Seat, SeenMove, Sheet
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
PLAIN_ROUNDS: Final = 3
"""The same where some play plainly, whose calls are no noise."""
SIMULATIONS: Final = {"hard": 200, "expert": 3000}
"""Simulations by level."""
CARE: Final = 0.08
"""The easy bot's exponent, set so that beginners beat it: `python -m tools.bench.slips`."""
SPREAD: Final = 0.5
"""The error in points of a lead at the end, which hardly tells a close win from a clear one."""
LEAD_ERROR: Final = 1.3
"""The error of an expected lead, as a multiple of that of one seat's points."""
DOUBT: Final = 3.0
"""How many times likelier good players are than plain ones before they have called; with 1, expert would lose
to a good player at two seats.
"""
FAITHFUL: Final = 0.95
"""How often a plain player follows the policy; not always, as the policy is not quite theirs."""
CHOOSY: Final = 0.7
"""How often any other player calls by the policy made flatter, instead of just any row."""
FLATNESS: Final = 0.35
"""The exponent that makes it flatter."""

_PILE_STEP: Final = 24
# progress is rounded down to multiples of these, so that cached promises can be reused
_CARDS_STEP: Final = 6


class Strategy:
    """A `kk_core.search.strategy.SearchStrategy` for one observation."""

    let_play: Final = None

    def __init__(
        self,
        game: Game[State, Observation],
        observation: Observation,
        trust: Sequence[float] = (),
    ) -> None:
        self._game, self._observation = game, observation
        self._deck = observation.printed
        self._score = scoring.scorer(self._deck.scale)
        self._seats = len(observation.collections)
        self._promises: dict[Progress, Promises] = {}
        self._leads: dict[tuple[int, ...], float] = {}
        self._stages = stages(self._seats)
        self._prospects: dict[tuple[bool, int], Prospects] = {}
        self._trust = [likely / (likely + DOUBT * (1 - likely)) for likely in trust[: self._seats]]
        self._callers = set[Seat | None]()
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

    # -- reading the others ----------------------------------------------------------------------------------

    def learn(
        self,
        seen: Sequence[SeenMove],
        trust: Sequence[float],  # noqa: ARG002
        beliefs: Sequence[float],  # noqa: ARG002
        chance: Chance,  # noqa: ARG002
    ) -> tuple[dict[Seat, float], tuple[float, ...]]:
        """Learn from revealed calls whether the others play plainly; there is nothing else to learn.

        The policy of a call depends on nothing hidden, so nothing is drawn.
        """
        change = dict.fromkeys(range(self._seats), 0.0)
        for observation, _, _, events in seen:
            for event in map(read_event, events):
                if isinstance(event, Revealed):
                    then, position = Strategy(self._game, observation), as_seen(observation)
                    for seat in observation.affected:
                        if seat != observation.viewer:
                            change[seat] += then._plainness(position, seat, event.calls[seat])
        return change, ()

    def _plainness(self, position: State, seat: Seat, row: Move) -> float:
        # by how much a call raises the log odds of playing plainly
        rows = position.open_rows
        priors, place, whim = self.priors(position, seat, rows), rows.index(row), 1 / len(rows)
        flat = [prior**FLATNESS for prior in priors]
        plainly = FAITHFUL * priors[place] + (1 - FAITHFUL) * whim
        otherwise = CHOOSY * flat[place] / sum(flat) + (1 - CHOOSY) * whim
        return log(plainly / otherwise)

    # -- playing on ------------------------------------------------------------------------------------------

    def foretell(self, random: Random) -> Collection[Seat]:
        plain = [seat for seat, likely in enumerate(self._trust) if likely and random.random() < likely]
        # against plain players, calling like them is better than calling at random
        self._callers = {*plain, self._observation.viewer} if plain else set()
        return plain

    def playout(self, position: State, random: Random) -> None:
        """Call at random for `ROUNDS` rounds; for `PLAIN_ROUNDS` if some play plainly, who then do so.

        The viewer then calls as they do.
        """
        draw, callers = random.random, self._callers
        end = self._observation.round + (PLAIN_ROUNDS if callers else ROUNDS)
        while position.affected and position.round < end:
            plain = [seat for seat in SEATS_OF[position.waiting] if seat in callers]
            go_on(self._deck, position, draw, {seat: self._appeal(position, seat) for seat in plain})

    def _appeal(self, position: State, seat: Seat) -> list[float]:
        # like `priors`, but assuming that all rows are as likely to be called by each rival
        rivals = position.affected.bit_count() - 1
        alone = (1 - 1 / len(position.open_rows)) ** rivals / TEMPERATURE
        return [alone * gain for gain in self._gains(position, seat)]

    long_playout = playout
