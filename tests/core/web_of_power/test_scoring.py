"""Points for cloisters, alliances and chains; who wins."""

from itertools import combinations, pairwise, permutations, product
from random import Random

import pytest

from kk_core.games.web_of_power.chains import best_chains
from kk_core.games.web_of_power.model import COUNTRIES, OVER, SHEET, counts_of
from kk_core.games.web_of_power.scoring import alliance_points, cloister_points
from kk_core.games.web_of_power.state import State
from kk_core.types import totals
from tests.core.web_of_power.positions import GAME, LAND, owned, position

JOSE, MARIA, LAURA, PEDRO = range(4)


def points(state: State, item: str) -> tuple[int, ...]:
    return GAME.score(state)[SHEET.index(item)]


# -- cloisters -----------------------------------------------------------------------------------------------


def test_in_frankreich_jose_with_four_gets_seven_maria_with_two_gets_four_laura_with_one_gets_two() -> None:
    owners = owned("FR1 FR2 FR3 FR4 FR5 FR6 FR7", (0, 0, 0, 0, 1, 1, 2))
    assert points(position(cloisters=owners), "final:cloisters:Frankreich") == (7, 4, 2, 0)


def test_in_lothringen_maria_and_pedro_share_the_majority_with_five_each_and_laura_gets_two() -> None:
    owners = owned("LO1 LO2 LO3 LO4 LO5", (1, 1, 3, 3, 2))
    assert points(position(cloisters=owners), "final:cloisters:Lothringen") == (0, 5, 2, 5)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0)),
        ((1, 0, 0, 0, 0), (1, 0, 0, 0, 0)),
        ((1, 1, 1, 1, 1), (5, 5, 5, 5, 5)),
        ((3, 2, 2, 1, 0), (8, 3, 3, 2, 0)),
        ((1, 2, 1, 0, 4), (2, 4, 2, 0, 8)),
    ],
)
def test_the_next_place_gets_what_the_place_above_has_and_ties_get_the_same(
    counts: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert cloister_points(counts) == expected


@pytest.mark.parametrize(("seats", "most"), [(2, 9), (3, 9), (4, 7), (5, 5)])
def test_the_points_in_a_country_tell_how_many_cloisters_everybody_has_there(seats: int, most: int) -> None:
    for counts in product(range(most + 1), repeat=seats):
        assert counts_of(cloister_points(counts)) == counts


# -- alliances -----------------------------------------------------------------------------------------------


def test_laura_gets_six_points_for_alliance_14_between_italien_and_burgund() -> None:
    state = position(advisors={"Italien": [2, 2, 1, 3], "Burgund": [2, 1]})
    assert points(state, "alliance:14") == (0, 0, 6, 0)


def test_nobody_gets_points_for_alliance_15_between_italien_and_bayern() -> None:
    state = position(advisors={"Italien": [2, 2, 1, 3], "Bayern": [1, 1, 3]})
    assert points(state, "alliance:15") == (0, 0, 0, 0)


WHITE, GREEN, YELLOW = range(3)
ONLINE = {
    "Franken": [GREEN, GREEN, YELLOW, YELLOW],
    "Bayern": [WHITE, GREEN],
    "Schwaben": [WHITE, YELLOW],
    "Italien": [WHITE, WHITE, GREEN, GREEN],
}
"""The advisors of the online manual's three examples."""


def test_bayern_and_franken_give_only_green_four_and_two_points() -> None:
    assert points(position(advisors=ONLINE, seats=3), "alliance:6") == (0, 6, 0)


def test_bayern_and_schwaben_give_only_white_two_and_two_points() -> None:
    assert points(position(advisors=ONLINE, seats=3), "alliance:7") == (4, 0, 0)


def test_bayern_and_italien_give_white_and_green_six_points_each() -> None:
    assert points(position(advisors=ONLINE, seats=3), "alliance:15") == (6, 6, 0)


def test_a_majority_needs_at_least_one_advisor() -> None:
    """Ruling 6."""
    assert alliance_points((0, 0, 0), (1, 0, 0)) == (0, 0, 0)


# -- chains --------------------------------------------------------------------------------------------------


def own(*spaces: str) -> bytes:
    return bytes(sorted(LAND.spaces.index(space) for space in spaces))


def named(chains: tuple[bytes, ...]) -> list[list[str]]:
    return [[LAND.spaces[space] for space in chain] for chain in chains]


def test_pedros_five_cloisters_through_burgund_and_italien_count_and_the_branch_to_bayern_does_not() -> None:
    owners = dict.fromkeys(("BU4", "BU6", "IT1", "IT3", "IT4", "BA5"), PEDRO)
    assert points(position(cloisters=owners), "chains") == (0, 0, 0, 5)


def test_three_cloisters_in_a_line_are_no_chain() -> None:
    assert best_chains(LAND.neighbours, own("EN1", "EN2", "EN4")) == ()


def test_four_cloisters_around_a_crossing_are_no_chain() -> None:
    assert best_chains(LAND.neighbours, own("BU4", "BU2", "BU5", "BU6")) == ()


def test_a_chain_has_one_beginning_and_one_end_also_where_its_road_closes_a_ring() -> None:
    (chain,) = named(best_chains(LAND.neighbours, own("EN1", "EN2", "EN3", "EN4", "EN5")))
    assert sorted(chain) == ["EN1", "EN2", "EN3", "EN4", "EN5"]


def test_several_chains_of_one_player_all_count() -> None:
    """Ruling 7."""
    chains = best_chains(LAND.neighbours, own("EN1", "EN2", "EN4", "EN5", "AR1", "AR2", "AR3", "AR4"))
    assert [len(chain) for chain in chains] == [4, 4]


def most_covered(spaces: tuple[int, ...]) -> int:
    """Try everything: every set of disjoint paths, by the definition alone."""
    lines = {
        frozenset(group)
        for size in range(4, len(spaces) + 1)
        for group in combinations(spaces, size)
        if any(all(b in LAND.neighbours[a] for a, b in pairwise(order)) for order in permutations(group))
    }

    def most(left: frozenset[int]) -> int:
        return max((len(line) + most(left - line) for line in lines if line <= left), default=0)

    return most(frozenset(spaces))


def grown(random: Random, size: int) -> tuple[int, ...]:
    """A connected set of spaces."""
    spaces = {random.randrange(len(LAND.spaces))}
    while len(spaces) < size:
        spaces.add(random.choice([b for a in sorted(spaces) for b in LAND.neighbours[a] if b not in spaces]))
    return tuple(sorted(spaces))


@pytest.mark.parametrize("number", range(60))
def test_the_chains_are_the_best_of_all_choices(number: int) -> None:
    """Ruling 7."""
    random = Random(number)
    spaces = grown(random, random.randint(4, 8))
    chains = best_chains(LAND.neighbours, bytes(spaces))
    assert sum(map(len, chains)) == most_covered(spaces)
    used = [space for chain in chains for space in chain]
    assert len(used) == len(set(used))
    assert set(used) <= set(spaces)


@pytest.mark.parametrize("number", range(40))
def test_chains_are_lines_of_own_cloisters_along_roads(number: int) -> None:
    spaces = grown(Random(number), 20)
    for chain in best_chains(LAND.neighbours, bytes(spaces)):
        assert len(chain) >= 4
        assert all(b in LAND.neighbours[a] for a, b in pairwise(chain))


# -- the end -------------------------------------------------------------------------------------------------


def finished(**fields: object) -> State:
    state = position(phase=OVER, **fields)  # type: ignore[arg-type]
    assert state.is_over
    return state


def test_the_most_points_win() -> None:
    outcome = GAME.outcome(finished(cloisters={"EN1": 2}))
    assert outcome is not None
    assert (outcome.winners, outcome.tie_break) == ((2,), None)


def test_tied_at_the_top_the_most_pieces_left_win() -> None:
    """Ruling 9."""
    outcome = GAME.outcome(finished(cloisters={"EN1": 2, "FK1": 1, "BA1": 1, "FK2": 2, "EN2": 2}))
    assert outcome is not None
    points = totals(GAME.score(finished(cloisters={"EN1": 2, "FK1": 1, "BA1": 1, "FK2": 2, "EN2": 2})))
    assert points == (0, 3, 4, 0)
    tied = finished(cloisters={"EN1": 1, "FK1": 2}, advisors={"England": [2]})
    outcome = GAME.outcome(tied)
    assert outcome is not None
    assert (outcome.winners, outcome.tie_break) == ((1,), (28, 27, 26, 28))


def test_still_tied_the_win_is_shared() -> None:
    """Ruling 9."""
    outcome = GAME.outcome(finished(cloisters={"EN1": 1, "FK1": 2}))
    assert outcome is not None
    assert (outcome.winners, outcome.tie_break) == ((1, 2), (28, 27, 27, 28))


def test_the_sheet_has_the_points_of_the_interim_scoring_before_all_others() -> None:
    interim = bytes([3, 0, 0, 2]) + bytes(32)
    sheet = GAME.score(position(cloisters={"EN1": 1}, interim=interim))
    assert GAME.sheet == SHEET
    assert SHEET[0] == f"interim:cloisters:{COUNTRIES[0]}"
    assert sheet[0] == (3, 0, 0, 2)
    assert totals(sheet) == (3, 1, 0, 2)
