"""Worlds drawn from an observation: each could be true for its viewer, and all are equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations
from math import cbrt, prod, sqrt
from random import Random

import pytest
from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.errors import IllegalMove
from kk_core.games.web_of_power.ai import greedy
from kk_core.games.web_of_power.model import CARDS, DrawFromPile, Observation
from kk_core.games.web_of_power.observe import determinise
from kk_core.games.web_of_power.state import State
from kk_core.types import Seat, Viewer
from tests.core.web_of_power.notebook import Notebook, counted, minus, orders
from tests.core.web_of_power.positions import GAME, LAND, MOVES, SEED, cards, position, random_play

TABLES = [(seats, option) for seats in (3, 4, 5) for option in ("immediate", "end_of_round")]
tables = pytest.mark.parametrize(("seats", "option"), TABLES)


def worlds(seen: Observation, number: int) -> Iterator[State]:
    """So many worlds drawn from an observation."""
    chance = Chance(SEED)
    for _ in range(number):
        yield determinise(MOVES, seen, chance)


# -- every world could be true -------------------------------------------------------------------------------


@tables
def test_a_world_looks_to_its_viewer_as_the_true_one_does(seats: int, option: str) -> None:
    chance = Chance(SEED)
    states = list(random_play(seats, option, 0))
    for state in (*states[::8], states[-1]):
        for viewer in (*range(seats), None):
            seen = GAME.observe(state, viewer)
            world = determinise(MOVES, seen, chance)
            assert GAME.observe(world, viewer) == seen
            assert world.deal.seed != state.deal.seed


@tables
def test_a_world_can_be_played_on_and_every_seat_draws_worlds_from_it(seats: int, option: str) -> None:
    """Search does this: the others in a world have their own ideas of it."""
    chance, random = Chance(SEED), Random(seats)
    state = GAME.setup({"interim_scoring": option}, seats, SEED)
    while not state.is_over:
        state = determinise(MOVES, GAME.observe(state, state.seat), chance)
        state = GAME.apply(state, state.seat, random.choice(state.legal))
        lying = b"".join(state.hands) + state.pile + state.face_up
        assert [lying.count(k) + state.discards[k] for k in range(len(CARDS))] == list(LAND.deck_for(seats))


def watched(seats: int, viewer: Viewer, number: int) -> Iterator[tuple[State, Notebook]]:
    """A match with a watcher; in odd ones the later a seat, the more it likes to draw from the pile."""
    random = Random(number)
    state = GAME.setup({}, seats, random.randbytes(32))
    notebook = Notebook(GAME.observe(state, viewer))
    while not state.is_over:
        draw = DrawFromPile().move
        likes_pile = number % 2 and draw in state.legal and random.random() < state.seat / seats
        before, move = state, draw if likes_pile else random.choice(state.legal)
        state = GAME.apply(before, before.seat, move)
        notebook.watch(before.seat, move, before, state)
        yield state, notebook


@pytest.mark.parametrize(
    ("seats", "viewer", "number"),
    [(3, 0, 0), (3, 0, 1), (3, 1, 3), (3, 2, 5), (3, None, 2), (4, 2, 0)],
)
def test_no_world_contradicts_anything_that_its_viewer_could_have_noted(
    seats: int, viewer: Viewer, number: int
) -> None:
    chance = Chance(SEED)
    for state, notebook in watched(seats, viewer, number):
        assert notebook.hands_in(state) in notebook.possible
        seen = GAME.observe(state, viewer)
        for _ in range(3):
            assert notebook.hands_in(determinise(MOVES, seen, chance)) in notebook.possible


def test_a_card_taken_from_the_open_cards_stays_in_the_hand_until_one_like_it_is_played() -> None:
    state = position("EN LO FK", seat=1, face_up=cards("BY FR"))
    state = act(state, "exchange Franken/Aragon", "draw Bayern/Burgund")
    assert all(1 in world.hands[1] for world in worlds(GAME.observe(state, 0), 200))
    state = act(state, "exchange -", "draw pile", "exchange -", "draw pile", "exchange -", "draw pile")
    state = act(state, "exchange Bayern/Burgund", "draw pile")
    assert not state.shown[1]
    assert not all(1 in world.hands[1] for world in worlds(GAME.observe(state, 0), 200))


# -- after the draw pile has run out -------------------------------------------------------------------------


def act(state: State, *lines: str) -> State:
    """The position after moves; "exchange -" gives away whatever comes first."""
    for line in lines:
        legal = [GAME.format_move(move) for move in state.legal]
        wanted = (
            next(other for other in legal if other.startswith("exchange")) if line == "exchange -" else line
        )
        state = GAME.apply(state, state.seat, GAME.parse_move(wanted))
    return state


def second_half(hands: tuple[bytes, ...], pile: bytes, face_up: bytes = cards("LO LO")) -> State:
    """The beginning of the second half with seat 1 to play; what lies nowhere has been played."""
    lying = counted(b"".join(hands) + pile + face_up)
    return position(
        seats=3, seat=1, turn=1, hands=hands, pile=pile, face_up=face_up,
        discards=bytes(minus(LAND.deck_for(3), lying)), pile_runs=1, interim=bytes(27 * [1]),
        old=hands, since=(b"",) * 3,
    )  # fmt: skip


HANDS = (cards("FK BY EN"), cards("BY EN EN"), cards("FK FK BY"))
PILE = cards("FR EN FK FR EN")


def test_who_has_drawn_nothing_from_the_new_pile_holds_only_cards_that_all_hands_held_before() -> None:
    state = act(second_half(HANDS, PILE), "exchange England/Schwaben", "draw pile")
    for world in worlds(GAME.observe(state, 0), 200):
        assert cards("FR")[0] not in world.hands[2]
    assert any(cards("FR")[0] in world.hands[1] for world in worlds(GAME.observe(state, 0), 200))


def test_the_new_pile_holds_no_card_that_was_not_discarded_before() -> None:
    state = second_half(HANDS, PILE)
    for viewer in (0, 1, 2, None):
        for world in worlds(GAME.observe(state, viewer), 50):
            assert sorted(world.pile) == sorted(PILE)


def test_a_viewer_knows_better_than_a_spectator_since_his_own_old_cards_are_in_no_other_hand() -> None:
    state = second_half(HANDS, PILE)
    held = {
        viewer: {world.hands[2] for world in worlds(GAME.observe(state, viewer), 400)} for viewer in (0, None)
    }
    assert held[0] < held[None]


def test_who_has_played_all_old_cards_before_drawing_holds_only_new_ones() -> None:
    state = second_half((HANDS[0], cards("BY"), HANDS[2]), cards("FR FK FR EN"))
    state = act(state, "exchange Bayern/Burgund", "draw pile", "draw pile", "draw pile")
    seen = GAME.observe(state, 0)
    assert {world.hands[2] for world in worlds(seen, 50)} == {HANDS[2]}
    possible = {cards("FK FR FR"), cards("FK EN FR"), cards("EN FR FR")}
    assert {world.hands[1] for world in worlds(seen, 200)} == {bytes(sorted(hand)) for hand in possible}


# -- every world is equally likely ---------------------------------------------------------------------------


def unevenness(weights: Mapping[object, int], drawn: Counter[object]) -> float:
    """Chi-square of draws that should be as frequent as their weights, in standard deviations above usual.

    Rare outcomes are taken together, so that at least five of each group are expected.
    """
    assert drawn.keys() <= weights.keys(), "an impossible world was drawn"
    share = drawn.total() / sum(weights.values())
    square, groups = 0.0, 0
    expected = found = 0.0
    for outcome, weight in sorted(weights.items(), key=lambda item: (item[1], repr(item[0]))):
        expected += weight * share
        found += drawn[outcome]
        if expected >= 5:
            square += (found - expected) ** 2 / expected
            groups += 1
            expected = found = 0.0
    free = groups - 1
    usual = 2 / (9 * free)  # Wilson and Hilferty: the cube root is nearly normal
    return (cbrt(square / free) - (1 - usual)) / sqrt(usual)


LIMIT = 3.5
"""A fair draw goes beyond it in two of ten thousand trials."""

FIRST = ["exchange England/Schwaben", "draw pile"]
BOTH = [*FIRST, "exchange Franken/Aragon", "draw pile"]

SCRIPTS: dict[str, tuple[State, list[str]]] = {
    "nobody has drawn": (second_half(HANDS, PILE), []),
    "one has drawn": (second_half(HANDS, PILE), FIRST),
    "both have drawn": (second_half(HANDS, PILE), BOTH),
    "the viewer has drawn": (second_half(HANDS, PILE), [*BOTH, "exchange -", "draw pile"]),
    "a face-up card was taken": (
        second_half(HANDS, PILE),
        [FIRST[0], "draw Lothringen/Italien", *BOTH[2:], "exchange -", "draw pile"],
    ),
    "an old or a new card was played": (
        second_half(HANDS, PILE),
        [*BOTH, "exchange -", "draw Lothringen/Italien", FIRST[0], "draw Lothringen/Italien"],
    ),
    "of two cards played one at least was old": (
        second_half((HANDS[0], cards("BY EN FR"), HANDS[2]), cards("EN FR FK EN BY BY")),
        [
            "exchange Bayern/Burgund", "draw pile", "exchange Franken/Aragon", "draw Lothringen/Italien",
            "exchange -", "draw Lothringen/Italien",
            "cloister LO1 England/Schwaben+England/Schwaben", "end", "draw pile", "draw Frankreich",
        ],
    ),
}  # fmt: skip
"""Where the second half begins, and what is played."""


def histories(viewer: Viewer, start: State, lines: list[str]) -> tuple[Observation, dict[object, int]]:
    """What a viewer sees in the end, and every world in which all would have looked the same, by trying all.

    A world counts as often as its hidden cards can change places in the hands.
    """
    truth = [start]
    for line in lines:
        truth.append(act(truth[-1], line))
    moves = [
        next(move for move in before.legal if GAME.apply(before, before.seat, move) == after)
        for before, after in pairwise(truth)
    ]
    seen = [glimpse(state, viewer) for state in truth]
    found: dict[object, int] = {}
    for hands in deals(start.hands, viewer):
        for pile in set(permutations(start.pile)):
            end = retold(second_half(hands, bytes(pile)), viewer, moves, seen)
            if end is not None:
                found[end.hands, end.pile] = prod(
                    orders(minus(counted(hand), counted(end.shown[seat])))
                    for seat, hand in enumerate(end.hands)
                    if seat != viewer
                )
    return GAME.observe(truth[-1], viewer), found


def deals(hands: tuple[bytes, ...], viewer: Viewer) -> set[tuple[bytes, ...]]:
    """All ways to deal the hands of the others anew."""
    others: list[Seat] = [seat for seat in range(3) if seat != viewer]
    found = set()
    for order in set(permutations(b"".join(hands[seat] for seat in others))):
        dealt = list(hands)
        for place, seat in enumerate(others):
            dealt[seat] = bytes(sorted(order[3 * place : 3 * place + 3]))
        found.add(tuple(dealt))
    return found


def glimpse(state: State, viewer: Viewer) -> Observation:
    """What a viewer sees at one moment, had he noted nothing."""
    return replace(GAME.observe(state, viewer), shown=(), old=None)


def retold(state: State, viewer: Viewer, moves: list[int], seen: list[Observation]) -> State | None:
    """The end of a history that begins here; None where the viewer would have seen something else."""
    for move, before in zip([*moves, None], seen, strict=True):
        if glimpse(state, viewer) != before:
            return None
        if move is not None:
            try:
                state = GAME.apply(state, state.seat, move)
            except IllegalMove:
                return None
    return state


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("viewer", [0, 2])
def test_every_world_with_a_history_that_looks_the_same_is_drawn_equally_often(
    viewer: Viewer, script: str
) -> None:
    seen, weights = histories(viewer, *SCRIPTS[script])
    drawn = Counter[object]((world.hands, world.pile) for world in worlds(seen, 30 * len(weights)))
    assert len(weights) > 3
    assert unevenness(weights, drawn) < LIMIT


@pytest.mark.parametrize(
    ("seats", "viewer", "number"),
    [(3, 0, 1), (3, 1, 3), (3, 2, 5), (3, 0, 6), (4, 2, 0)],
)
def test_in_real_matches_every_possible_world_is_drawn_equally_often(
    seats: int, viewer: Viewer, number: int
) -> None:
    tried = 0
    for step, (state, notebook) in enumerate(watched(seats, viewer, number)):
        if step % 7 or not state.pile_runs or not 2 <= len(notebook.possible) <= 40:
            continue
        weights: dict[object, int] = {hands: notebook.arrangements(hands) for hands in notebook.possible}
        seen = GAME.observe(state, viewer)
        drawn = Counter[object](map(notebook.hands_in, worlds(seen, 30 * len(weights))))
        assert unevenness(weights, drawn) < LIMIT
        tried += 1
    assert tried


def test_before_the_pile_has_run_out_every_unseen_card_is_equally_likely_everywhere() -> None:
    state = GAME.setup({}, 3, SEED)
    seen = GAME.observe(state, 0)
    unseen = counted(b"".join(state.hands[1:]) + state.pile)
    for place in (lambda world: world.pile[0], lambda world: world.pile[-1]):
        drawn = Counter[object](map(place, worlds(seen, 2000)))
        assert unevenness(dict(enumerate(unseen)), drawn) < LIMIT


def test_the_greedy_player_chooses_the_same_in_every_world_that_he_cannot_tell_apart() -> None:
    state = list(random_play(4, "immediate", 12))[50]
    choices = {greedy.choose(GAME.observe(state, state.seat), Chance(SEED))}
    for world in worlds(GAME.observe(state, state.seat), 5):
        choices.add(greedy.choose(GAME.observe(world, world.seat), Chance(SEED)))
    assert len(choices) == 1
