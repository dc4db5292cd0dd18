"""`kk arena`: which bot plays better, by matches with rotated seats and the same deals for all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from kk_core.arena import Contest, Line, Result, parse_player, play_numbered, table_of
from kk_core.checks import complete_options
from kk_core.errors import InvalidOptions
from kk_core.registry import game
from kk_core.text import text
from server.commands import Failure, Usage
from server.commands.language import say
from server.commands.own_data import check_data
from server.commands.strange_bots import tell_refused_bots


class _Figures(msgspec.Struct):
    """What is printed as JSON."""

    contest: Contest
    table: list[Line]


def arena(contest: Contest, games: int, jobs: int, save: Path | None, *, as_json: bool) -> None:
    """Play the matches of a contest that are not saved yet, and print what the bots came to."""
    check_data()
    tell_refused_bots()
    contest = _checked(contest)
    results = _saved(save, contest)
    left = [number for number in range(games) if number not in results]
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=games, completed=games - len(left))
        for result in _played(contest, left, jobs):
            results[result.number] = result
            _save(save, result)
            progress.advance(task)
    table = table_of(contest, [results[number] for number in sorted(results) if number < games])
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(_Figures(contest, table)), indent=2).decode())
    else:
        _print(contest, table)


def _checked(contest: Contest) -> Contest:
    """The contest with all options. Raises `Usage`."""
    try:
        rules = game(contest.game)
        bots = tuple(parse_player(label, contest.game).label for label in contest.bots)
        options = complete_options(rules.meta, len(bots), contest.options)
    except InvalidOptions as error:
        raise Usage(error.reason) from None
    return msgspec.structs.replace(contest, bots=bots, options=options)


def _played(contest: Contest, numbers: Iterable[int], jobs: int) -> Iterator[Result]:
    """Results as they come; whoever wants no more of them stops all processes."""
    play = partial(_play, contest)
    if jobs == 1:
        yield from map(play, numbers)
        return
    context, waiting = multiprocessing.get_context("spawn"), iter(numbers)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts) as workers:
        running = {workers.submit(play, number) for number in islice(waiting, 2 * jobs)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {workers.submit(play, number) for number in islice(waiting, len(done))}
                yield from [match.result() for match in done]
        finally:
            if running:
                for worker in multiprocessing.active_children():
                    worker.terminate()


def _ignore_interrupts() -> None:
    """Ctrl+C is for the process that gave the order: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play(contest: Contest, number: int) -> Result:
    """By processor time, so that other work on the machine counts little."""
    return play_numbered(game(contest.game), contest, number, time.process_time)


# -- matches that were played before -------------------------------------------------------------------------


def _saved(file: Path | None, contest: Contest) -> dict[int, Result]:
    """The results in a file of the same contest; begins the file where there is none. Raises `Failure`."""
    if file is None:
        return {}
    head = msgspec.json.encode(contest) + b"\n"
    whole = file.read_bytes() if file.exists() else b""
    if not whole:
        file.write_bytes(head)
        return {}
    if not whole.startswith(head):
        raise Failure(text("{file} holds another contest.", file=str(file)))
    *lines, rest = whole.removeprefix(head).split(b"\n")
    results = [_result(file, number, line, contest) for number, line in enumerate(lines, 2)]
    if rest:  # of a match that was not wholly written when somebody stopped it
        os.truncate(file, len(whole) - len(rest))
    return {result.number: result for result in results}


def _result(file: Path, number: int, line: bytes, contest: Contest) -> Result:
    """The result in a line of a file, which has this number."""
    with suppress(msgspec.DecodeError):
        result = msgspec.json.decode(line, type=Result)
        lists = result.points, result.wins, result.seconds, result.choices
        if {len(contest.bots)} == set(map(len, lists)):
            return result
    raise Failure(text("{file}: line {number} is no result of this contest.", file=str(file), number=number))


def _save(file: Path | None, result: Result) -> None:
    if file is not None:
        with file.open("ab") as lines:
            lines.write(msgspec.json.encode(result) + b"\n")


# -- what it came to -----------------------------------------------------------------------------------------


def _print(contest: Contest, lines: list[Line]) -> None:
    table = Table(title=say(game(contest.game).meta.name))
    headings = (
        text("bot"),
        text("seats"),
        text("wins a seat"),
        text("95 %"),
        text("mean score"),
        text("ms a move"),
    )
    for heading in headings:
        table.add_column(say(heading), justify="left" if heading.msgid == "bot" else "right")
    for line in lines:
        table.add_row(
            line.bot, str(line.seats), f"{line.share:.3f}", f"{line.low:.3f}-{line.high:.3f}",
            f"{line.points:.1f}", f"{line.milliseconds:.1f}",
        )  # fmt: skip
    console = Console(file=sys.stdout)
    console.print(table)
    played = lines[0].games if lines else 0
    console.print(say(text("{games} matches", games=played)))
