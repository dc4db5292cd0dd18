"""Keys are let through whole, in order and at the pace of a person."""

from __future__ import annotations

import random

import pytest

from kk_server.frontend import input_throttle
from kk_server.frontend.input_throttle import InputThrottle
from tests.waiting import Clock, wait_for


class Sink:
    """What a gate lets through, and how often it asked for a rest."""

    def __init__(self, per_second: float = 0.001, at_once: int = 5) -> None:
        self.keys: list[bytes] = []
        self.rests = 0
        self.gate = InputThrottle(per_second, at_once, self.keys.append, self._rest)

    def _rest(self, _seconds: float) -> None:
        self.rests += 1

    @property
    def typed(self) -> bytes:
        return b"".join(self.keys)


KEYS = [
    b"a", b"\x1b[A", b"\x1bOP", b"\x1b[1;5C", b"\x1b", b"\x1b\x1b[A", b"\x1bx", b"\r", "\u00e4".encode(),
    "\u20ac".encode(), b"\x1b[<0;5;7M", b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1bP1$r0m\x1b\\", b"\xff",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
async def test_one_key_is_one_key_however_many_bytes_it_has(key: bytes) -> None:
    sink = Sink()
    sink.gate.feed(key)
    assert sink.keys == [key]


@pytest.mark.parametrize("key", KEYS)
async def test_keys_that_come_together_pass_one_by_one_in_their_order(key: bytes) -> None:
    sink = Sink()
    sink.gate.feed(key + b"q" + b"w")
    await wait_for(lambda: sink.typed == key + b"qw")
    sink.gate.close()


@pytest.mark.parametrize("key", [key for key in KEYS if len(key) > 1])
async def test_a_key_that_comes_in_pieces_costs_one_key_and_passes_at_once(key: bytes) -> None:
    sink = Sink(at_once=1)
    for byte in key:
        sink.gate.feed(bytes((byte,)))
    await wait_for(lambda: sink.typed == key)
    assert sink.rests == 0


async def test_what_comes_faster_than_anybody_types_is_dropped_whole_keys_at_a_time() -> None:
    sink = Sink(at_once=5)
    sink.gate.feed(b"\x1b[A" * 100)
    await wait_for(lambda: len(sink.keys) == 5)
    sink.gate.close()
    assert sink.keys == [b"\x1b[A"] * 5
    assert sink.rests == 1


async def test_of_what_comes_at_once_no_more_passes_than_may_come_at_once_however_long_one_waits() -> None:
    clock, sink = Clock(), Sink(per_second=1_000_000, at_once=5)
    sink.gate.feed(b"abcdefghij")
    await clock.forward(60)
    assert sink.typed == b"abcde"
    sink.gate.feed(b"klmnop")
    await clock.forward(60)
    assert sink.typed == b"abcdeklmno"


async def test_of_a_key_whose_beginning_was_dropped_the_end_is_dropped_too() -> None:
    sink = Sink(per_second=1000, at_once=2)
    sink.gate.feed(b"xx" + b"yy" + b"\x1b[")
    sink.gate.feed(b"A")
    sink.gate.feed(b"q")
    await wait_for(lambda: sink.keys[-1:] == [b"q"] or not sink.gate._waiting)
    assert b"A" not in sink.keys


async def test_the_pace_comes_back_with_time() -> None:
    sink = Sink(per_second=200, at_once=3)
    sink.gate.feed(b"ab")
    sink.gate.feed(b"cd")
    await wait_for(lambda: sink.typed == b"abcd")
    assert sink.rests == 0


async def test_a_paste_is_one_key_and_of_a_long_one_the_beginning_passes() -> None:
    sink = Sink(at_once=50)
    for piece in (b"\x1b[200~", b"x" * 100_000, b"\x1b[20", b"1~", b"q"):
        sink.gate.feed(piece)
    await wait_for(lambda: len(sink.keys) == 2)
    assert sink.keys[0].startswith(b"\x1b[200~xxx")
    assert sink.keys[0].endswith(b"x\x1b[201~")
    assert len(sink.keys[0]) < 5000
    assert sink.keys[1] == b"q"


async def test_a_paste_costs_as_many_keys_as_would_be_as_long_to_read() -> None:
    clock, sink = Clock(), Sink(at_once=5)
    sink.gate.feed(b"\x1b[200~" + b"x" * 300 + b"\x1b[201~" + b"abc")
    await clock.forward(60)
    assert [key[-1:] for key in sink.keys] == [b"~", b"a"]


async def test_after_a_paste_that_never_ends_keys_are_keys_again() -> None:
    clock, sink = Clock(), Sink(at_once=50)
    sink.gate.feed(b"\x1b[200~" + b"x" * 20)
    await clock.forward(input_throttle._BROKEN_OFF + 0.01)
    sink.gate.feed(b"q")
    await clock.forward(1)
    assert len(sink.keys) == 2
    assert sink.keys[0].startswith(b"\x1b[200~xxx")
    assert sink.keys[0].endswith(b"x\x1b[201~")
    assert sink.keys[1] == b"q"


@pytest.mark.parametrize("cut", range(1, 6))
async def test_a_paste_whose_first_code_comes_in_pieces_is_a_paste(cut: int) -> None:
    sink = Sink(at_once=3)
    first = b"\x1b[200~"
    for piece in (first[:cut], first[cut:] + b"many more letters than keys\x1b[201~"):
        sink.gate.feed(piece)
    await wait_for(lambda: sink.typed == first + b"many more letters than keys\x1b[201~")


async def test_what_waits_is_forgotten_when_the_client_leaves() -> None:
    clock, left, there = Clock(), Sink(at_once=5), Sink(at_once=5)
    for sink in (left, there):
        sink.gate.feed(b"abcde")
    left.gate.close()
    await clock.forward(60)
    assert len(there.keys) == 5
    assert left.keys == [b"a"]


async def test_noise_costs_no_more_than_the_keys_that_pass() -> None:
    sink, noise = Sink(at_once=40), random.Random(1).randbytes(1_000_000)
    for at in range(0, len(noise), 32768):
        sink.gate.feed(noise[at : at + 32768])
    await wait_for(lambda: len(sink.keys) >= 39)
    sink.gate.close()
    assert len(sink.keys) <= 41
