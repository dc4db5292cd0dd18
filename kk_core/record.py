"""Records: the stored form of a match, and replaying it.

A record is one JSON object with the options, seats, seeds, moves and rules data of a match, its result, and
a hash chain over everything; replaying it reproduces the match. docs/records.md describes the format.
"""

from __future__ import annotations

import hmac
import json
import re
import unicodedata
from collections.abc import Iterable
from itertools import zip_longest
from typing import Annotated, Any, Final, NoReturn

import msgspec
from msgspec import UNSET, Meta, UnsetType

from kk_core.chance import RNG, commitment, mix_seed
from kk_core.config import canonical_json
from kk_core.errors import BadRecord, KkError
from kk_core.match import Match, Ply
from kk_core.reasons import json_reason, shape_reason
from kk_core.registry import game_for
from kk_core.text import Text, is_unseen, quoted, text
from kk_core.types import Tree, totals

DEEPEST: Final = 16
"""The deepest nesting of lists and objects."""

# fits into a signed 64-bit integer everywhere
_DIGITS: Final = 18


class BadJson(KkError):
    """A text that is not JSON of the strict kind."""


def decode_json(content: str | bytes) -> Any:
    """Parse strict JSON in UTF-8. Raises `BadJson`, which says where the fault is.

    Stricter than JSON: no duplicate keys, no numbers with a decimal point or more than 18 digits, no control
    characters in strings (escaped or not), no lone surrogates, no nesting deeper than `DEEPEST`.
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
                reason=json_reason(error.msg),
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
            raise BadJson(text("Duplicate key {key}.", key=quoted(key)))
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise BadJson(text("The number {number} has too many digits.", number=quoted(digits)))
    return int(digits)


def _no_number(digits: str) -> NoReturn:
    raise BadJson(text("{number} is not a whole number.", number=quoted(digits)))


def _check(value: object, where: str, depth: int) -> None:
    """Refuse forbidden characters in strings and keys, and deep nesting."""
    if isinstance(value, str):
        if fault := _fault_in(value):
            raise BadJson(text("{where}: {fault}", where=where or "$", fault=fault))
    elif isinstance(value, dict | list) and not depth:
        raise _too_deep()
    elif isinstance(value, dict):
        for key, inner in value.items():
            if fault := _fault_in(key):
                raise BadJson(fault)
            _check(inner, f"{where}.{key}" if where else key, depth - 1)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _check(inner, f"{where}[{i}]", depth - 1)


def _fault_in(value: str) -> Text | None:
    if value.isprintable():
        return None
    for character in value:
        match unicodedata.category(character):
            case "Cc":
                return text("{value} contains a control character.", value=quoted(value))
            case "Cs":
                return text("{value} contains an unpaired surrogate.", value=quoted(value))
    return None


def _too_deep() -> BadJson:
    return BadJson(text("Nested too deeply."))


FORMAT: Final = "kk-match"
VERSION: Final = 2

LONGEST_NAME: Final = 60
"""Characters: servers allow 20 columns, with at most two combining marks for the letter in each."""

_NOT_IN_HEADER: Final = ("moves", "result", "chain")
_SEED: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SEAT: Final = re.compile(r"[0-9]{1,2}", re.ASCII)


class _Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Contribution(_Shape, frozen=True):
    """The seed contribution of a seat, in hex digits."""

    seat: int
    bytes: str


class SheetLine(_Shape, frozen=True):
    """One item of the score sheet, with one number per seat."""

    item: str
    points: tuple[int, ...]


class Result(_Shape, frozen=True):
    """The result of a finished match."""

    finished: bool
    sheet: tuple[SheetLine, ...]
    totals: tuple[int, ...]
    tie_break: tuple[int, ...] | None
    winners: tuple[int, ...]


class Record(_Shape, frozen=True, kw_only=True):
    """A stored record; each move is "SEAT NOTATION", e.g. "0 take 1 14". `result` is None before the end.

    `replayed` is the number of first moves that come from another match; unset if there are none.
    """

    format: str = FORMAT
    version: int = VERSION
    game: str
    rules_version: str
    rules_data: Tree
    options: dict[str, str]
    seats: tuple[str, ...]
    rng: str
    host_seed: str
    contributions: tuple[Contribution, ...]
    seed: str
    commitment: str
    replayed: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    moves: tuple[str, ...]
    result: Result | None
    chain: str


# -- from a match --------------------------------------------------------------------------------------------


def record_of(match: Match) -> Record:
    """Return the record of a match so far."""
    open_ended = Record(
        game=match.game.meta.id,
        rules_version=match.game.rules_version,
        # a JSON round trip: lists instead of tuples, keys in canonical order
        rules_data=msgspec.json.decode(canonical_json(match.game.rules_data)),
        options=match.options,
        seats=match.seats,
        rng=RNG,
        host_seed=match.host_seed.hex(),
        contributions=tuple(Contribution(seat, added.hex()) for seat, added in match.contributions),
        seed=match.seed.hex(),
        commitment=match.commitment.hex(),
        replayed=match.replayed or UNSET,
        moves=tuple(f"{seat} {match.game.format_move(move)}" for seat, move in in_seat_order(match)),
        result=_result(match),
        chain="",
    )
    return msgspec.structs.replace(open_ended, chain=_chain(open_ended, match.seed).hex())


def in_seat_order(match: Match) -> list[Ply]:
    """Return the plies, those of a simultaneous choice by seat, so that their order reveals nothing."""
    # stable, so a seat's own moves keep their order
    order = sorted(range(len(match.plies)), key=lambda i: (match.turns[i], match.plies[i].seat))
    return [match.plies[i] for i in order]


def _result(match: Match) -> Result | None:
    outcome = match.game.outcome(match.state)
    if outcome is None:
        return None
    sheet = match.game.score(match.state)
    lines = tuple(SheetLine(item, points) for item, points in zip(match.game.sheet, sheet, strict=True))
    return Result(True, lines, totals(sheet), outcome.tie_break, outcome.winners)


def _chain(record: Record, seed: bytes) -> bytes:
    # Keyed with the seed, so that it reveals nothing before the seed is known.
    whole = msgspec.to_builtins(record)
    header = {key: value for key, value in whole.items() if key not in _NOT_IN_HEADER}
    # each link covers the one before, so no line can be changed, dropped or moved
    link = hmac.digest(seed, canonical_json(header), "sha256")
    for line in record.moves:
        link = hmac.digest(seed, link + line.encode(), "sha256")
    return link


# -- as text -------------------------------------------------------------------------------------------------


def format_record(record: Record) -> str:
    """Return the file text of a record, one move per line."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"


