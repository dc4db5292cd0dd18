"""Reasons that the system and libraries give, in our sentences."""

from __future__ import annotations

import errno
import json
import os
import sys
import tomllib
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from kk_core import reasons
from kk_core.reasons import json_reason, shape_reason, system_reason, toml_reason
from kk_core.text import Text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems use other words")
@pytest.mark.parametrize("name", reasons._OF_SYSTEM)
def test_in_english_a_reason_is_in_the_systems_own_words(name: str) -> None:
    number = getattr(errno, name)
    told = system_reason(OSError(number, "whatever a library adds"))
    assert str(told) == os.strerror(number)
    assert told == system_reason(number)


def test_a_rare_reason_is_told_by_the_system() -> None:
    assert str(system_reason(errno.ENOTNAM)) == os.strerror(errno.ENOTNAM)
    assert str(system_reason(OSError(errno.ENOTNAM, "not a name"))) == "not a name"
    assert str(system_reason(OSError("no number"))) == "no number"


class _Shape(msgspec.Struct, forbid_unknown_fields=True):
    whole: Annotated[int, Meta(ge=1, le=9)] = 1
    real: Annotated[float, Meta(gt=0)] = 1.0
    named: Literal["yes", "no"] = "yes"
    short: Annotated[str, Meta(max_length=3)] = ""
    many: Annotated[tuple[int, ...], Meta(min_length=2)] = (1, 2)
    pair: tuple[int, int] = (1, 2)


class _Needed(msgspec.Struct):
    needed: int


FAULTS: list[tuple[Any, Any]] = [
    ({"whole": "one"}, _Shape), ({"whole": 0}, _Shape), ({"whole": 10}, _Shape), ({"real": 0}, _Shape),
    ({"named": "maybe"}, _Shape), ({"short": "long"}, _Shape), ({"many": [1]}, _Shape),
    ({"pair": [1]}, _Shape), ({"more": 1}, _Shape), (3, _Shape), ({}, _Needed),
    (None, int), ("a", int | None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "shape"), FAULTS)
def test_a_value_of_the_wrong_shape_is_told_in_sentences_that_can_be_translated(
    value: Any, shape: Any
) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, shape)
    told = shape_reason(caught.value)
    assert str(told).replace("Invalid value", "Invalid enum value") == str(caught.value)
    # none is passed on as it is
    assert all(str(caught.value) != part.msgid for part in _parts(told))


@pytest.mark.parametrize(("content", "said"), [
    (b"{", "Input data was truncated"),
    (b"[1 2]", "JSON is malformed (byte 3)"),
    (b'"\xff"', "it is not UTF-8"),
])  # fmt: skip
def test_bad_json_is_told_with_its_place(content: bytes, said: str) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)) as caught:
        msgspec.json.decode(content)
    assert str(shape_reason(caught.value)) == said


@pytest.mark.parametrize("content", [
    "", "{", "[1 2]", '{"a" 1}', "[1,]", '{"a": 1,}', "1 2", '"a', r'"\x"', r'"\u12"', '"\x01"', "{1: 2}",
])  # fmt: skip
def test_a_fault_of_json_is_told_in_a_sentence_that_can_be_translated(content: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(content)
    told = json_reason(caught.value.msg)
    assert str(told) == caught.value.msg.removesuffix(": ")
    assert told in reasons._OF_JSON


@pytest.mark.parametrize("content", [
    "a", "a =", "a = [", "a = {", "[a", "[[a]", "a = 1\na = 2", "[a]\n[a]", "a = 1\n[a.b]", "a = {b=1, b=2}",
    "a = 'b", 'a = "\\x"', 'a = "\\uD800"', 'a = "\\u00G0"', "a = 1 b", "=", "a = 2020-13-13", "a = \x01",
    "*", "a = '\x02'", "a = [1\x03]", "a = {}\na.b = 1",
])  # fmt: skip
def test_a_fault_of_toml_is_told_with_its_place_in_sentences_that_can_be_translated(content: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(content)
    told = toml_reason(caught.value)
    assert str(told) == str(caught.value)
    reason = dict(told.args)["reason"]
    assert isinstance(reason, Text)
    known = {sentence.msgid for sentence in reasons._OF_TOML}
    assert reason.msgid in known


def _parts(told: Text) -> list[Text]:
    inner = [part for _, value in told.args if isinstance(value, Text) for part in _parts(value)]
    return [told, *inner]
