"""The contract holds for any game, and notices a game that breaks it.

Three games live beside the tests only: Nim (perfect information, few moves, nothing to take back), sealed
bids (hands, choices made at the same moment) and one bid (the same, over after a single choice). They must
pass as they are; with a fault each, they must not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kk_core import games, registry
from kk_core.chance import Chance
from kk_core.errors import InvalidOptions
from kk_core.games.ku_ka_king.game import KuKaKing
from kk_core.games.web_of_power.game import WebOfPower
from kk_core.text import Text, text
from kk_core.types import CommonObservation, Event, Move, Seat, Viewer
from tests.core.contract import test_records, test_replay, test_rules, test_secrets, test_views
from tests.core.contract.outside.nim.game import Nim
from tests.core.contract.outside.sealed.game import Sealed, SealedObservation, State
from tests.core.contract.tables import OwnTable, Table

Check = Callable[[Table], None]


def checks_of(*modules: Any) -> list[Check]:
    """The tests that ask for nothing but a table."""
    found = [function for module in modules for _, function in inspect.getmembers(module, inspect.isfunction)]
    return [
        function
        for function in found
        if function.__name__.startswith("test_") and list(inspect.signature(function).parameters) == ["table"]
    ]


ALL = checks_of(test_records, test_replay, test_rules, test_secrets, test_views)
SECRETS = checks_of(test_secrets)


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Registers the games of the folder `outside` beside those of the program."""
    folder = str(Path(__file__).parent / "outside")
    monkeypatch.setattr(games, "__path__", [*games.__path__, folder])
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    registry.game_ids.cache_clear()
    registry.game.cache_clear()


@pytest.mark.parametrize(("game_id", "seats"), [("nim", 2), ("sealed", 2), ("sealed", 3), ("one_bid", 2)])
@pytest.mark.parametrize("check", ALL, ids=lambda check: check.__name__)
@pytest.mark.usefixtures("outside")
def test_a_game_from_outside_passes(check: Check, game_id: str, seats: int) -> None:
    check(Table(game_id, seats))


class ShowsHands(Sealed):
    """Every hand in every view; only the left-over cards, which nobody looks at, are drawn anew."""

    def observe(self, state: State, viewer: Viewer) -> SealedObservation:
        seen = super().observe(state, viewer)
        return replace(seen, hand=b"".join(state.hands) + state.laid + state.rest)

    def determinise(self, observation: SealedObservation, chance: Chance) -> State:
        seats = len(observation.sizes)
        cards, hands = observation.hand, []
        for size in observation.sizes:
            hands.append(cards[:size])
            cards = cards[size:]
        laid, rest = cards[:seats], list(cards[seats:])
        chance.shuffle(rest)
        points = bytes(observation.points)
        return State(tuple(hands), laid, points, bytes(sorted(rest)), observation.played, observation.turn)


class ShowsChoices(Sealed):
    """The log tells what lies face down."""

    def visible_move(self, seat: Seat, move: Move, viewer: Viewer) -> Move | None:
        return move


class TellsChoices(Sealed):
    """An event, which everybody sees, tells what lies face down."""

    def events(self, state: State) -> tuple[Event, ...]:
        return state.events or ((1, state.laid),)


class ShowsFaceDown(Sealed):
    """The view of a seat has the next one's card in it."""

    def observe(self, state: State, viewer: Viewer) -> SealedObservation:
        seen = super().observe(state, viewer)
        return seen if viewer is None else replace(seen, own=state.laid[(viewer + 1) % len(state.laid)])


class DrawsTheSame(Sealed):
    """Draws nothing: of all deals that there may be it always gives the same."""

    def determinise(self, observation: SealedObservation, chance: Chance) -> State:
        return super().determinise(observation, Chance(bytes(32)))


class TakesBackReveals(Sealed):
    """Lets the last call be taken back when all have seen the cards."""

    def turn(self, state: State) -> int:
        return 0

    def reveals(self, before: State, after: State, viewer: Viewer) -> bool:
        return False


class DeniesSecrets(Sealed):
    """Says that all is open, though hands are not."""

    meta = replace(Sealed.meta, has_secrets=False)


class PretendsSecrets(Nim):
    """Says that somebody holds a secret, though nobody does."""

    meta = replace(Nim.meta, has_secrets=True)


class ForgetsMoves(Sealed):
    """Draws states in which those who have laid a card still have to."""

    def determinise(self, observation: CommonObservation, chance: Chance) -> State:
        state = super().determinise(observation, chance)  # type: ignore[arg-type]
        return replace(state, laid=bytes(len(state.laid)))


class DrawsOneOfTwo(Sealed):
    """However many deals there are, it knows two of them."""

    def determinise(self, observation: SealedObservation, chance: Chance) -> State:
        return super().determinise(observation, Chance(bytes([chance.below(2)]) * 32))


