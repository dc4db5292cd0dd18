"""Drawing a state from those that a viewer cannot tell apart, held against a count of all deals there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations
from math import cbrt, sqrt
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core import config
from kk_core.chance import Chance
from kk_core.games.land_cards.data import FILE
from kk_core.games.land_cards.game import create
from kk_core.games.land_cards.model import (
    LAW_HELD,
    LAW_LACKED,
    SKIPPED,
    PlaceStone,
    Take,
    law_entries,
    read,
)
from kk_core.games.land_cards.observe import determinise
from kk_core.games.land_cards.rules import settle
from kk_core.games.land_cards.state import State
from kk_core.types import Viewer
from tests.core.contract.tables import Table, tables_of
from tests.core.land_cards.positions import LAW_LETTERS, RULES, play, position

every_land_table = pytest.mark.parametrize("table", tables_of("land_cards"), ids=str)


# -- all deals, without a look at what the rules note --------------------------------------------------------


def deals(start: State) -> Iterator[State]:
    """A position before any law card was taken, with its law cards laid in every way."""
    cells = [cell for cell, law in enumerate(start.deal.laws) if law]
    kinds = [start.deal.laws[cell] for cell in cells]
    for order in sorted(set(permutations(kinds))):
        laws = bytearray(len(start.deal.laws))
        for cell, law in zip(cells, order, strict=True):
            laws[cell] = law
        yield settle(replace(start, deal=replace(start.deal, laws=bytes(laws))))


def glimpse(state: State, viewer: Viewer) -> Any:
    """What a viewer sees at one moment, had he no memory and nobody to remind him."""
    is_over = not RULES.active_seats(state)
    hands = [hand if is_over or seat == viewer else len(hand) for seat, hand in enumerate(state.hands)]
    own_moves = state.legal if state.seat == viewer else None
    return state.board, state.supply, state.gone, state.phase, state.seat, hands, own_moves, state.events


def fitting(start: State, moves: Iterable[int], viewer: Viewer) -> set[bytes]:
    """All deals in which these moves would have looked to the viewer as they did."""
    true, worlds = start, list(deals(start))
    for move in moves:
        seat = true.seat
        true = RULES.apply(true, seat, move)
        possible = (world for world in worlds if move in RULES.legal_moves(world, seat))
        after = (RULES.apply(world, seat, move) for world in possible)
        worlds = [world for world in after if glimpse(world, viewer) == glimpse(true, viewer)]
    return {world.deal.laws for world in worlds}


def drawn(state: State, viewer: Viewer, times: int) -> Counter[bytes]:
    """How often each deal is drawn."""
    observation, chance = RULES.observe(state, viewer), Chance(b"draw".ljust(32))
    return Counter(determinise(observation, chance).deal.laws for _ in range(times))


def unevenness(figures: Iterable[int]) -> float:
    """Chi-square of draws that should be even, as standard deviations beyond what is usual."""
    counts = list(figures)
    if len(counts) == 1:
        return 0.0
    expected, free = sum(counts) / len(counts), len(counts) - 1
    square = sum((n - expected) ** 2 / expected for n in counts)
    usual = 2 / (9 * free)  # Wilson and Hilferty: the cube root is nearly normal
    return float((cbrt(square / free) - (1 - usual)) / sqrt(usual))


# -- the same to the viewer ----------------------------------------------------------------------------------


@every_land_table
def test_only_what_the_viewer_cannot_see_is_drawn_anew(table: Table) -> None:
    chance, others = Chance(b"the rest".ljust(32)), 0
    for match in table.random_match(9):
        true: Any = match.state
        for viewer in table.viewers:
            state = determinise(RULES.observe(true, viewer), chance)
            others += state.deal.laws != true.deal.laws
            deal = replace(true.deal, laws=state.deal.laws)
            same = replace(true, deal=deal, hands=state.hands, legal=state.legal, events=())
            assert state == same
            assert bool(state.legal) == bool(true.legal)
    assert others > 100


def test_the_laws_of_a_corrected_deck_are_dealt() -> None:
    deck = (
        config.read_shipped(FILE)
        .text.replace("back_stone = 2", "back_stone = 3")
        .replace("two = 2", "two = 1")
    )
    rules = create(config.Source("mine.toml", deck))
    state = rules.setup({}, 3, bytes(32))
    chance = Chance(bytes(32))
    for viewer in (0, None):
        other = determinise(rules.observe(state, viewer), chance)
        assert rules.observe(other, viewer) == rules.observe(state, viewer)
        assert sorted(filter(None, other.deal.laws)) == [1, 1, 1, 2, 2, 3, 3, 4]


def test_play_goes_on_from_a_drawn_state_to_its_end() -> None:
    for number in range(8):
        state = determinise(RULES.observe(after("held"), number % 3), Chance(bytes((number,)) * 32))
        while RULES.active_seats(state):
            state = RULES.apply(state, state.seat, state.legal[number % len(state.legal)])
        assert sorted(filter(None, state.deal.laws)) == [1, 1, 2, 2, 3, 3, 4, 4]


# -- what was shown ------------------------------------------------------------------------------------------

ROW = "FrK*{} FrL*{} SaK*{} SaL@A*{} UnK*{} UnL*{} BaK*{} BaL@A*{}"
STUCK = "take 1 1; end; pass; take 1 2; end; pass; take 1 3; end; pass"
"""After this both ends lie under stones of A, and C has no stone left."""

AGAIN = "take 1 4; end; place 1 5; take 1 8; give supply; end; place 1 7"
"""After this C is stuck again."""

STORIES: dict[str, tuple[str, str]] = {
    "nothing taken": ("t3dmt3dm", ""),
    "taken": ("3tdmt3dm", "take 1 1; end; pass; take 1 2; end; pass"),
    "played": ("3tdmt3dm", "take 1 1; law three_symbols; end; pass; take 1 2; end; pass"),
    "two taken, one played": ("3tdmt3dm", "take 1 1; take 1 2; law three_symbols; end; pass; take 1 3"),
    "one played, then another taken": (
        "3tdmt3dm", "take 1 1; law three_symbols; take 1 2; end; pass; take 1 3"
    ),
    "lacked": ("3tdmt3dm", STUCK),
    "held": ("t3dmt3dm", STUCK),
    "held and not played": ("t3dmt3dm", f"{STUCK}; skip; take 1 4; end; pass"),
    "held and played later": ("t3dmt3dm", f"{STUCK}; skip; {AGAIN}; law take_back_stone; take 1 5"),
    "lacked twice": ("3tdmt3dm", f"{STUCK}; {AGAIN}; take 1 5; end; pass"),
    "the end": (
        "3tdmt3dm",
        f"{STUCK}; take 1 4; end; place 1 5; take 1 8; give supply; law different_colours; end; place 1 7; "
        "take 1 5; end; pass; take 1 7; end; place 1 6; take 1 6; give supply; end",
    ),
}  # fmt: skip


def before(story: str) -> State:
    """The position in which a story begins: no law card is taken yet, and it is the turn of C."""
    return position(ROW.format(*STORIES[story][0]), turn="C", gone="CCC")


def after(story: str) -> State:
    """The position to which a story leads."""
    moves = STORIES[story][1]
    return play(before(story), moves) if moves else before(story)


def moves_of(story: str) -> list[int]:
    """The moves of a story."""
    return [RULES.parse_move(line.strip()) for line in STORIES[story][1].split(";") if line]


def laws_at(state: State, viewer: Viewer, cells: Iterable[int]) -> set[str]:
    """What lies, or lay, on some cells in many draws."""
    found = drawn(state, viewer, 200)
    return {"".join(LAW_LETTERS[deal[cell] - 1] for cell in cells) for deal in found}


def test_who_had_the_choice_to_skip_holds_take_back_a_stone_until_it_is_played() -> None:
    for story in ("held", "held and not played", "held and played later"):
        assert (2, LAW_HELD) in law_entries(after(story).law_log)
        assert laws_at(after(story), 0, [0]) == {"t"}


def test_who_had_to_skip_held_no_take_back_a_stone() -> None:
    assert RULES.events(after("lacked")) == ((SKIPPED, 2),)
    for story in ("lacked", "lacked twice", "the end"):
        assert (2, LAW_LACKED) in law_entries(after(story).law_log)
        assert laws_at(after(story), None, [0]) <= {"3", "d", "m"}
    assert "t" in laws_at(after("lacked"), 2, [3])


def test_who_had_to_skip_without_a_law_card_has_shown_nothing() -> None:
    state = play(position("FrK SaK@A SaL@A", gone="BBB"), "take 1 1; end; pass")
    assert RULES.events(state) == ((SKIPPED, 1),)
    assert state.law_log == b""


def test_a_law_card_played_before_another_was_taken_is_not_that_one() -> None:
    assert laws_at(after("one played, then another taken"), 0, [0]) == {"3"}
    assert laws_at(after("two taken, one played"), 0, [0, 1]) == {"3t", "3d", "3m", "33", "t3", "d3", "m3"}


def test_a_viewer_knows_what_he_took_also_when_it_is_played() -> None:
    assert laws_at(after("two taken, one played"), 2, [0, 1]) == {"3t"}


def test_all_hands_are_those_shown_when_the_match_is_over() -> None:
    state = after("the end")
    assert not RULES.active_seats(state)
    observation = RULES.observe(state, None)
    for number in range(20):
        assert determinise(observation, Chance(bytes((number,)) * 32)).hands == state.hands


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_every_deal_that_fits_what_was_seen_is_drawn_and_all_are_equally_likely(
    story: str, viewer: Viewer
) -> None:
    possible = sorted(fitting(before(story), moves_of(story), viewer))
    counts = drawn(after(story), viewer, 8 * len(possible) + 400)
    assert set(counts) <= set(possible)
    assert unevenness(counts[deal] for deal in possible) < 4


@pytest.mark.parametrize("seed", [4, 105])
def test_in_play_about_few_cards_nothing_is_drawn_that_was_ruled_out_and_all_else_is(seed: int) -> None:
    random = Random(seed)
    start = state = position(
        "FrK*t FrL*d SaK*3 UnKK UnAA*m BaL*t BaT*3 / ItK*d ItKK*m EnLL DäL DäL",
        gone="ABBBCC", turn="ABC"[seed % 3],
    )  # fmt: skip
    states, moves = [start], []
    while RULES.active_seats(state):
        moves.append(random.choices(state.legal, [_eagerness(state, move) for move in state.legal])[0])
        state = RULES.apply(state, state.seat, moves[-1])
        states.append(state)
    assert LAW_HELD in state.law_log[1::2]
    plies = len(moves) - 4
    for viewer in (0, 1, 2, None):
        possible = fitting(start, moves[:plies], viewer)
        assert set(drawn(states[plies], viewer, 12 * len(possible))) == possible


def _eagerness(state: State, move: int) -> int:
    """Stones on cards at an end, and cards under stones, bring it about that somebody can take none."""
    match read(move):
        case PlaceStone(cell):
            return 5 if cell in state.ends else 1
        case Take(cell):
            return 5 if state.board[cell] else 1
    return 1