def parse_record(content: str | bytes) -> Record:
    """Parse the text of a record file. Raises `BadRecord`, which says what is wrong."""
    try:
        tree = decode_json(content)
        # before the shape: a version number says more than a missing key
        _check_version(tree)
        return msgspec.convert(tree, Record, strict=True)
    except BadJson as error:
        raise BadRecord(text("This is not a record: {reason}", reason=error.reason)) from None
    except msgspec.ValidationError as error:
        raise BadRecord(text("This is not a record: {reason}", reason=shape_reason(error))) from None


def _check_version(tree: object) -> None:
    """Refuse anything that is not a record of this version of the format."""
    found = tree if isinstance(tree, dict) else {}
    version = found.get("version")
    if found.get("format") != FORMAT or type(version) is not int:
        raise BadRecord(
            text('This is not a record: records begin with "format": "{name}" and "version".', name=FORMAT)
        )
    if version != VERSION:
        raise BadRecord(
            text(
                "This record has version {theirs}; only version {ours} can be read.",
                theirs=version, ours=VERSION,
            )
        )  # fmt: skip


# -- replaying -----------------------------------------------------------------------------------------------


def replay(record: Record) -> Match:
    """Check a whole record and return its match. Raises `BadRecord`, which names the ply or field."""
    match = _begin(record)
    for ply, line in enumerate(record.moves, 1):
        try:
            play_line(match, line)
        except KkError as error:
            raise BadRecord(
                text("Ply {ply} ({line}): {reason}", ply=ply, line=quoted(line), reason=error.reason)
            ) from None
        # from here on, this match was played itself: nothing before may be undone
        if ply == record.replayed:
            match.close_replayed()
    _compare(record, record_of(match))
    return match


def check_written(record: Record, content: bytes) -> None:
    """Refuse a file whose bytes are not the record's canonical form. Raises `BadRecord`, naming the line."""
    wanted = format_record(record).encode()
    if content == wanted:
        return
    pairs = zip_longest(content.split(b"\n"), wanted.split(b"\n"))
    line = next(n for n, (found, ours) in enumerate(pairs, 1) if found != ours)
    raise BadRecord(
        text("Line {n} differs from the record as it was written, although its match is valid.", n=line)
    )


def play_line(match: Match, line: str) -> None:
    """Make a move given as "SEAT NOTATION". Raises `KkError`."""
    seat, _, notation = line.partition(" ")
    if not (_SEAT.fullmatch(seat) and int(seat) < len(match.seats)):
        raise BadRecord(text("There is no seat {seat}.", seat=quoted(seat)))
    match.play(int(seat), match.game.parse_move(notation))


def _begin(record: Record) -> Match:
    # by the record's rules, not by today's
    _check_names(record.seats)
    host_seed, contributions = _bytes("host_seed", record.host_seed), _contributions(record)
    if record.commitment != commitment(host_seed).hex():
        raise BadRecord(text("The commitment is not the SHA-256 of host_seed."))
    if record.seed != mix_seed(host_seed, contributions).hex():
        raise BadRecord(text("The seed does not follow from host_seed and contributions."))
    try:
        rules = game_for(record.game, record.rules_version, record.rules_data)
        return Match(rules, record.options, record.seats, host_seed, contributions)
    except KkError as error:
        raise BadRecord(error.reason) from None


