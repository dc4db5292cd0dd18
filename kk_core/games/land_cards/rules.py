"""The rules of the card game: set-up, legal moves, their effects, and why moves are refused.

A hot path, so moves stay plain numbers: to `read` each would make a step a third slower. Functions that
change a position change a draft, a private copy.
"""

from __future__ import annotations

from itertools import compress
from typing import Final

from msgspec.structs import replace

from kk_core.chance import Chance
from kk_core.checks import checked_setup
from kk_core.errors import InvalidMove
from kk_core.games.land_cards import model
from kk_core.games.land_cards.layout import (
    COST,
    COUNTRY_OF_KIND,
    LIMIT,
    RAISED_LIMIT,
    STONES,
    has_cards,
    kinds_of,
    row_ends,
    stones_of,
    uncovered,
)
from kk_core.games.land_cards.model import (
    CELLS,
    DIFFERENT_COLOURS,
    END_TAKING,
    EXPOSED_AT_START,
    FREE,
    GIVE_UP,
    GIVE_UP_SUPPLY,
    GIVING_UP,
    LAW_HELD,
    LAW_LACKED,
    LAW_PLAYED,
    META,
    MOVE,
    OVER,
    PASS,
    PLACE,
    PLAY_LAW,
    SKIP,
    SKIPPED,
    STONE,
    STONE_STEP,
    TAKE,
    TAKE_BACK_STONE,
    TAKE_OPTION,
    TAKEN,
    TAKING,
    THREE_SYMBOLS,
    Printed,
)
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES
from kk_core.games.land_cards.state import Deal, Draft, State
from kk_core.text import Text, text
from kk_core.types import Event, Move, Options, Seat
from kk_core.values import BYTE, has_move, with_byte, with_item

# tables for `bytes.translate` and `compress`: every step of every simulation lists its moves
_IS_FREE: Final = bytes(value == FREE for value in range(256))
_TAKE_OF_CELL: Final = bytes((TAKE + value) & 0xFF for value in range(256))  # larger values are no cells
_PLACES: Final = tuple(range(PLACE, PLACE + CELLS))
_MOVES_FROM: Final = tuple(
    tuple(range(MOVE + cell * CELLS, MOVE + (cell + 1) * CELLS)) for cell in range(CELLS)
)
# by room: for every kind of card, whether its symbols fit
_WITHIN: Final = tuple(bytes(kind >> 4 <= room for kind in range(256)) for room in range(RAISED_LIMIT + 1))
# by country and room: the same for the country's cards only
_WITHIN_OF: Final = tuple(
    tuple(bytes(fits[kind] and kind & COUNTRY_OF_KIND == country for kind in range(256)) for fits in _WITHIN)
    for country in range(COUNTRY_OF_KIND + 1)
)


# -- legal moves ---------------------------------------------------------------------------------------------


def work_out_legal(state: State | Draft) -> tuple[Move, ...]:
    """Return the moves of the active seat; none if the match is over or the seat must skip."""
    if state.phase == TAKING:
        return _next_takes(state) if state.taken else _first_takes(state)
    if state.phase == STONE_STEP:
        return _stone_moves(state)
    if state.phase == GIVING_UP:
        return _stones_to_give_up(state)
    return ()


def _first_takes(state: State | Draft) -> tuple[Move, ...]:
    # any card may be the first: none has more symbols than the limit
    seat, ends = state.seat, state.ends
    hand = state.hands[seat]
    if state.gone[seat] == STONES:
        # the seat has no stones on cards, so every stone there is an opponent's
        ends = _free_ends(state)
        if not ends:  # ruling 6
            # without that law there is no choice, and `end_turn` passes the seat over
            return (SKIP, PLAY_LAW + TAKE_BACK_STONE) if TAKE_BACK_STONE in hand else ()
    takes = ends.translate(_TAKE_OF_CELL)
    return (*_laws(state, hand), *takes) if hand else tuple(takes)


def _next_takes(state: State | Draft) -> tuple[Move, ...]:
    # further cards must be of the first one's country, within the limit of symbols
    seat, kinds, ends, room = state.seat, state.deal.kinds, state.ends, state.limit - state.symbols
    if state.gone[seat] == STONES:
        ends = _free_ends(state)
    country = kinds[state.taken[0]] & COUNTRY_OF_KIND
    can_be_taken = _WITHIN[room] if state.any_colour else _WITHIN_OF[country][room]
    takes = compress(ends.translate(_TAKE_OF_CELL), ends.translate(kinds).translate(can_be_taken))
    hand = state.hands[seat]
    return (END_TAKING, *_laws(state, hand), *takes) if hand else (END_TAKING, *takes)