class TellsReasons(Sealed):
    """Says of a card whether somebody else has it."""

    def why_not(self, state: State, seat: Seat, move: Move) -> Text | None:
        reason = super().why_not(state, seat, move)
        if reason is not None and any(move in tuple(hand) for hand in state.hands):
            return text("Somebody else has this card.")
        return reason


class KnowsNoOtherNumbers(Nim):
    """Says nothing of a number that no move has, as if it were none."""

    def why_not(self, state: Any, seat: Seat, move: Move) -> Text | None:
        self.format_move(move)
        return super().why_not(state, seat, move)


class ForgetsPlayedCards(Sealed):
    """Nobody remembers what has been laid: it may be anywhere again."""

    def observe(self, state: State, viewer: Viewer) -> SealedObservation:
        return replace(super().observe(state, viewer), played=b"")


class ChangesWhatItIsGiven(KuKaKing):
    """Makes its moves in the state that it is given."""

    def __init__(self) -> None:
        vars(self).update(vars(registry.game("ku_ka_king")))

    def apply(self, state: Any, seat: Seat, move: Move) -> Any:
        after = super().apply(state, seat, move)
        for field in state.__struct_fields__:
            setattr(state, field, getattr(after, field))
        return state


class ForgetsOpenDraws(WebOfPower):
    """Nobody remembers who has taken which face-up card."""

    def __init__(self) -> None:
        vars(self).update(vars(registry.game("web_of_power")))

    def observe(self, state: Any, viewer: Viewer) -> Any:
        seen = super().observe(state, viewer)
        return replace(seen, shown=(b"",) * len(seen.shown))


class TakesBackShownCards(WebOfPower):
    """Lets a piece be taken back that was paid for with a card which nobody had seen."""

    def __init__(self) -> None:
        vars(self).update(vars(registry.game("web_of_power")))

    def reveals(self, before: Any, after: Any, viewer: Viewer) -> bool:
        return bool(before.pile != after.pile) or after.is_over


class TakesNothingBack(WebOfPower):
    """Says of every step that it shows something."""

    def __init__(self) -> None:
        vars(self).update(vars(registry.game("web_of_power")))

    def reveals(self, before: Any, after: Any, viewer: Viewer) -> bool:
        return True


@pytest.mark.parametrize(
    ("game", "check"),
    [
        (
            ChangesWhatItIsGiven,
            test_rules.test_every_legal_move_is_accepted_and_leaves_the_state_before_as_it_was,
        ),
        (
            KnowsNoOtherNumbers,
            test_rules.test_a_refused_move_gives_its_reason_and_leaves_everything_equal,
        ),
        (DrawsTheSame, test_secrets.test_the_truth_is_as_likely_as_any_other_state_that_is_drawn),
        (DrawsOneOfTwo, test_secrets.test_the_truth_is_as_likely_as_any_other_state_that_is_drawn),
        (TellsReasons, test_secrets.test_a_reason_tells_nothing_that_its_seat_could_not_work_out),
        (
            ForgetsPlayedCards,
            test_secrets.test_a_drawn_state_never_contradicts_what_its_viewer_has_seen_before,
        ),
        (TakesBackShownCards, test_secrets.test_a_step_that_can_be_taken_back_has_told_nobody_anything),
        (TakesNothingBack, test_secrets.test_a_step_that_nobody_can_take_back_has_told_somebody_something),
        (ForgetsOpenDraws, test_secrets.test_a_drawn_state_never_contradicts_what_its_viewer_has_seen_before),
    ],
)
def test_what_no_other_check_sees_is_noticed_by_the_one_for_it(game: type[Any], check: Check) -> None:
    with pytest.raises(AssertionError):
        check(OwnTable(game.meta.id, game.meta.min_seats, own=game()))


@pytest.mark.parametrize(
    "game",
    [ShowsHands, ShowsChoices, TellsChoices, ShowsFaceDown, DrawsTheSame, DrawsOneOfTwo, TellsReasons,
     ForgetsPlayedCards, TakesBackReveals, DeniesSecrets, PretendsSecrets, ForgetsMoves],
)  # fmt: skip
def test_a_game_that_tells_secrets_is_noticed(game: type[Any]) -> None:
    table = OwnTable(game.meta.id, game.meta.max_seats, own=game())
    noticed = []
    for check in SECRETS:
        try:
            check(table)
        except AssertionError:
            noticed.append(check.__name__)
    assert noticed


def test_a_game_for_one_number_of_players_says_it_once() -> None:
    with pytest.raises(InvalidOptions, match="Nim is for 2 players, not 3"):
        Nim().setup({}, 3, bytes(32))