def _check_names(seats: Iterable[str]) -> None:
    for seat, name in enumerate(seats):
        fault: Text | None = None
        if all(unicodedata.category(character)[0] in "MZ" for character in name):
            fault = text("the name is missing.")
        elif len(name) > LONGEST_NAME:
            fault = text("a name has at most {n} characters.", n=LONGEST_NAME)
        elif any(map(is_unseen, name)):
            fault = text("{name} contains an invisible character.", name=quoted(name))
        if fault:
            raise BadRecord(text("seats[{seat}]: {fault}", seat=seat, fault=fault))


def _contributions(record: Record) -> list[tuple[int, bytes]]:
    seats = [contribution.seat for contribution in record.contributions]
    if seats != sorted(set(seats)) or not set(seats) <= set(range(len(record.seats))):
        raise BadRecord(text("contributions: these are not seats of the match, each once and in order."))
    return [
        (added.seat, _bytes(f"contributions[{i}].bytes", added.bytes))
        for i, added in enumerate(record.contributions)
    ]


def _bytes(field: str, digits: str) -> bytes:
    if not _SEED.fullmatch(digits):
        raise BadRecord(
            text("{field}: {digits} is not 64 lower-case hex digits.", field=field, digits=quoted(digits))
        )
    return bytes.fromhex(digits)


def _compare(record: Record, made: Record) -> None:
    """Refuse a record that differs from the one its replayed match gives."""
    played = len(made.moves)
    if record.result is None and made.result is not None:
        raise BadRecord(text("The match has ended after ply {ply}, but there is no result.", ply=played))
    if record.result is not None and made.result is None:
        raise BadRecord(text("There is a result, but the match is not finished after ply {ply}.", ply=played))
    for ply, (line, wanted) in enumerate(zip(record.moves, made.moves, strict=True), 1):
        if line != wanted:
            raise BadRecord(
                text("Ply {ply} ({line}): expected {wanted}.",
                     ply=ply, line=quoted(line), wanted=quoted(wanted))
            )  # fmt: skip
    theirs, ours = msgspec.to_builtins(record), msgspec.to_builtins(made)
    for field, value in theirs.items():
        if field not in ours or canonical_json(value) != canonical_json(ours[field]):
            raise BadRecord(_fault_of(field))


def _fault_of(field: str) -> Text:
    if field == "result":
        return text("The result does not follow from the moves.")
    if field == "chain":
        return text("The chain does not fit: something in this record was changed.")
    return text("{field} does not fit the match.", field=field)


EXPORT_FORMAT: Final = "kk-record"
EXPORT_VERSION: Final = 2

# everything that proves the shuffles and the chain; secret until the end
_PROOF: Final = ("seed", "commitment", "rng", "host_seed", "contributions", "chain")


def export(record: Record, *, unfinished: bool = False) -> dict[str, Any]:
    """Return the public form of a record. Raises `BadRecord`, also for an unfinished match by default.

    With `unfinished`, such a match gives its deal away, but not its seed, nor choices not yet revealed.
    """
    match = replay(record)
    if not match.is_over and not unfinished:
        raise BadRecord(text("The match is not finished after ply {ply}.", ply=len(match.plies)))
    whole = msgspec.json.decode(msgspec.json.encode(record_of(match)))
    return {
        "format": EXPORT_FORMAT,
        "version": EXPORT_VERSION,
        "game": whole["game"],
        "rules_version": whole["rules_version"],
        "rules_data": whole["rules_data"],
        "options": whole["options"],
        "seats": whole["seats"],
        **({key: whole[key] for key in _PROOF} if match.is_over else _promise(whole)),
        **({"replayed": match.replayed} if match.replayed else {}),
        "setup": match.game.export_setup(match.fresh().state),
        "events": _events(match),
        "result": whole["result"] if match.is_over else _so_far(match),
    }


def _promise(whole: dict[str, Any]) -> dict[str, Any]:
    # before the end, everything that gives the seed away must stay secret
    contributions = [{"seat": added["seat"], "bytes": None} for added in whole["contributions"]]
    return {
        "seed": None,
        "commitment": whole["commitment"],
        "rng": whole["rng"],
        "host_seed": None,
        "contributions": contributions,
    }


def _so_far(match: Match) -> dict[str, Any]:
    sheet = match.game.score(match.state)
    return {
        "finished": False,
        "sheet": [
            {"item": item, "points": list(points)}
            for item, points in zip(match.game.sheet, sheet, strict=True)
        ],
        "totals": list(totals(sheet)),
        "tie_break": None,
    }


def _events(match: Match) -> list[dict[str, Any]]:
    # leaves out choices still hidden from spectators
    rules, replayed = match.game, match.fresh()
    now = None if match.is_over else rules.turn(match.state)
    exported: list[dict[str, Any]] = []
    for seat, move in in_seat_order(match):
        before = replayed.state
        if rules.turn(before) == now and rules.visible_move(seat, move, None) is None:
            continue
        replayed.play(seat, move)
        after = replayed.state
        shown = rules.export_move(before, seat, move, after)
        exported.append({"ply": len(replayed.plies), "seat": seat, "move": shown})
        events = (rules.export_event(after, event) for event in rules.events(after))
        exported.extend(event for event in events if event is not None)
    return exported
