"""What the hub and a worker say to each other: frames of msgpack on the worker's two standard pipes.

A frame is its length (4 bytes, big-endian) and then one message.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from kk_core.protocol.views import Advice
from kk_core.search.opponents import Memory
from kk_core.search.review import Expectation, Judgement, SearchDepth
from kk_core.types import Move, Seat

LENGTH_BYTES: Final = 4

ADVISER: Final = "expert"
"""The bot that people are advised by."""


class _Message(msgspec.Struct, frozen=True, array_like=True):
    pass


# -- what the hub says ---------------------------------------------------------------------------------------


class Rules(_Message, tag="rules", frozen=True):
    """The rules data of a game, as JSON, before the first question about a match with them."""

    game: str
    version: str
    data: bytes


class Noted(NamedTuple):
    """A `kk_core.types.SeenMove`, its observation encoded."""

    observation: list[Any]
    seat: Seat
    move: Move | None


class MoveRequest(_Message, tag="choose", frozen=True):
    """Choose a move, within so many seconds.

    `observation` is what the bot's seat may know, as `views.encode_observation` makes it; the
    `seed` is for this choice alone and has nothing to do with that of the match. A bot that watches is told
    its `memory` and, if it has chosen before, what has been done `since`.
    """

    game: str
    version: str
    bot: str
    observation: list[Any]
    seed: bytes
    seconds: float
    memory: Memory = ()
    since: tuple[Noted, ...] = ()


class AdviceRequest(_Message, tag="advise", frozen=True):
    """A request for advice to whoever has a seat, within so many seconds; like `MoveRequest`, but `since` is
    everything that has been done.
    """

    game: str
    version: str
    observation: list[Any]
    seed: bytes
    seconds: float
    since: tuple[Noted, ...] = ()


class OutlookRequest(_Message, tag="foresee", frozen=True):
    """Say what these observations' viewers could expect of a match that is over, by so many samples each."""

    game: str
    version: str
    observations: list[list[Any]]
    samples: int
    seed: bytes
    seconds: float


class ReviewRequest(_Message, tag="judge", frozen=True):
    """Say how good a move was that a seat of a match made which is over (see `kk_core.search.review`)."""

    game: str
    version: str
    observation: list[Any]
    played: Move
    depth: SearchDepth
    explain: bool
    seed: bytes
    seconds: float


Question: TypeAlias = MoveRequest | AdviceRequest | OutlookRequest | ReviewRequest


class Stop(_Message, tag="stop", frozen=True):
    """Answer at once: nobody needs the best answer any more."""


Order: TypeAlias = Rules | Question | Stop

# -- what a worker says --------------------------------------------------------------------------------------


class BotWorkerReady(_Message, tag="ready", frozen=True):
    """It has started."""


class MoveReply(_Message, tag="chosen", frozen=True):
    """The answer to `MoveRequest`; the memory is to be kept for the next one."""

    move: Move
    memory: Memory = ()


class AdviceReply(_Message, tag="advised", frozen=True):
    """The answer to `AdviceRequest`: the best moves, the best first."""

    moves: tuple[Advice, ...]


class OutlookReply(_Message, tag="foreseen", frozen=True):
    """The answer to `OutlookRequest`."""

    outlook: Expectation


class ReviewReply(_Message, tag="judged", frozen=True):
    """The answer to `ReviewRequest`."""

    judgement: Judgement


class Failed(_Message, tag="failed", frozen=True):
    """An answer that cannot be given, with the kind of the error and where it happened."""

    error: str


Reply: TypeAlias = BotWorkerReady | MoveReply | AdviceReply | OutlookReply | ReviewReply | Failed

_encoder = msgspec.msgpack.Encoder()
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encode(message: Order | Reply) -> bytes:
    """A message as a frame."""
    data = _encoder.encode(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def decode_order(data: bytes) -> Order:
    """The order of a frame without its length. Raises `msgspec.MsgspecError`."""
    return _orders.decode(data)


def decode_reply(data: bytes) -> Reply:
    """The reply of a frame without its length. Raises `msgspec.MsgspecError`."""
    return _replies.decode(data)