def _free_ends(state: State | Draft) -> bytes:
    # a seat without stones cannot pay for cards under others' stones
    board = state.board
    return bytes([cell for cell in state.ends if board[cell] == FREE])


def _laws(state: State | Draft, hand: bytes) -> list[Move]:
    """Return the laws that may be played before and between takes."""
    # A law that would have no effect is not legal (ruling 3): none once the layout is empty, and those about
    # taking only while a card can be taken and the rule is not yet lifted.
    moves = []
    ends = state.ends
    if TAKE_BACK_STONE in hand and state.gone[state.seat] and (ends or has_cards(state.board)):
        moves.append(PLAY_LAW + TAKE_BACK_STONE)
    if THREE_SYMBOLS in hand and state.limit == LIMIT and ends:
        moves.append(PLAY_LAW + THREE_SYMBOLS)
    if DIFFERENT_COLOURS in hand and not state.any_colour and ends:
        moves.append(PLAY_LAW + DIFFERENT_COLOURS)
    return moves


def _stones_to_give_up(state: State | Draft) -> tuple[Move, ...]:
    on_cards = [GIVE_UP + cell for cell in stones_of(state.board, state.seat)]
    return (GIVE_UP_SUPPLY, *on_cards) if state.supply[state.seat] else tuple(on_cards)


def _stone_moves(state: State | Draft) -> tuple[Move, ...]:
    """Return placements of a stone or, if no more may be placed, moves of one (ruling 5)."""
    seat = state.seat
    supply, gone = state.supply[seat], state.gone[seat]
    free = state.board.translate(_IS_FREE)
    first = (PASS, PLAY_LAW + TAKE_BACK_STONE) if gone and TAKE_BACK_STONE in state.hands[seat] else (PASS,)
    if supply and STONES - supply - gone < state.deal.stone_limit:
        return (*first, *compress(_PLACES, free))
    moves: list[Move] = [*first]
    for start in stones_of(state.board, seat):
        moves += compress(_MOVES_FROM[start], free)
    return tuple(moves)


# -- what a move does ----------------------------------------------------------------------------------------


def first_position(deal: Deal) -> State:
    """Return the position before the first move."""
    board = bytes(CELLS)
    return settle(
        State(
            deal=deal, board=board, ends=row_ends(board), supply=bytes((STONES,) * deal.seats),
            gone=bytes(deal.seats), hands=(b"",) * deal.seats, law_log=b"", phase=TAKING, seat=0, turn=0,
            taken=b"", symbols=0, limit=LIMIT, any_colour=False,
        )
    )  # fmt: skip


def settle(state: State, events: tuple[Event, ...] = ()) -> State:
    """Return the same position with its legal moves filled in."""
    return replace(state, legal=work_out_legal(state), events=events)


def apply_legal(state: State, move: Move) -> State:
    """Return the position after a legal move."""
    draft = Draft()
    draft.fill(state)
    act(draft, move)
    return draft.finished(work_out_legal(draft))


def act(draft: Draft, move: Move) -> None:
    """Make a legal move."""
    if TAKE <= move < GIVE_UP:  # the most frequent kind first
        take(draft, move - TAKE)
    elif move == END_TAKING:
        end_taking(draft)
    elif move >= MOVE:
        _move_stone(draft, *divmod(move - MOVE, CELLS))
    elif move >= PLACE:
        place(draft, move - PLACE)
    elif move >= GIVE_UP:
        _give_up(draft, move - GIVE_UP)
    elif move == GIVE_UP_SUPPLY:
        give_up_from_supply(draft)
    elif move >= PLAY_LAW:
        _play_law(draft, move - PLAY_LAW)
    else:  # PASS or SKIP
        end_turn(draft)


def take(draft: Draft, cell: int) -> None:
    """Take a card at an end."""
    deal, seat, board = draft.deal, draft.seat, draft.board
    lying = board[cell]
    draft.board = board = with_byte(board, cell, TAKEN + seat)
    if lying != FREE:
        owner = lying - STONE
        draft.supply = with_byte(draft.supply, owner, draft.supply[owner] + 1)
        if owner != seat:
            draft.phase = GIVING_UP
    if law := deal.laws[cell]:
        draft.hands = with_item(draft.hands, seat, draft.hands[seat] + BYTE[law - 1])
        _note(draft, cell)
    if deal.at_start_only:
        draft.ends = draft.ends.replace(BYTE[cell], b"")
    else:
        draft.ends = uncovered(board, draft.ends, cell)
    draft.taken += BYTE[cell]
    draft.symbols += COST[deal.faces[cell]]


