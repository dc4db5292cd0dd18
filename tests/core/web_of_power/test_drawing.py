"""Drawing cards, the draw pile running out, the interim scoring and the last round."""

from itertools import cycle

import pytest

from kk_core.games.web_of_power.game import create, restore
from kk_core.games.web_of_power.model import COUNTRIES, DRAWING, NO_CARD, PLACING, EndPlacing
from kk_core.games.web_of_power.state import State
from kk_core.types import Viewer
from tests.core.web_of_power.positions import GAME, LAND, cards, legal, play, position, reason

SCORED = bytes([1]) * 36
"""The interim scoring has been."""


def names(state: State) -> list[str]:
    """The events of a step as the record names them."""
    events = [GAME.export_event(state, event) for event in GAME.events(state)]
    return [str(event.get("chance") or event.get("rule")) for event in events if event]


def test_drawing_goes_on_until_the_hand_is_full() -> None:
    state = play(position("FK BY BY", {"FK1": 1}), "cloister FK2 Franken/Aragon",
                 "advisor Franken Bayern/Burgund+Bayern/Burgund", "end")  # fmt: skip
    for _ in range(3):
        assert state.phase == DRAWING
        assert "draw pile" in legal(state)
        state = play(state, "draw pile")
    assert (state.phase, state.seat, len(state.hands[0])) == (PLACING, 1, 3)


def test_each_card_is_drawn_from_the_pile_or_from_the_open_cards() -> None:
    state = play(position("FR BY BY", face_up=cards("EN LO")), "cloister FR1 Frankreich", "end")
    assert legal(state) == ["draw pile", "draw Lothringen/Italien", "draw England/Schwaben"]
    state = play(state, "draw England/Schwaben")
    assert state.hands[0] == cards("BY BY EN")
    assert "No Frankreich card is face up." in reason(
        play(position(face_up=cards("EN LO")), "exchange Bayern/Burgund"), "draw Frankreich"
    )


def test_an_open_card_is_replaced_only_when_the_hand_is_full_one_for_each_missing() -> None:
    state = position("FK BY BY", {"FK1": 1}, face_up=cards("EN LO"), pile=cards("FR FK BY LO EN"))
    state = play(state, "cloister FK2 Franken/Aragon", "advisor Franken Bayern/Burgund+Bayern/Burgund", "end")
    state = play(state, "draw Lothringen/Italien", "draw England/Schwaben")
    assert state.face_up == bytes([NO_CARD, NO_CARD])
    assert legal(state) == ["draw pile"]
    state = play(state, "draw pile")
    assert state.hands[0] == cards("LO EN FR")
    assert state.face_up == cards("FK BY")
    assert names(state) == ["face_up", "face_up"]


def test_the_interim_scoring_follows_directly_on_the_last_card_and_drawing_goes_on() -> None:
    """Ruling 1."""
    state = position(
        "FK BY BY", {"FK1": 1, "EN1": 2, "EN2": 2, "EN3": 3}, face_up=cards("EN LO"),
        pile=cards("FR"), discards=bytes([9, 9, 9, 9, 2]),
    )  # fmt: skip
    state = play(
        state,
        "cloister FK2 Franken/Aragon",
        "advisor Franken Bayern/Burgund+Bayern/Burgund",
        "end",
        "draw pile",
    )
    assert names(state) == ["interim_scoring", "reshuffle"]
    assert (state.seat, state.phase, len(state.hands[0])) == (0, DRAWING, 1)
    assert state.face_up == cards("EN LO")
    assert state.interim[:8] == bytes([0, 0, 3, 2, 2, 2, 0, 0])
    assert len(state.pile) == 38 + 3
    assert sorted(state.pile).count(1) == 9 + 2
    assert state.discards == bytes(5)
    state = play(state, "draw pile", "draw England/Schwaben")
    assert (state.seat, state.phase, len(state.hands[0])) == (1, PLACING, 3)
    assert names(state) == ["face_up"]


def test_an_open_card_that_is_replaced_by_the_last_card_sets_off_the_interim_scoring() -> None:
    state = position("FK BY BY", {"FK1": 1}, face_up=cards("EN LO"), pile=cards("FR FK"),
                     discards=bytes([9, 9, 9, 9, 2]))  # fmt: skip
    state = play(
        state, "cloister FK2 Franken/Aragon", "advisor Franken Bayern/Burgund+Bayern/Burgund", "end",
        "draw England/Schwaben", "draw Lothringen/Italien", "draw pile",
    )  # fmt: skip
    assert names(state) == ["face_up", "interim_scoring", "reshuffle", "face_up"]
    exported = [GAME.export_event(state, event) for event in GAME.events(state)]
    assert exported[0] == {"chance": "face_up", "card": "Franken/Aragon"}
    assert exported[2] is not None
    assert exported[3] is not None
    assert exported[2]["draw_pile"][0] == exported[3]["card"]
    assert len(exported[2]["draw_pile"]) == 41 == len(state.pile) + 1


