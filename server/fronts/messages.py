"""What the hub and a front process say to each other, beside the streams of the protocol.

A frame is its length (4 bytes, big-endian) and then one message.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kk_core.text import Text
from server.counts import Counts
from server.front.reception import Admitted, Errand, Order
from server.front.settings import FrontSettings


class _Message(msgspec.Struct, frozen=True, array_like=True):
    pass


class _Request(_Message, frozen=True):
    """Has an answer of the same number."""

    request: int


# -- what the hub says ---------------------------------------------------------------------------------------


class Begin(_Message, tag="begin", frozen=True):
    """The first message: the number of the front, the private key of the server, and what counts there.

    Each tells the other of itself every `look` seconds.
    """

    front: int
    key: bytes
    settings: FrontSettings
    has_log: bool
    look: float


class Beat(_Message, tag="beat", frozen=True):
    """The hub is well; comes all the time."""


class Use(_Message, tag="use", frozen=True):
    """What counts from now on."""

    settings: FrontSettings


class Reason(_Request, tag="reason", frozen=True):
    """The answer to `WhyNot`."""

    reason: Text | None


class Entered(_Request, tag="entered", frozen=True):
    """The answer to `Enter`."""

    admitted: Admitted


class Done(_Request, tag="done", frozen=True):
    """The answer to all else: it has come to its end, with an exit status where that means something."""

    status: int = 0


class Refused(_Request, tag="refused", frozen=True):
    """The answer to what is not done."""

    reason: Text


class End(_Message, tag="end", frozen=True):
    """A session is to end."""

    session: str
    reason: Text


class Close(_Message, tag="close", frozen=True):
    """Everybody is to leave; then the process ends."""

    reason: Text


Answer: TypeAlias = Reason | Entered | Done | Refused
FromHub: TypeAlias = Begin | Beat | Use | Answer | End | Close


# -- what a front says ---------------------------------------------------------------------------------------


class Ready(_Message, tag="ready", frozen=True):
    """It takes connections."""


class Known(_Message, tag="known", frozen=True):
    """It is known whose a connection is."""

    connection: int


class Over(_Message, tag="over", frozen=True):
    """A connection has ended."""

    connection: int


class Shown(_Message, frozen=True):
    """Somebody at the door; `key` is the public one that he has shown to be his."""

    address: str
    name: str
    key: bytes | None
    refusal: Text | None


class WhyNot(_Request, tag="why", frozen=True):
    """Why a public key is of no use to somebody."""

    caller: Shown
    key: bytes


class Come(_Message, tag="come", frozen=True):
    """A session has begun."""

    session: str
    caller: Shown


class Enter(_Request, tag="enter", frozen=True):
    """Somebody wants to be let in."""

    session: str
    errand: Errand


class ServeApp(_Request, tag="app", frozen=True):
    """An app is to be served, over the stream of this number."""

    session: str


class Serve(_Request, tag="serve", frozen=True):
    """A client of a subsystem is to be served, over the stream of this number."""

    session: str
    subsystem: str


class Run(_Request, tag="run", frozen=True):
    """A command is to be carried out; its answer goes to the stream of this number."""

    session: str
    order: Order


class Keep(_Request, tag="keep", frozen=True):
    """Settings are to be kept."""

    session: str
    settings: str


class SendAway(_Message, tag="away", frozen=True):
    """What is served in a session is to end."""

    session: str
    reason: Text


class Left(_Message, tag="left", frozen=True):
    """A session has ended."""

    session: str


class Tally(_Message, tag="tally", frozen=True):
    """What it has counted since it began; comes all the time, so that it is known to be well."""

    counts: Counts


Request: TypeAlias = WhyNot | Enter | ServeApp | Serve | Run | Keep
FromFront: TypeAlias = Ready | Known | Over | Come | Request | SendAway | Left | Tally


# -- what is handed over with a file descriptor --------------------------------------------------------------


class Connection(_Message, tag="connection", frozen=True):
    """A connection of somebody, its number, and why there is no room for it."""

    number: int
    address: str
    refusal: str | None


class Stream(_Message, tag="stream", frozen=True):
    """A stream for what was asked for under this number."""

    number: int


Handed: TypeAlias = Connection | Stream
