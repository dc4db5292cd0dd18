"""Reasons that the system and libraries give in English, as sentences that can be translated."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from errno import errorcode
from typing import Final

from kk_core.text import Text, text

_OF_SYSTEM: Final[Mapping[str, Text]] = {
    "E2BIG": text("Argument list too long"),
    "EACCES": text("Permission denied"),
    "EADDRINUSE": text("Address already in use"),
    "EADDRNOTAVAIL": text("Cannot assign requested address"),
    "EAGAIN": text("Resource temporarily unavailable"),
    "EBADF": text("Bad file descriptor"),
    "EBUSY": text("Device or resource busy"),
    "ECONNABORTED": text("Software caused connection abort"),
    "ECONNREFUSED": text("Connection refused"),
    "ECONNRESET": text("Connection reset by peer"),
    "EDQUOT": text("Disk quota exceeded"),
    "EEXIST": text("File exists"),
    "EFBIG": text("File too large"),
    "EHOSTDOWN": text("Host is down"),
    "EHOSTUNREACH": text("No route to host"),
    "EINVAL": text("Invalid argument"),
    "EIO": text("Input/output error"),
    "EISDIR": text("Is a directory"),
    "ELOOP": text("Too many levels of symbolic links"),
    "EMFILE": text("Too many open files"),
    "EMLINK": text("Too many links"),
    "ENAMETOOLONG": text("File name too long"),
    "ENETDOWN": text("Network is down"),
    "ENETUNREACH": text("Network is unreachable"),
    "ENFILE": text("Too many open files in system"),
    "ENODEV": text("No such device"),
    "ENOENT": text("No such file or directory"),
    "ENOEXEC": text("Exec format error"),
    "ENOLCK": text("No locks available"),
    "ENOMEM": text("Cannot allocate memory"),
    "ENOSPC": text("No space left on device"),
    "ENOTCONN": text("Transport endpoint is not connected"),
    "ENOTDIR": text("Not a directory"),
    "ENOTEMPTY": text("Directory not empty"),
    "ENXIO": text("No such device or address"),
    "EPERM": text("Operation not permitted"),
    "EPIPE": text("Broken pipe"),
    "EROFS": text("Read-only file system"),
    "ESTALE": text("Stale file handle"),
    "ETIMEDOUT": text("Connection timed out"),
    "ETXTBSY": text("Text file busy"),
    "EXDEV": text("Invalid cross-device link"),
}
"""What strerror(3) says of the errors that people meet."""


def system_reason(error: Exception | int) -> Text:
    """Return the reason of an error, or of an error number of the system; a rare one is not translatable."""
    number = error if isinstance(error, int) else getattr(error, "errno", None)
    known = _OF_SYSTEM.get(errorcode.get(number or 0, ""))
    if known is not None:
        return known
    if isinstance(error, int):
        return Text(os.strerror(error))
    return Text(getattr(error, "strerror", None) or str(error))


# -- values of the wrong shape -------------------------------------------------------------------------------

# compiled when something is wrong: together these take 3 of the 90 ms of `kk --help`
_PLACED: Final = r"(?P<reason>.*) - at (?P<place>`[^`]*`)"

_OF_SHAPES: Final[Sequence[tuple[str, Text]]] = (
    (r"Expected (?P<shape>`[^`]*`), got (?P<found>`[^`]*`)", text("Expected {shape}, got {found}")),
    (r"Expected (?P<shape>`[^`]*`) (?P<limit>[<>]=? \S+)", text("Expected {shape} {limit}")),
    (
        r"Expected (?P<shape>`[^`]*`) of length (?P<limit>(?:[<>]=? )?\d+)",
        text("Expected {shape} of length {limit}"),
    ),
    (
        r"Expected (?P<shape>`[^`]*`) of length (?P<limit>(?:[<>]=? )?\d+), got (?P<found>\d+)",
        text("Expected {shape} of length {limit}, got {found}"),
    ),
    (
        r"Expected (?P<shape>`[^`]*`) of at least length (?P<limit>\d+), got (?P<found>\d+)",
        text("Expected {shape} of length {limit} or more, got {found}"),
    ),
    (r"Object missing required field (?P<field>`[^`]*`)", text("Object missing required field {field}")),
    (r"Object contains unknown field (?P<field>`[^`]*`)", text("Object contains unknown field {field}")),
    (r"Invalid enum value (?P<value>.*)", text("Invalid value {value}")),
    (r"Invalid value (?P<value>.*)", text("Invalid value {value}")),
    (r"JSON is malformed: .* \(byte (?P<byte>\d+)\)", text("JSON is malformed (byte {byte})")),
    (r"Input data was truncated", text("Input data was truncated")),
)
"""What msgspec says of values that have another type or size, and of bad JSON."""


def shape_reason(error: Exception, *, is_placed: bool = True) -> Text:
    """Return what msgspec says of a value, and where if `is_placed`; something rare is not translatable."""
    if isinstance(error, UnicodeDecodeError):
        return text("it is not UTF-8")
    placed = re.fullmatch(_PLACED, str(error), re.DOTALL)
    if placed is None:
        return _of_shape(str(error))
    reason = _of_shape(placed["reason"])
    return text("{reason} - at {place}", reason=reason, place=placed["place"]) if is_placed else reason


def _of_shape(said: str) -> Text:
    for pattern, sentence in _OF_SHAPES:
        if found := re.fullmatch(pattern, said, re.DOTALL):
            return Text(sentence.msgid, tuple(found.groupdict().items()))
    return Text(said)


# -- JSON ----------------------------------------------------------------------------------------------------

_OF_JSON: Final[Sequence[Text]] = (
    text("Expecting ',' delimiter"),
    text("Expecting ':' delimiter"),
    text("Expecting property name enclosed in double quotes"),
    text("Expecting value"),
    text("Extra data"),
    text("Illegal trailing comma before end of array"),
    text("Illegal trailing comma before end of object"),
    text("Invalid \\escape"),
    text("Invalid \\uXXXX escape"),
    text("Invalid control character at"),
    text("Unterminated string starting at"),
)
"""What json says before the place of a fault."""


def json_reason(said: str) -> Text:
    """Return what json says of a fault, translatable unless that is something rare."""
    plain = said.removesuffix(": ")  # after a bad escape
    return next((sentence for sentence in _OF_JSON if sentence.msgid == plain), Text(said))


# -- TOML ----------------------------------------------------------------------------------------------------

_TOML_PLACE: Final = r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)"

_OF_TOML: Final[Sequence[Text]] = (
    text("Cannot declare {key} twice"),
    text("Cannot mutate immutable namespace {key}"),
    text("Cannot overwrite a value"),
    text("Cannot redefine namespace {key}"),
    text("Duplicate inline table key {key}"),
    text("Escaped character is not a Unicode scalar value"),
    text("Expected '=' after a key in a key/value pair"),
    text("Expected ']' at the end of a table declaration"),
    text("Expected ']]' at the end of an array declaration"),
    text("Expected newline or end of document after a statement"),
    text("Expected {sign}"),
    text("Found invalid character {sign}"),
    text("Illegal character {sign}"),
    text("Invalid date or datetime"),
    text("Invalid hex value"),
    text("Invalid initial character for a key part"),
    text("Invalid statement"),
    text("Invalid value"),
    text("Unclosed array"),
    text("Unclosed inline table"),
    text("Unescaped '\\' in a string"),
    text("Unterminated string"),
)
"""What tomllib says, those with a field after those without that begin in the same way."""


def toml_reason(error: Exception) -> Text:
    """Return what tomllib says of a file, and where, translatable unless that is something rare."""
    placed = re.fullmatch(_TOML_PLACE, str(error), re.DOTALL)
    if placed is None:
        return Text(str(error))
    reason = _of_toml(placed["reason"])
    if placed["line"] is None:
        return text("{reason} (at end of document)", reason=reason)
    return text(
        "{reason} (at line {line}, column {column})",
        reason=reason, line=placed["line"], column=placed["column"],
    )  # fmt: skip


def _of_toml(said: str) -> Text:
    for sentence in _OF_TOML:
        before, brace, field = sentence.msgid.partition("{")
        name, _, after = field.partition("}")
        if said == sentence.msgid:
            return sentence
        if brace and said.startswith(before) and said.endswith(after):
            return Text(sentence.msgid, ((name, said[len(before) : len(said) - len(after)]),))
    return Text(said)