def test_at_the_end_of_the_round_the_pile_is_reshuffled_at_once_and_scored_after_the_last_seat() -> None:
    """Ruling 1."""
    state = position("FK FR BY", {"FK1": 1}, option="end_of_round", seat=2, pile=cards("FR"),
                     discards=bytes([9, 9, 9, 9, 2]))  # fmt: skip
    state = play(state, "cloister FK2 Franken/Aragon", "end", "draw pile")
    assert names(state) == ["reshuffle"]
    assert (state.seat, state.interim) == (3, b"")
    state = play(state, next(line for line in legal(state) if line.startswith("exchange")))
    state = play(state, legal(state)[-1])
    assert names(state) == ["face_up", "interim_scoring"]
    assert state.seat == 0
    assert state.interim[4:8] == bytes([0, 2, 2, 0])


def test_the_second_time_the_pile_runs_out_the_round_is_played_to_its_end() -> None:
    state = position("FR FR BY", {"FR1": 1}, seat=2, pile=cards("LO"), pile_runs=1, interim=SCORED)
    state = play(state, "cloister FR2 Frankreich", "end", "draw pile")
    assert names(state) == ["last_round"]
    assert state.seat == 3
    state = play(state, next(line for line in legal(state) if line.startswith("exchange")))
    assert not state.is_over
    state = play(state, legal(state)[0])
    assert state.is_over
    assert GAME.active_seats(state) == ()


def test_in_the_last_round_open_cards_must_be_drawn_while_they_last_and_are_not_replaced() -> None:
    """Ruling 3."""
    state = position("FK BY BY", {"FK1": 1}, face_up=cards("EN LO"), pile=b"", pile_runs=2, interim=SCORED)
    state = play(state, "cloister FK2 Franken/Aragon", "advisor Franken Bayern/Burgund+Bayern/Burgund", "end")
    assert legal(state) == ["draw Lothringen/Italien", "draw England/Schwaben"]
    assert reason(state, "draw pile") == "The draw pile is empty."
    state = play(state, "draw England/Schwaben", "draw Lothringen/Italien")
    assert (state.seat, state.hands[0]) == (1, cards("LO EN"))
    assert state.face_up == bytes([NO_CARD, NO_CARD])


def test_in_the_last_round_with_no_card_left_to_draw_an_exchange_gives_a_card_away() -> None:
    """Ruling 3."""
    nothing = bytes([NO_CARD, NO_CARD])
    state = position("FK BY BY", face_up=nothing, pile=b"", pile_runs=2, interim=SCORED)
    state = play(state, "exchange Franken/Aragon")
    assert (state.seat, state.hands[0]) == (1, cards("BY BY"))


def test_when_the_last_seat_takes_the_last_card_the_match_ends_with_its_turn() -> None:
    state = position("FR FR BY", {"FR1": 1}, seat=3, pile=cards("LO"), pile_runs=1, interim=SCORED,
                     face_up=cards("EN LO"))  # fmt: skip
    state = play(state, "cloister FR2 Frankreich", "end", "draw pile")
    assert names(state) == ["last_round"]
    assert state.is_over


def test_an_open_card_that_is_replaced_by_the_last_card_announces_the_last_round() -> None:
    state = position("FK BY BY", {"FK1": 1}, face_up=cards("EN LO"), pile=cards("FR FK"), pile_runs=1,
                     interim=SCORED)  # fmt: skip
    state = play(
        state, "cloister FK2 Franken/Aragon", "advisor Franken Bayern/Burgund+Bayern/Burgund", "end",
        "draw England/Schwaben", "draw Lothringen/Italien", "draw pile",
    )  # fmt: skip
    assert names(state) == ["face_up", "last_round"]
    assert state.face_up == bytes([0, NO_CARD])


FULL = {space: number % 4 for number, space in enumerate(LAND.spaces)}
"""A cloister on every space."""


def full_courts() -> dict[str, list[int]]:
    """As many advisors as the cloisters of FULL allow, spread over the seats."""
    cloisters = position(cloisters=FULL).cloisters
    most = [max(cloisters[4 * country : 4 * country + 4]) for country in range(len(COUNTRIES))]
    owners = cycle(range(4))
    return {country: [next(owners) for _ in range(n)] for country, n in zip(COUNTRIES, most, strict=True)}


