"""What one more piece would make possible agrees with what the engine gives for it."""

from __future__ import annotations

from kk_core.games.web_of_power.chains import chains_of
from kk_core.games.web_of_power.model import ALLIANCES, COUNTRIES, FREE, SHEET, SHORTEST
from kk_core.games.web_of_power.prospects import Pieces
from kk_core.games.web_of_power.state import State
from tests.core.web_of_power.positions import GAME, LAND, owned, position, random_play

ALLIANCE = SHEET.index("alliance:1")


def pieces(state: State) -> Pieces:
    return Pieces.of(GAME.observe(state, 0))


def space(name: str) -> int:
    return LAND.spaces.index(name)


def test_alliances_held_are_those_that_give_points() -> None:
    found = 0
    for state in [*random_play(4, "immediate", 3)][::7]:
        sheet = GAME.score(state) if state.is_over else GAME.standing(state, None)
        for seat in range(4):
            giving = {number for number in range(ALLIANCES) if sheet[ALLIANCE + number][seat]}
            assert pieces(state).held(seat) == giving
            found += len(giving)
    assert found > 10


def test_an_advisor_wins_an_alliance_only_where_the_crest_has_room_for_it() -> None:
    burgund, italien = COUNTRIES.index("Burgund"), COUNTRIES.index("Italien")
    free = position(cloisters=owned("IT1 IT2 BU1", (1, 1, 1)), advisors={"Italien": [1], "Burgund": [0]})
    assert pieces(free).won_by(0, italien) == {13}
    assert pieces(free).won_by(1, burgund) == frozenset()
    full = position(cloisters=owned("IT1 BU1", (1, 1)), advisors={"Italien": [1], "Burgund": [0]})
    assert pieces(full).won_by(0, italien) == frozenset()


def test_room_is_that_of_the_engine() -> None:
    for state in [*random_play(3, "immediate", 5)][::9]:
        for country in range(len(COUNTRIES)):
            assert (pieces(state).room(country) > 0) == bool(state.room >> country & 1)


def test_a_line_of_four_is_what_the_engine_calls_a_chain() -> None:
    found = 0
    for state in [*random_play(3, "immediate", 8)][::5]:
        seen = pieces(state)
        for seat in range(3):
            own = [each for each, owner in enumerate(state.board) if owner == 1 + seat]
            longest = max((seen.line(seat, each) for each in own), default=0)
            chains = chains_of(LAND, state.board, seat)
            assert (longest >= SHORTEST) == bool(chains)
            found += len(chains)
    assert found


def test_a_line_leaves_branches_out() -> None:
    # FR2 hangs on FR1, in the middle of the line EN5-EN4-FR1-FR3-FR5
    state = position(cloisters=owned("EN4 EN5 FR1 FR2 FR3 FR5", (0,) * 6))
    assert pieces(state).line(0, space("FR1")) == 5
    assert pieces(state).line(0, space("FR2")) == 4
    assert pieces(state).line(1, space("FR4")) == 1


def test_a_line_grows_to_a_chain_on_the_spaces_that_the_engine_gives_points_for() -> None:
    state = position(cloisters=owned("LO1 LO3 LO4", (0, 0, 0)))
    here, found = space("LO3"), set()
    for each in (each for each, owner in enumerate(state.board) if owner == FREE):
        if any(here in chain for chain in chains_of(LAND, pieces(state).with_cloister(0, each).board, 0)):
            found.add(each)
    assert set(pieces(state).growing(0, here)) == found
    assert space("LO5") in found
    chain = position(cloisters=owned("LO1 LO3 LO4 LO5", (0,) * 4))
    assert pieces(chain).growing(0, here) == ()


def test_room_for_a_chain_counts_free_spaces_and_no_rivals() -> None:
    alone = position(cloisters=owned("AR1", (0,)))
    assert pieces(alone).line(0, space("AR1"), is_to_come=True) == SHORTEST
    closed = position(cloisters=owned("AR1 AR3", (0, 1)))
    assert pieces(closed).line(0, space("AR1"), is_to_come=True) == 2
