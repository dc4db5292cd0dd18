"""Messages between the hub and a bot worker: msgpack frames over the worker's two standard pipes.

A frame is its length (4 bytes, big-endian) followed by one message.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from kk_core.search.advice import Study
from kk_core.search.opponents import Memory
from kk_core.search.review import Expectation, Judgement, SearchDepth
from kk_core.types import Event, Move, Seat

LENGTH_BYTES: Final = 4


# as arrays, so that field names are not sent
class _Message(msgspec.Struct, frozen=True, array_like=True):
    pass


# -- from the hub --------------------------------------------------------------------------------------------


class Rules(_Message, tag="rules", frozen=True):
    """The rules data of a game as JSON, sent before the first question about a match with them."""

    game: str
    version: str
    data: bytes


class Noted(NamedTuple):
    """A `kk_core.types.SeenMove` with its observation encoded."""

    observation: list[Any]
    seat: Seat
    move: Move | None
    events: tuple[Event, ...]


class MoveRequest(_Message, tag="choose", frozen=True):
    """A request for a move, within `seconds`.

    `observation` is what the bot's seat may know, encoded by `views.encode_observation`; the `seed` is only
    for this choice and unrelated to the match's. A bot that watches gets its `memory` and, if it has moved
    before, what has happened `since`. It plays in a `style` of `kk_core.bot_names.STYLES`, or in none.
    """

    game: str
    version: str
    bot: str
    observation: list[Any]
    seed: bytes
    seconds: float
    memory: Memory = ()
    since: tuple[Noted, ...] = ()
    style: str | None = None


class AdviceRequest(_Message, tag="advise", frozen=True):
    """A request to study a seat's choice for hints and coach; `since` holds all moves so far."""

    game: str
    version: str
    observation: list[Any]
    seed: bytes
    seconds: float
    since: tuple[Noted, ...] = ()


class OutlookRequest(_Message, tag="foresee", frozen=True):
    """A request for what the viewers of these observations could expect, from `samples` samples each."""

    game: str
    version: str
    observations: list[list[Any]]
    samples: int
    seed: bytes
    seconds: float


class JudgeRequest(_Message, tag="judge", frozen=True):
    """A request to judge a move made in a match that is over (see `kk_core.search.review.judge`)."""

    game: str
    version: str
    observation: list[Any]
    played: Move
    depth: SearchDepth
    seed: bytes
    seconds: float


class ReviewRequest(_Message, tag="review", frozen=True):
    """A request to judge such a move beside a study of the choice (see `kk_core.search.review.review`)."""

    game: str
    version: str
    observation: list[Any]
    played: Move
    simulations: int
    seed: bytes
    seconds: float
    since: tuple[Noted, ...] = ()


class WeighRequest(_Message, tag="weigh", frozen=True):
    """A request to judge a move that is about to be made (see `kk_core.search.review.weigh`)."""

    game: str
    version: str
    observation: list[Any]
    study: Study
    move: Move
    seed: bytes
    seconds: float


Question: TypeAlias = (
    MoveRequest | AdviceRequest | OutlookRequest | JudgeRequest | ReviewRequest | WeighRequest
)


class Stop(_Message, tag="stop", frozen=True):
    """An order to answer at once: the best answer is no longer needed."""


Order: TypeAlias = Rules | Question | Stop

# -- from a worker -------------------------------------------------------------------------------------------


class BotWorkerReady(_Message, tag="ready", frozen=True):
    """The first message: the worker has started."""


class MoveReply(_Message, tag="chosen", frozen=True):
    """The answer to a `MoveRequest`; its memory is sent along with the next one."""

    move: Move
    memory: Memory = ()


class AdviceReply(_Message, tag="advised", frozen=True):
    """The answer to an `AdviceRequest`."""

    study: Study


class OutlookReply(_Message, tag="foreseen", frozen=True):
    """The answer to an `OutlookRequest`."""

    outlook: Expectation


class ReviewReply(_Message, tag="judged", frozen=True):
    """The answer to a `JudgeRequest` or a `ReviewRequest`."""

    judgement: Judgement | None


class WeighReply(_Message, tag="weighed", frozen=True):
    """The answer to a `WeighRequest`; None if the move is not a serious mistake."""

    judgement: Judgement | None


class Failed(_Message, tag="failed", frozen=True):
    """A question that could not be answered: the kind of the error and where it happened."""

    error: str


Reply: TypeAlias = BotWorkerReady | MoveReply | AdviceReply | OutlookReply | ReviewReply | WeighReply | Failed

_encoder = msgspec.msgpack.Encoder()
_orders: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encode(message: Order | Reply) -> bytes:
    """Encode a message as a frame."""
    data = _encoder.encode(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def decode_order(data: bytes) -> Order:
    """Decode an order from a frame without its length. Raises `msgspec.MsgspecError`."""
    return _orders.decode(data)


def decode_reply(data: bytes) -> Reply:
    """Decode a reply from a frame without its length. Raises `msgspec.MsgspecError`."""
    return _replies.decode(data)