def test_the_match_ends_when_the_last_place_is_filled_and_nobody_draws_any_more() -> None:
    """Ruling 8."""
    courts = full_courts()
    courts["Frankreich"].pop()
    state = position("FR FR BY", FULL, courts, interim=SCORED, pile_runs=1)
    state = play(state, "advisor Frankreich Frankreich")
    assert max(state.advisors_left) > 0
    assert legal(state) == ["end"]
    state = play(state, "end")
    assert names(state) == ["nobody_can_place"]
    assert state.is_over
    assert state.hands[0] == cards("BY FR")


def test_when_nobody_can_place_an_interim_scoring_still_due_is_held_first() -> None:
    courts = full_courts()
    courts["Frankreich"].pop()
    state = position("FR FR BY", FULL, courts, option="end_of_round", pile_runs=1)
    state = play(state, "advisor Frankreich Frankreich")
    for game in (create(), restore(GAME.rules_data)):
        end = game.apply(state, 0, EndPlacing().move)
        assert end.is_over
        assert names(end) == ["nobody_can_place", "interim_scoring"]
        assert game.score(end)[COUNTRIES.index("England")] == (6, 6, 2, 2)
        assert game.observe(end, None).sheet[COUNTRIES.index("England")] == (6, 6, 2, 2)


def test_an_interim_scoring_that_was_held_is_not_held_again_when_nobody_can_place() -> None:
    state = position("FR FR BY", FULL, option="end_of_round", pile_runs=1, interim=SCORED,
                     advisors_left=bytes([1, 0, 0, 0]))  # fmt: skip
    state = play(state, "advisor Frankreich Frankreich", "end")
    assert names(state) == ["nobody_can_place"]
    assert state.interim == SCORED


def test_the_match_ends_when_nobody_has_a_piece_left_for_the_places_that_are_free() -> None:
    """Ruling 8."""
    state = position("FR FR BY", FULL, advisors_left=bytes([1, 0, 0, 0]), interim=SCORED, pile_runs=1)
    state = play(state, "advisor Frankreich Frankreich", "end")
    assert state.is_over


def test_the_match_goes_on_while_anybody_could_place_with_a_card_yet_to_come() -> None:
    """Ruling 8."""
    state = position("FR FR BY", FULL, advisors_left=bytes([1, 0, 0, 1]), interim=SCORED, pile_runs=1)
    state = play(state, "advisor Frankreich Frankreich", "end")
    assert state.phase == DRAWING


def test_before_placing_nothing_can_be_drawn() -> None:
    assert reason(position(), "draw pile") == "Place a piece or discard a card first; then you draw."
    placed = play(position("FR FR BY", {"FR1": 1}), "cloister FR2 Frankreich")
    assert reason(placed, "draw pile") == "End placing first; then you draw."


def test_drawing_from_the_pile_and_turning_up_an_open_card_cannot_be_taken_back() -> None:
    ended = play(position("FK BY BY", {"FK1": 1}, face_up=cards("EN LO")), "cloister FK2 Franken/Aragon",
                 "advisor Franken Bayern/Burgund+Bayern/Burgund", "end")  # fmt: skip
    took_open = play(ended, "draw England/Schwaben")
    assert not shown_to(ended, took_open)
    took_both = play(took_open, "draw Lothringen/Italien")
    assert not shown_to(took_open, took_both)
    assert shown_to(took_both, play(took_both, "draw pile")) == {0, 1, 2, 3, None}


@pytest.mark.parametrize(
    "steps",
    ["cloister FR1 Frankreich", "advisor Frankreich Bayern/Burgund+Bayern/Burgund", "exchange Frankreich"],
)
def test_a_card_of_a_hidden_hand_that_is_played_cannot_be_taken_back(steps: str) -> None:
    before = position("FR BY BY", {"FR2": 1})
    assert shown_to(before, play(before, steps)) == {1, 2, 3, None}


@pytest.mark.parametrize(
    ("shown", "steps", "to"),
    [
        ("FR", "cloister FR1 Frankreich", set()),
        ("FR", "exchange Frankreich", set()),
        ("BY BY", "cloister FR1 Bayern/Burgund+Bayern/Burgund", set()),
        ("BY", "cloister FR1 Bayern/Burgund+Bayern/Burgund", {1, 2, 3, None}),
        ("BY", "cloister FR1 Frankreich", {1, 2, 3, None}),
    ],
)
def test_a_card_that_was_drawn_openly_shows_nothing_when_it_is_played(
    shown: str, steps: str, to: set[Viewer]
) -> None:
    before = position("FR BY BY", {"FR2": 1}, shown=(cards(shown), b"", b"", b""))
    assert shown_to(before, play(before, steps)) == to


def shown_to(before: State, after: State) -> set[Viewer]:
    """Those to whom a step reveals something, among them spectators."""
    viewers: tuple[Viewer, ...] = (*range(before.deal.seats), None)
    return {viewer for viewer in viewers if GAME.reveals(before, after, viewer)}
