"""`kk record`: shows, verifies and exports the record of a match."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import typer

from kk_core.errors import BadRecord
from kk_core.match import Match, told_apart
from kk_core.reasons import system_reason
from kk_core.record import Record, check_written, parse_record, replay
from kk_core.record import export as export_record
from kk_core.text import Text, printable, text, texts
from kk_core.types import totals
from kk_server.cli import Failure
from kk_server.cli.language import say
from kk_server.maintenance.backup import record_from
from kk_server.storage.files import SIGNATURE
from kk_server.storage.sqlite import DATABASE

LARGEST: Final = 1024 * 1024
"""Bytes read of a file: a hundred times a long match."""


def show(file: Path) -> None:
    """Open a match in the app; without a terminal, print it, one ply a line, with its score."""
    match = replayed(file)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from kk_server.cli import play  # the app takes its time to load

        play.show(match, file.name)
        return
    tell(match.game.meta.name)
    names = told_apart(match.seats)
    tell(text("Players: {players}", players=", ".join(names)))
    end, log = match.game.observe(match.state, None), match.log(None)
    for number, (ply, entry) in enumerate(zip(match.plies, log, strict=True), 1):
        line = match.game.format_move(ply.move)
        tell(text("{ply}. {player}: {move}", ply=number, player=names[ply.seat], move=line))
        for sentence in match.game.describe(end, names, ply.seat, None, entry.events):
            typer.echo(f"    {printable(say(sentence))}")
    _show_score(match, names)


def _show_score(match: Match, names: Sequence[str]) -> None:
    sheet = match.game.score(match.state)
    for player, points in zip(names, totals(sheet), strict=True):
        tell(texts("{player}: {n} point", "{player}: {n} points", points, player=player))
    outcome = match.game.outcome(match.state)
    if outcome is None:
        tell(text("The match is not finished."))
    elif not outcome.winners:
        tell(text("No winner: the tie could not be broken."))
    else:
        tell(text("Won by {players}.", players=", ".join(names[seat] for seat in outcome.winners)))


def tell(sentence: Text) -> None:
    """Print a sentence."""
    # records come from others, and must not control the terminal
    typer.echo(printable(say(sentence)))


def verify(file: Path) -> None:
    """Replay a record and check its bytes, by its signature or else by the canonical way to write it.

    A wrong field, ply, line or signature is a `Failure` that names it.
    """
    content = read(file)
    with _naming(file):
        record = parse_record(content)
        match = replay(record)
    signed = _signed(file, content)
    if signed is None:
        with _naming(file):
            check_written(record, content)
    if match.is_over:
        line = texts(
            "{file}: good; {n} ply, and the shuffle matches the commitment.",
            "{file}: good; {n} plies, and the shuffle matches the commitment.",
            len(match.plies),
            file=str(file),
        )
    else:
        line = texts(
            "{file}: good as far as it goes; not finished after {n} ply.",
            "{file}: good as far as it goes; not finished after {n} plies.",
            len(match.plies),
            file=str(file),
        )
    tell(line)
    tell(signed or text("It has no signature file."))


def _signed(file: Path, content: bytes) -> Text | None:
    """Return who signed a record; None if nobody did. Raises `Failure` for a bad signature."""
    beside = Path(f"{file}{SIGNATURE}")
    if not os.path.lexists(beside):
        return None
    # imported here: the SSH library takes its time to load
    from kk_server.ssh.host_keys import BadSignature, signer_of
    from kk_tui.client.remote import hosts_of

    try:
        key = signer_of(content, read(beside))
    except BadSignature as error:
        raise Failure(text("{file}: {reason}", file=str(beside), reason=error.reason)) from None
    fingerprint, hosts = key.get_fingerprint(), ", ".join(hosts_of(key))
    if hosts:
        return text("Signed by {hosts}, whose key is {key}.", hosts=hosts, key=fingerprint)
    return text("Signed with the key {key}, which no server has shown you yet.", key=fingerprint)


def export(file: Path, *, unfinished: bool) -> None:
    """Print the public form of a record, or of a table in a server's data folder."""
    with _naming(file):
        exported = export_record(_find(file), unfinished=unfinished)
    content = msgspec.json.format(msgspec.json.encode(exported), indent=1).decode()
    typer.echo(_escaped(content).encode())  # JSON is UTF-8, whatever the terminal's encoding


def _escaped(content: str) -> str:
    # unprintable characters stand in strings only, so escaping them keeps the JSON the same
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in content)


def _find(file: Path) -> Record:
    """Read a record file, or a table of a data folder written as DIR/TABLE."""
    database = file.parent / DATABASE
    if not file.exists() and database.is_file():
        return asyncio.run(record_from(database, file.name))
    return parse_record(read(file))


def replayed(file: Path) -> Match:
    """Return the match of a record file. Raises `Failure`."""
    with _naming(file):
        return replay(parse_record(read(file)))


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    try:
        yield
    except BadRecord as error:
        raise Failure(text("{file}: {reason}", file=str(file), reason=error.reason)) from None


def read(file: Path) -> bytes:
    """Read a file that may be a record. Raises `Failure`."""
    try:
        with open(file, "rb", opener=_open_at_once) as opened:
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
            content = opened.read(LARGEST + 1) if is_file else b""
    except OSError as error:
        raise Failure(text("{file}: {reason}", file=str(file), reason=system_reason(error))) from None
    if not is_file:
        raise Failure(text("{file} is not a regular file.", file=str(file)))
    if len(content) > LARGEST:
        raise Failure(text("{file} is too large: it has more than {n} bytes.", file=str(file), n=LARGEST))
    return content


def _open_at_once(path: str, flags: int) -> int:
    # a FIFO would block until somebody opens its other end
    return os.open(path, flags | os.O_NONBLOCK)
