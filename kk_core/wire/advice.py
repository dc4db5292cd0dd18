"""What a bot that searches would tell somebody in whose place it was."""

from __future__ import annotations

import msgspec

from kk_core.types import Move, Seat


class _Advice(msgspec.Struct, frozen=True, array_like=True):
    pass


class Change(_Advice, frozen=True):
    """What a move changes in a line of the score sheet, as things stand after it: means over what may be.

    `own` are the adviser's points; `rival` is who loses the most there, and `loss` how much (0 or below).
    `leads` tells whether one has the most points of the line then, and has not had them before.
    """

    line: int
    own: float
    rival: Seat | None
    loss: float
    leads: bool


class Advice(_Advice, frozen=True):
    """A move that is worth a thought.

    `share` is how much of the search went to it (0 to 1), `margin` by how many points one may expect to end
    before the best of the others. `contested` is how likely somebody chooses the same at the same moment;
    `changes` are those when nobody does. `then` is what should follow in the same turn, where that is clear;
    the changes are those of both. `promised` is what will change once one has what the move keeps for one.
    """

    move: Move
    share: float
    margin: float
    contested: float
    changes: tuple[Change, ...]
    then: Move | None = None
    promised: tuple[Change, ...] = ()
