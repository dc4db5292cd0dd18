"""Records: what is stored of a match, replaying it, and the export that any referee can read.

A stored record is one JSON object with the options, seats, seed, commitment and moves in the game's
notation; replaying it gives the match.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kk_core.chance import RNG, SEED_BYTES, commitment
from kk_core.errors import BadRecord, KkError
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.registry import game
from kk_core.text import text

FORMAT: Final = "kk-match"
EXPORT_FORMAT: Final = "kk-record"
VERSION: Final = 1


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stored record; each move is "SEAT NOTATION", e.g. "0 take 1 14"."""

    game: str
    rules_version: str
    options: dict[str, str]
    seats: tuple[str, ...]
    seed: str
    commitment: str
    moves: tuple[str, ...]
    format: str = FORMAT
    version: int = VERSION


def record_of(match: Match) -> Record:
    """The record of a match as far as it has come."""
    return Record(
        game=match.game.meta.id,
        rules_version=match.game.rules_version,
        options=match.options,
        seats=match.seats,
        seed=match.seed.hex(),
        commitment=match.commitment.hex(),
        moves=tuple(f"{seat} {match.game.format_move(move)}" for seat, move in match.plies),
    )


def format_record(record: Record) -> str:
    """A record as the text of a file, one move a line."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"


def parse_record(content: str | bytes) -> Record:
    """The record of a file's text. Raises `BadRecord`."""
    try:
        record = msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadRecord(text("This is not a record: {reason}", reason=str(error))) from None
    found = f"{record.format} {record.version}"
    if found != f"{FORMAT} {VERSION}":
        raise BadRecord(
            text("This is not a record of version {version}: {found}.", version=VERSION, found=found)
        )
    return record


def replay(record: Record) -> Match:
    """The match of a record, every move checked. Raises `BadRecord`, which names the wrong ply or field."""
    rules = _rules(record)
    try:
        seed = bytes.fromhex(record.seed)
    except ValueError:
        raise BadRecord(text("The seed is not written in hex digits.")) from None
    if len(seed) != SEED_BYTES:
        raise BadRecord(text("The seed has {n} bytes, not {wanted}.", n=len(seed), wanted=SEED_BYTES))
    if commitment(seed).hex() != record.commitment:
        raise BadRecord(text("The commitment is not the SHA-256 of the seed."))
    try:
        match = Match(rules, record.options, record.seats, seed)
    except KkError as error:
        raise BadRecord(error.reason) from None
    for ply, line in enumerate(record.moves, 1):
        try:
            play_line(match, line)
        except KkError as error:
            raise BadRecord(
                text("Ply {ply} ({line}): {reason}", ply=ply, line=repr(line), reason=error.reason)
            ) from None
    return match


def play_line(match: Match, line: str) -> None:
    """Make a move of the stored form "SEAT NOTATION". Raises `KkError`."""
    seat, _, notation = line.partition(" ")
    if not (seat.isascii() and seat.isdigit() and int(seat) < len(match.seats)):
        raise BadRecord(text("There is no seat {seat}.", seat=repr(seat)))
    match.play(int(seat), match.game.parse_move(notation))


def _rules(record: Record) -> AnyGame:
    try:
        rules = game(record.game)
    except KkError as error:
        raise BadRecord(error.reason) from None
    if rules.rules_version != record.rules_version:
        raise BadRecord(
            text(
                "This record was made with rules {theirs} of {game}; here are rules {ours}.",
                theirs=record.rules_version, game=rules.meta.name, ours=rules.rules_version,
            )
        )  # fmt: skip
    return rules


def export(record: Record, *, unfinished: bool = False) -> dict[str, Any]:
    """The public form of a record. Raises `BadRecord`; of an unfinished match only with `unfinished`.

    An unfinished match gives its deal away, but not its seed, nor choices that are not yet revealed.
    """
    match = replay(record)
    if not match.is_over and not unfinished:
        raise BadRecord(text("The match is not finished after ply {ply}.", ply=len(match.plies)))
    sheet = match.game.score(match.state)
    outcome = match.game.outcome(match.state)
    start = Match(match.game, match.options, match.seats, match.seed)
    result: dict[str, Any] = {
        "finished": match.is_over,
        "sheet": [{"item": item.item, "points": list(item.points)} for item in sheet.items],
        "totals": list(sheet.totals),
        "tie_break": None,
    }
    if outcome is not None:
        result["tie_break"] = None if outcome.tie_break is None else list(outcome.tie_break)
        result["winners"] = list(outcome.winners)
    return {
        "format": EXPORT_FORMAT,
        "version": VERSION,
        "game": record.game,
        "rules_version": record.rules_version,
        "options": match.options,
        "seats": list(record.seats),
        "seed": record.seed if match.is_over else None,
        "commitment": record.commitment,
        "rng": RNG,
        "setup": match.game.export_setup(start.state),
        "events": _export_events(start, match),
        "result": result,
    }


def _export_events(replayed: Match, match: Match) -> list[dict[str, Any]]:
    """Moves and what rule and chance made of them; the choices of one simultaneous turn in seat order."""
    rules = match.game
    exported: list[dict[str, Any]] = []
    for number, ply in enumerate(_in_seat_order(match), 1):
        before = replayed.state
        replayed.play(*ply)
        after = replayed.state
        move = rules.export_move(before, ply.seat, ply.move, after)
        exported.append({"ply": number, "seat": ply.seat, "move": move})
        events = (rules.export_event(after, event) for event in rules.events(after))
        exported.extend(event for event in events if event is not None)
    return exported


def _in_seat_order(match: Match) -> list[Any]:
    """The plies, those of each turn sorted by seat; choices still hidden from spectators left out."""
    replayed = Match(match.game, match.options, match.seats, match.seed)
    keyed = []
    for ply in match.plies:
        keyed.append((match.game.turn(replayed.state), ply))
        replayed.play(*ply)
    now = match.game.turn(match.state)
    shown = [
        (turn, ply)
        for turn, ply in keyed
        if match.is_over or turn != now or match.game.visible_move(ply.seat, ply.move, None) is not None
    ]
    shown.sort(key=lambda pair: (pair[0], pair[1].seat))
    return [ply for _, ply in shown]
