"""Drawing a state from those that the viewer of an observation cannot tell apart.

What he cannot see is which kinds of law lie where. A way to lay them fits when all that he saw of law cards
could have happened with it; all ways that fit are equally likely.
"""

from __future__ import annotations

from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from math import factorial, prod
from typing import NamedTuple

from kk_core.chance import Chance
from kk_core.edit import BYTE, with_item
from kk_core.games.land_cards.layout import kinds_of, row_ends
from kk_core.games.land_cards.model import (
    CELLS,
    FREE,
    LAW_HELD,
    LAW_LACKED,
    LAW_PLAYED,
    OVER,
    TAKE_BACK_STONE,
    TAKEN,
    Observation,
    law_entries,
)
from kk_core.games.land_cards.moves import settle
from kk_core.games.land_cards.state import Deal, State
from kk_core.types import Seat, Viewer


def determinise(seen: Observation, chance: Chance) -> State:
    """A state that its viewer sees like this; it has no events, for they are part of no position.

    Raises `ValueError` for an observation of no state.
    """
    history, lying = _draw(seen, chance)
    return settle(
        State(
            deal=Deal(seen.faces, kinds_of(seen.faces), _laws(seen, history.taken, lying), len(seen.supply),
                      seen.stone_limit, seen.at_start_only),
            board=seen.board, ends=_ends(seen), supply=seen.supply, gone=seen.gone, hands=history.hands,
            law_log=seen.law_log, phase=seen.phase, seat=_seat(seen), turn=seen.turn, taken=seen.taken,
            symbols=seen.symbols, limit=seen.symbol_limit, any_colour=seen.any_colour,
        )
    )  # fmt: skip


def _laws(seen: Observation, taken: bytes, lying: list[int]) -> bytes:
    laws = bytearray(CELLS)
    cells = [what for _, what in law_entries(seen.law_log) if what < CELLS]
    for cell, kind in zip((*cells, *seen.law_cells), (*taken, *lying), strict=True):
        laws[cell] = 1 + kind
    return bytes(laws)


def _ends(seen: Observation) -> bytes:
    if not seen.at_start_only:
        return row_ends(seen.board)
    at_start = bytearray(seen.board)
    for cell in seen.taken:
        at_start[cell] = FREE
    return row_ends(bytes(at_start)).translate(None, seen.taken)


def _seat(seen: Observation) -> Seat:
    return seen.active[0] if seen.active else seen.board[seen.taken[-1]] - TAKEN


# -- law cards -----------------------------------------------------------------------------------------------


class _History(NamedTuple):
    """One way in which the law log may have come about.

    `taken` are the kinds of the law cards taken, in the order of the log, `hands` those that are still held,
    `left` those that nobody has taken.
    """

    taken: bytes
    hands: tuple[bytes, ...]
    left: bytes

    def after_taking(self, seat: Seat, kind: int) -> _History:
        """The seat takes a law card of a kind."""
        hands = with_item(self.hands, seat, self.hands[seat] + BYTE[kind])
        return _History(self.taken + BYTE[kind], hands, self.left.replace(BYTE[kind], b"", 1))

    def after_playing(self, seat: Seat, kind: int) -> _History:
        """The seat plays a law card of a kind."""
        return self._replace(hands=with_item(self.hands, seat, self.hands[seat].replace(BYTE[kind], b"", 1)))

    def weight(self) -> int:
        """In how many ways the kinds that are left may lie."""
        return factorial(len(self.left)) // prod(factorial(self.left.count(kind)) for kind in set(self.left))


def _draw(seen: Observation, chance: Chance) -> tuple[_History, list[int]]:
    """A history, and the kinds that lie on `law_cells`."""
    shown = seen.hands if seen.phase == OVER else None
    histories, ends = _histories(
        seen.printed.laws, len(seen.supply), seen.law_log, seen.viewer, seen.laws_taken, shown
    )
    history = histories[bisect(ends, chance.below(ends[-1]))]
    lying = list(history.left)
    chance.shuffle(lying)
    return history, lying


@lru_cache(maxsize=256)
def _histories(
    laws: bytes,
    seats: int,
    law_log: bytes,
    viewer: Viewer,
    laws_taken: bytes,
    shown: tuple[bytes, ...] | None,
) -> tuple[list[_History], list[int]]:
    """All that fit what a viewer saw, and the running sums of their weights.

    `laws` are all kinds, `laws_taken` those that he took himself, `shown` the hands after the end.
    """
    own = iter(laws_taken)
    found = [_History(b"", (b"",) * seats, laws)]
    for seat, what in law_entries(law_log):
        if what < CELLS:
            kinds = [next(own)] if seat == viewer else sorted(set(laws))
            found = [one.after_taking(seat, kind) for one in found for kind in kinds if kind in one.left]
        elif what == LAW_HELD:
            found = [one for one in found if TAKE_BACK_STONE in one.hands[seat]]
        elif what == LAW_LACKED:
            found = [one for one in found if TAKE_BACK_STONE not in one.hands[seat]]
        else:
            kind = what - LAW_PLAYED
            found = [one.after_playing(seat, kind) for one in found if kind in one.hands[seat]]
    found = [one for one in found if shown in (None, one.hands)]
    if not found:
        raise ValueError(f"no deal of law cards fits this observation: {law_log!r}")
    return found, list(accumulate(one.weight() for one in found))