def end_taking(draft: Draft) -> None:
    """End taking in this turn; the match is over if no card is left."""
    draft.phase = STONE_STEP if has_cards(draft.board) else OVER


def _give_up(draft: Draft, cell: int) -> None:
    draft.board = with_byte(draft.board, cell, FREE)
    _lose_stone(draft)
    draft.phase = TAKING


def give_up_from_supply(draft: Draft) -> None:
    """Give up a stone from the supply: it leaves the game."""
    _use_stone(draft)
    _lose_stone(draft)
    draft.phase = TAKING


def _use_stone(draft: Draft) -> None:
    seat, supply = draft.seat, draft.supply
    draft.supply = with_byte(supply, seat, supply[seat] - 1)


def _lose_stone(draft: Draft) -> None:
    seat, gone = draft.seat, draft.gone
    draft.gone = with_byte(gone, seat, gone[seat] + 1)


def _play_law(draft: Draft, kind: int) -> None:
    seat = draft.seat
    draft.hands = with_item(draft.hands, seat, draft.hands[seat].replace(BYTE[kind], b"", 1))
    _note(draft, LAW_PLAYED + kind)
    if kind == TAKE_BACK_STONE:
        draft.supply = with_byte(draft.supply, seat, draft.supply[seat] + 1)
        draft.gone = with_byte(draft.gone, seat, draft.gone[seat] - 1)
    elif kind == THREE_SYMBOLS:
        draft.limit = RAISED_LIMIT
    else:
        draft.any_colour = True


def place(draft: Draft, cell: int) -> None:
    """Place a stone from the supply on a card."""
    draft.board = with_byte(draft.board, cell, STONE + draft.seat)
    _use_stone(draft)
    end_turn(draft)


def _move_stone(draft: Draft, start: int, target: int) -> None:
    board = with_byte(draft.board, start, FREE)
    draft.board = with_byte(board, target, STONE + draft.seat)
    end_turn(draft)


def end_turn(draft: Draft) -> None:
    """Pass the turn to the next seat that has a choice.

    There always is one: cards are left, and one under a stone can be taken by the stone's owner.
    """
    if draft.deal.at_start_only:
        draft.ends = row_ends(draft.board)
    draft.phase, draft.symbols, draft.limit, draft.any_colour = TAKING, 0, LIMIT, False
    draft.taken = b""
    while True:
        draft.seat = seat = (draft.seat + 1) % draft.deal.seats
        draft.turn += 1
        if draft.gone[seat] < STONES:  # it can take any card at an end, so it has a choice
            return
        legal = work_out_legal(draft)
        if not legal:
            # passing a seat over shows everybody that it lacks the law that would save its turn
            draft.events += ((SKIPPED, seat),)
            if draft.hands[seat]:
                _note(draft, LAW_LACKED)
        elif legal[0] == SKIP:
            # being able to choose shows that it holds that law
            _note(draft, LAW_HELD)
            return
        else:
            return


def _note(draft: Draft, what: int) -> None:
    # `law_log` has everything public about law cards
    draft.law_log += BYTE[draft.seat] + BYTE[what]


# -- why a move is refused -----------------------------------------------------------------------------------


def why_not(state: State, seat: Seat, move: Move) -> Text | None:
    """Explain why a move is not legal; None if it is."""
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
            return _why_not_give_up(state, cell)
        case model.PlayLaw(law):
            return _law(state, law)
        case model.EndTaking():
            return _end_taking(state)
        case model.PlaceStone(cell):
            return _place(state, cell)
        case model.MoveStone(start, target):
            return _move(state, start, target)
        case model.Pass():
            return _not_in_stone_step(state)
        case model.Skip():
            return text("You can skip your turn only when you can't take a card.")


def _take(state: State, cell: int) -> Text:
    board = state.board
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if state.phase == model.STONE_STEP:
        return text("You've finished taking cards this turn.")
    if board[cell] >= model.TAKEN:
        return text("This card has already been taken.")
    if cell not in state.ends:
        if cell in row_ends(board):
            return text("This card was not at an end of its row when your turn began.")
        return text("This card is not at an end of its row.")
    owner = board[cell] - model.STONE
    if board[cell] != model.FREE and owner != state.seat and state.gone[state.seat] == STONES:
        return text("It's under an opponent's stone, and you have no stone left to give up.")
    return _beyond_limits(state, state.deal.faces[cell])


