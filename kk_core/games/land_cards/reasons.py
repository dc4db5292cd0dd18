"""Why a move is not legal, in a sentence that names the rule."""

from __future__ import annotations

from kk_core.errors import InvalidMove
from kk_core.games.land_cards import model
from kk_core.games.land_cards.layout import LIMIT, STONES, has_cards, row_ends, stones_of
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES
from kk_core.games.land_cards.state import State
from kk_core.moveset import has_move
from kk_core.text import Text, text
from kk_core.types import Move, Seat


def why_not(state: State, seat: Seat, move: Move) -> Text | None:
    """Why a move is not legal; None when it is."""
    if seat == state.seat and has_move(state.legal, move):
        return None
    if state.phase == model.OVER:
        return text("The match is over.")
    if seat != state.seat:
        return text("It is not your turn.")
    try:
        return _of_move(state, move)
    except InvalidMove as error:
        return error.reason


def _of_move(state: State, move: Move) -> Text:
    match model.read(move):
        case model.Take(cell):
            return _take(state, cell)
        case model.GiveUp(cell):
            return _give_up(state, cell)
        case model.PlayLaw(law):
            return _law(state, law)
        case model.EndTaking():
            return _end_taking(state)
        case model.Place(cell):
            return _place(state, cell)
        case model.MoveStone(start, target):
            return _move(state, start, target)
        case model.Pass():
            return _not_in_stone_step(state)
        case model.Skip():
            return text("A turn can be skipped only by a player who can take no card.")


def _take(state: State, cell: int) -> Text:
    board = state.board
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if state.phase == model.STONE_STEP:
        return text("You have ended taking cards in this turn.")
    if board[cell] >= model.TAKEN:
        return text("This card has been taken already.")
    if cell not in state.ends:
        if cell in row_ends(board):
            return text("This card was not at an end of its row when your turn began.")
        return text("This card is not at an end of its row.")
    owner = board[cell] - model.STONE
    if board[cell] != model.FREE and owner != state.seat and state.gone[state.seat] == STONES:
        return text("It is under an opponent's stone, and you have no stone left to give up.")
    return _beyond_limits(state, state.deal.faces[cell])


def _beyond_limits(state: State, face: int) -> Text:
    first = model.country_of(state.deal.faces[state.taken[0]])
    if model.country_of(face) != first and not state.any_colour:
        return text(
            "All cards of one turn must be of one country: you have begun with {country}.",
            country=COUNTRY_NAMES[first],
        )
    return text(
        "{taken} of {limit} circle symbols taken: this card would make {sum}.",
        taken=state.symbols,
        limit=state.limit,
        sum=state.symbols + len(model.symbols_of(face)),
    )


def _give_up_first() -> Text:
    return text("First give up one of your stones for the opponent's card that you have taken.")


def _give_up(state: State, cell: int | None) -> Text:
    if state.phase != model.GIVING_UP:
        return text("A stone is given up only right after taking a card under an opponent's stone.")
    if cell is None:
        return text("You have no stone in your supply; give up one that lies on a card.")
    return text("There is no stone of yours on this card.")


def _place(state: State, cell: int) -> Text:
    if state.phase != model.STONE_STEP:
        return _not_in_stone_step(state)
    lying = state.board[cell]
    if lying >= model.TAKEN:
        return text("Stones lie only on cards in the layout, and this card has been taken.")
    if not state.supply[state.seat]:
        return text("You have no stone in your supply.")
    on_cards = len(stones_of(state.board, state.seat))
    if on_cards >= state.deal.stone_limit:
        return text(
            "Only {limit} of your stones may lie on cards; you may move one of them instead.",
            limit=state.deal.stone_limit,
        )
    return text("A stone lies on this card already.")


def _move(state: State, start: int, target: int) -> Text:
    if state.phase != model.STONE_STEP:
        return _not_in_stone_step(state)
    board = state.board
    if board[start] != model.STONE + state.seat:
        return text("There is no stone of yours on this card.")
    if state.supply[state.seat] and len(stones_of(board, state.seat)) < state.deal.stone_limit:
        return text("Stones may be moved only when all that may be placed lie on cards.")
    if board[target] >= model.TAKEN:
        return text("Stones lie only on cards in the layout, and this card has been taken.")
    return text("A stone lies on this card already.")


def _not_in_stone_step(state: State) -> Text:
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if state.taken:
        return text("First end taking cards; stones come after that.")
    return text("First take a card; stones come after that.")


def _end_taking(state: State) -> Text:
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if state.phase == model.STONE_STEP:
        return text("You have ended taking cards in this turn.")
    return text("You must take at least one card.")


def _law(state: State, kind: int) -> Text:
    if kind not in state.hands[state.seat]:
        return text("You do not hold the law “{law}”.", law=LAW_NAMES[kind])
    if kind == model.MINUS_TWO:
        return text("“{law}” is never played; it counts at the end.", law=LAW_NAMES[kind])
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if kind == model.TAKE_BACK_STONE and not state.gone[state.seat]:
        return text("None of your stones is out of the game.")
    if kind == model.THREE_SYMBOLS and state.limit > LIMIT:
        return text("Up to 3 symbols are allowed in this turn already.")
    if kind == model.DIFFERENT_COLOURS and state.any_colour:
        return text("Different colours are allowed in this turn already.")
    if state.phase == model.TAKING and not state.taken:
        return text("You can take no card; this law would not help.")
    if not has_cards(state.board):
        return text("No card is left in the layout; this law would have no effect.")
    return text("You can take no further card in this turn; this law would have no effect.")
