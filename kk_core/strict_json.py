"""Reading JSON in which there is nothing that two readers could take for different things."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Final, NoReturn

from kk_core.errors import KkError
from kk_core.text import Text, quoted, text

DEEPEST: Final = 16
"""How many lists and objects may lie in one another."""

_DIGITS: Final = 18
"""A number of so many digits fits everywhere into 8 bytes."""


class BadJson(KkError):
    """A text that is no JSON, or not of the strict kind."""


def decode_json(content: str | bytes) -> Any:
    """The value of a text in UTF-8. Raises `BadJson`, which says where the fault is.

    Refused besides what JSON refuses: keys that are there twice, numbers with a point or of more than 18
    digits, control characters in texts (written as escapes too), halves of characters, and deep nesting.
    """
    try:
        plain = content if isinstance(content, str) else content.decode("utf-8")
        value = json.loads(
            plain,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError as error:
        raise BadJson(text("Byte {n} is not UTF-8.", n=error.start)) from None
    except json.JSONDecodeError as error:
        raise BadJson(
            text(
                "Line {line}, column {column}: {reason}",
                line=error.lineno,
                column=error.colno,
                reason=error.msg,
            )
        ) from None
    except RecursionError:
        raise _too_deep() from None
    _check(value, "", DEEPEST)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadJson(text("The key {key} is there twice.", key=quoted(key)))
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise BadJson(text("The number {number} is too long.", number=quoted(digits)))
    return int(digits)


def _no_number(digits: str) -> NoReturn:
    raise BadJson(text("{number} is not a whole number.", number=quoted(digits)))


def _check(value: object, where: str, depth: int) -> None:
    """Refuse what may not stand in a text or a key, and what lies too deep."""
    if isinstance(value, str):
        if fault := _fault_of(value):
            raise BadJson(text("{where}: {fault}", where=where or "$", fault=fault))
    elif isinstance(value, dict | list) and not depth:
        raise _too_deep()
    elif isinstance(value, dict):
        for key, inner in value.items():
            if fault := _fault_of(key):
                raise BadJson(fault)
            _check(inner, f"{where}.{key}" if where else key, depth - 1)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _check(inner, f"{where}[{i}]", depth - 1)


def _fault_of(value: str) -> Text | None:
    if value.isprintable():
        return None
    for character in value:
        match unicodedata.category(character):
            case "Cc":
                return text("{value} holds a control character.", value=quoted(value))
            case "Cs":
                return text("{value} holds half of a character.", value=quoted(value))
    return None


def _too_deep() -> BadJson:
    return BadJson(text("It is nested too deeply."))