def _beyond_limits(state: State, face: int) -> Text:
    first = model.country_of(state.deal.faces[state.taken[0]])
    if model.country_of(face) != first and not state.any_colour:
        return text(
            "All cards of a turn must be of one country: you started with {country}.",
            country=COUNTRY_NAMES[first],
        )
    return text(
        "{taken} of {limit} symbols taken: this card would make {sum}.",
        taken=state.symbols,
        limit=state.limit,
        sum=state.symbols + len(model.symbols_of(face)),
    )


def _give_up_first() -> Text:
    return text("First give up a stone for the card you took from under an opponent's stone.")


def _why_not_give_up(state: State, cell: int | None) -> Text:
    if state.phase != model.GIVING_UP:
        return text("You give up a stone only right after taking a card under an opponent's stone.")
    if cell is None:
        return text("You have no stone in your supply; give up one that's on a card.")
    return text("You have no stone on this card.")


def _place(state: State, cell: int) -> Text:
    if state.phase != model.STONE_STEP:
        return _not_in_stone_step(state)
    lying = state.board[cell]
    if lying >= model.TAKEN:
        return text("Stones go only on cards in the rows, and this card has been taken.")
    if not state.supply[state.seat]:
        return _without_supply(state)
    on_cards = len(stones_of(state.board, state.seat))
    if on_cards >= state.deal.stone_limit:
        return text(
            "Only {limit} of your stones may be on cards; you may move one instead.",
            limit=state.deal.stone_limit,
        )
    return text("This card already has a stone on it.")


def _without_supply(state: State) -> Text:
    """Return that there is no stone to place, and what can be done instead."""
    if max(state.legal) >= model.MOVE:
        return text("You have no stone in your supply; choose one that's on a card to move it.")
    if model.PLAY_LAW + model.TAKE_BACK_STONE in state.legal:
        return text(
            "You have no stone in your supply; your law “{law}” brings one back.",
            law=LAW_NAMES[model.TAKE_BACK_STONE],
        )
    return text("You have no stone to place or to move; end your turn without one.")


def _move(state: State, start: int, target: int) -> Text:
    if state.phase != model.STONE_STEP:
        return _not_in_stone_step(state)
    board = state.board
    if board[start] != model.STONE + state.seat:
        return text("You have no stone on this card.")
    if state.supply[state.seat] and len(stones_of(board, state.seat)) < state.deal.stone_limit:
        return text("You can move a stone only when you can't place another.")
    if board[target] >= model.TAKEN:
        return text("Stones go only on cards in the rows, and this card has been taken.")
    return text("This card already has a stone on it.")


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
        return text("You've finished taking cards this turn.")
    return text("You must take at least one card.")


def _law(state: State, kind: int) -> Text:
    if kind not in state.hands[state.seat]:
        return text("You don't have the law “{law}”.", law=LAW_NAMES[kind])
    if kind == model.MINUS_TWO:
        return text("“{law}” is never played; it counts at the end.", law=LAW_NAMES[kind])
    if state.phase == model.GIVING_UP:
        return _give_up_first()
    if kind == model.TAKE_BACK_STONE and not state.gone[state.seat]:
        return text("None of your stones is out of the game.")
    if kind == model.THREE_SYMBOLS and state.limit > LIMIT:
        return text("You may already take up to 3 symbols this turn.")
    if kind == model.DIFFERENT_COLOURS and state.any_colour:
        return text("Several countries are already allowed this turn.")
    if state.phase == model.TAKING and not state.taken:
        return text("You can't take any card, so this law wouldn't help.")
    if not has_cards(state.board):
        return text("No cards are left in the rows; this law would have no effect.")
    return text("You can't take another card this turn; this law would have no effect.")


# -- set-up --------------------------------------------------------------------------------------------------


# by number of players
STONES_ON_CARDS: Final = {3: 3, 4: 2, 5: 2}


def set_up(cards: Printed, options: Options, seats: int, seed: bytes) -> State:
    """Shuffle the land cards and lay them out row by row, then shuffle the laws and lay them on their cells.

    Raises `InvalidOptions`.
    """
    take = checked_setup(META, options, seats, seed)[TAKE_OPTION]
    chance = Chance(seed)
    faces = list(cards.faces)
    chance.shuffle(faces)
    kinds = list(cards.laws)
    chance.shuffle(kinds)
    laws = bytearray(CELLS)
    for cell, kind in zip(cards.law_cells, kinds, strict=True):
        laws[cell] = 1 + kind
    return first_position(
        Deal(
            tuple(faces),
            kinds_of(faces),
            bytes(laws),
            seats,
            STONES_ON_CARDS[seats],
            take == EXPOSED_AT_START,
        )
    )
