"""Messages as bytes: the examples of docs/protocol.md are what the program sends."""

from __future__ import annotations

import asyncio
import re
from ast import literal_eval
from pathlib import Path
from typing import Any, cast

import pytest

from kk_core.protocol import messages
from kk_core.protocol.frames import (
    MAX_CLIENT_FRAME,
    FrameReader,
    decode_client_message,
    decode_server_message,
    encode_message,
    frame,
)
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    ClientMessage,
    Delta,
    GoTo,
    Hello,
    Notice,
    ServerMessage,
    Welcome,
)
from kk_core.protocol.stream import StreamLink, Writer
from kk_core.text import text
from kk_core.tree import BadFrame, diff, fingerprint, pack, patch, to_tree, unpack
from kk_core.values import pack_moves, unpack_moves
from kk_core.views import LogEntry

DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| `(.+?)` \|$", DOCUMENT, re.MULTILINE))
MESSAGES = {name.strip("`"): value for name, value in ROWS.items() if name.startswith("`")}


def test_a_tree_holds_lists_only_so_that_a_delta_can_look_into_every_part() -> None:
    assert to_tree(LogEntry(1, 2, ((3, b"x"),))) == [1, 2, [[3, b"x"]]]


def test_the_document_shows_messages() -> None:
    assert len(MESSAGES) >= 5


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_has_the_bytes_that_the_document_shows(name: str) -> None:
    message = eval(name, vars(messages))  # a call in our own document
    assert frame(encode_message(message)) == bytes.fromhex(MESSAGES[name])


def test_a_frame_of_the_document_is_read_as_the_message_that_it_shows() -> None:
    shown = "Play(request=7, seat=0, ply=12, move=77)"
    (packed,) = FrameReader(MAX_CLIENT_FRAME).feed(bytes.fromhex(MESSAGES[shown]))
    assert repr(decode_client_message(packed)) == shown


def test_fingerprint_patch_and_delta_are_those_of_the_document() -> None:
    old, new = literal_eval(ROWS["tree"]), literal_eval(ROWS["next tree"])
    assert pack(old) == bytes.fromhex(ROWS["packed"])
    assert fingerprint(old) == bytes.fromhex(ROWS["fingerprint"])
    change = diff(old, new)
    assert change == literal_eval(ROWS["patch"])
    assert patch(old, change) == new
    delta = Delta(42, fingerprint(old), change)
    assert frame(encode_message(delta)) == bytes.fromhex(ROWS["delta frame, revision 42"])


def test_legal_moves_are_packed_as_the_document_says() -> None:
    moves, packed = re.findall(r"the moves ([\d, ]+) are `([0-9a-f ]+)`", DOCUMENT)[0]
    numbers = tuple(map(int, moves.split(",")))
    assert pack_moves(numbers) == bytes.fromhex(packed)
    assert unpack_moves(bytes.fromhex(packed)) == numbers


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (5, "it must be a list that begins with a name"),
        ([], "it must be a list that begins with a name"),
        ([[]], "it must be a list that begins with a name"),
        (["dance", 1], "unknown name 'dance'"),
        (["sit", 1], "'sit' takes the fields request, seat, name"),
        (["sit", 1, 0, "", 5], "'sit' takes the fields request, seat, name"),
        (["sit", 1, "x"], "'sit' has a wrong value in its field seat"),
        (["sit", -1, 0], "'sit' has a wrong value in its field request"),
        (["say", 1, "x" * 1001], "'say' has a wrong value in its field words"),
        (["open", 1, "", {"a": 1}, 2], "'open' has a wrong value in its field options"),
    ],
)
def test_what_is_no_message_is_told_by_name_and_field_and_without_words_of_a_library(
    value: Any, sentence: str
) -> None:
    with pytest.raises(BadFrame) as found:
        decode_client_message(pack(value))
    assert str(found.value) == f"Not a message of this protocol: {sentence}."


async def test_what_was_said_before_something_unreadable_is_received_first_and_nothing_after_it() -> None:
    reader, nobody = asyncio.StreamReader(), cast(Writer, None)
    asked = frame(encode_message(GoTo(1, None)))
    reader.feed_data(2 * asked + frame(b"\xc1") + asked)
    link = StreamLink[ServerMessage, ClientMessage](reader, nobody, decode_client_message, MAX_CLIENT_FRAME)
    for _ in range(2):
        assert await link.receive() == GoTo(1, None)
    for _ in range(2):
        with pytest.raises(BadFrame):
            await link.receive()


def test_a_hello_that_says_more_than_is_known_here_is_a_hello() -> None:
    assert decode_client_message(pack(["hello", 1, PROTOCOL_VERSION, True, "more"])) == Hello(
        1, PROTOCOL_VERSION, True
    )


def test_what_earlier_programs_of_this_version_do_not_know_is_sent_only_where_it_says_something() -> None:
    for message, then in (
        (Notice(text("Hello."), stays=True), 4),
        (Welcome(1, "anna", PROTOCOL_VERSION, "1.0", language="de"), 8),
    ):
        sent = unpack(encode_message(message))
        assert len(sent) == 1 + then
        assert decode_server_message(pack(sent)) == message
    for message in (
        Notice(text("Hello."), lapses=True),
        Welcome(1, "anna", PROTOCOL_VERSION, "1.0", web="https://kk.example.org/"),
    ):
        assert decode_server_message(encode_message(message)) == message
