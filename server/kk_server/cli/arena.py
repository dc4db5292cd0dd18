"""`kk arena`: compares bots by matches with rotated seats, with the same deals for all."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext, suppress
from functools import partial
from itertools import islice
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from kk_core.checks import complete_options
from kk_core.errors import InvalidOptions
from kk_core.registry import game
from kk_core.search.arena import (
    BotSummary,
    Contest,
    MatchResult,
    parse_contestant,
    play_numbered,
    summaries_of,
)
from kk_core.text import Text, decimal, text, texts
from kk_server.cli import Failure, Usage, interrupted
from kk_server.cli.common import check_data, tell_refused_bots
from kk_server.cli.language import note, say


class ContestFile:
    """A file of results, locked for this process until it is left."""

    def __init__(self, path: Path, contest: Contest) -> None:
        """Open the file, or create it.

        Raises `Failure` if it holds something else, or another process writes to it; `OSError`.
        """
        self._file = path.open("ab")
        try:
            self.results = self._read(path, contest)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ContestFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, result: MatchResult) -> None:
        """Append a result."""
        self._write(msgspec.json.encode(result))

    def _write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def _read(self, path: Path, contest: Contest) -> dict[int, MatchResult]:
        try:
            # two arenas writing to one file would mix their results
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(text("{file} is in use: another arena is writing to it.", file=str(path))) from None
        head, whole = msgspec.json.encode(contest), path.read_bytes()
        if not whole:
            self._write(head)
            return {}
        if not whole.startswith(head + b"\n"):
            raise Failure(_other(path, whole.partition(b"\n")[0], contest))
        *lines, rest = whole.removeprefix(head + b"\n").split(b"\n")
        results = [_result(path, number, line, contest) for number, line in enumerate(lines, 2)]
        if rest:  # a result that was being written when the process was killed
            os.truncate(path, len(whole) - len(rest))
        return {result.number: result for result in results}


def _other(path: Path, head: bytes, contest: Contest) -> Text:
    try:
        other, wanted = (_typed(each) for each in (msgspec.json.decode(head, type=Contest), contest))
    except msgspec.DecodeError:
        return text("{file} holds no contest.", file=str(path))
    differing = " ".join(words for words in other if words not in wanted)
    return text("{file} holds another contest: {words}", file=str(path), words=differing)


def _typed(contest: Contest) -> list[str]:
    """Return a contest as the command line that starts it."""
    options = [f"--option {name}={value}" for name, value in sorted(contest.options.items())]
    timed = "--timed" if contest.timed else "without --timed"
    bots, seed = f"--bots {','.join(contest.bots)}", f"--seed {contest.seed}"
    return [contest.game, bots, *options, seed, timed, f"rules {contest.rules or '?'}"]


def _result(path: Path, number: int, line: bytes, contest: Contest) -> MatchResult:
    with suppress(msgspec.DecodeError):
        result = msgspec.json.decode(line, type=MatchResult)
        lists = result.points, result.wins, result.seconds, result.choices
        if {len(contest.bots)} == set(map(len, lists)):
            return result
    raise Failure(
        text("{file}: line {number} is not a result of this contest.", file=str(path), number=number)
    )


USUAL: Final = 100
"""Number of matches by default, rounded up so that the last deal is played with every rotation."""


class _Figures(msgspec.Struct):
    """The result as JSON."""

    contest: Contest
    table: list[BotSummary]


def arena(contest: Contest, games: int | None, jobs: int, save: Path | None, *, as_json: bool) -> None:
    """Play the matches of a contest that are not saved yet, and print how the bots did.

    Without a number of `games`, all deals are played with every rotation. If it is interrupted, it prints the
    table so far.
    """
    check_data()
    tell_refused_bots()
    contest = _checked(contest)
    games = _whole(games, len(contest.bots))
    with ContestFile(save, contest) if save else nullcontext() as file:
        known = file.results if file else {}
        results = {number: result for number, result in known.items() if number < games}
        try:
            _play_all(contest, games, jobs, file, results)
        except KeyboardInterrupt:
            if results:
                _tell(contest, results, as_json=as_json)
            note(_interrupted(len(results), games, is_saved=file is not None))
            raise
    _tell(contest, results, as_json=as_json)


def _play_all(
    contest: Contest, games: int, jobs: int, file: ContestFile | None, results: dict[int, MatchResult]
) -> None:
    left = [number for number in range(games) if number not in results]
    with (
        Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress,
        closing(_played(contest, left, min(jobs, len(left)))) as playing,
    ):
        task = progress.add_task("", total=games, completed=len(results))
        for result in playing:
            if file is not None:
                file.add(result)
            results[result.number] = result
            progress.advance(task)


def _whole(games: int | None, seats: int) -> int:
    if games is None:
        return ceil(USUAL / seats) * seats
    if games % seats:
        note(
            texts(
                "With {n} match, the last deal lacks some rotations of the seats; {more} would have "
                "them all.",
                "With {n} matches, the last deal lacks some rotations of the seats; {more} would "
                "have them all.",
                games, more=ceil(games / seats) * seats,
            )
        )  # fmt: skip
    return games


def _interrupted(played: int, games: int, *, is_saved: bool) -> Text:
    after = interrupted(played, games)
    if not played:
        return after
    if is_saved:
        return text("{after} Results are saved; the same command continues from there.", after=after)
    return text("{after} Without --save FILE, nothing is kept.", after=after)


def _checked(contest: Contest) -> Contest:
    """Complete the options of a contest. Raises `Usage`."""
    try:
        rules = game(contest.game)
        bots = tuple(parse_contestant(label, contest.game).label for label in contest.bots)
        options = complete_options(rules.meta, len(bots), contest.options)
    except InvalidOptions as error:
        raise Usage(error.reason) from None
    return msgspec.structs.replace(contest, bots=bots, options=options, rules=rules.rules_version)


def _played(contest: Contest, numbers: Iterable[int], jobs: int) -> Generator[MatchResult, None, None]:
    """Yield results as they come."""
    play = partial(_play, contest)
    if jobs <= 1:
        yield from map(play, numbers)
        return
    # not fork, which would copy threads' locks in whatever state they are in
    context, waiting = multiprocessing.get_context("spawn"), iter(numbers)
    with ProcessPoolExecutor(jobs, mp_context=context) as workers:
        # a few more than there are processes, so that none waits for the next match
        running = _begun(workers, play, islice(waiting, 2 * jobs))
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= _begun(workers, play, islice(waiting, len(done)))
                yield from [match.result() for match in done]
        except BrokenProcessPool:
            raise Failure(text("A worker process has died.")) from None
        finally:
            # the generator was closed: nobody waits for the matches that are still played
            if running:
                for worker in multiprocessing.active_children():
                    worker.terminate()


def _begun(
    workers: ProcessPoolExecutor, play: Callable[[int], MatchResult], numbers: Iterable[int]
) -> set[Future[MatchResult]]:
    # Ctrl+C is for the parent, which ends the others: children inherit the mask, so that they do not hear of
    # it even while they import their modules
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return {workers.submit(play, number) for number in numbers}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _play(contest: Contest, number: int) -> MatchResult:
    # processor time, so that other work on the machine counts little
    return play_numbered(game(contest.game), contest, number, time.process_time)


# -- what it came to -----------------------------------------------------------------------------------------


def _tell(contest: Contest, results: dict[int, MatchResult], *, as_json: bool) -> None:
    table = summaries_of(contest, [results[number] for number in sorted(results)])
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(_Figures(contest, table)), indent=2).decode())
    else:
        _print(contest, table)
        Console(file=sys.stdout).print(say(texts("{n} match", "{n} matches", len(results))))


def _print(contest: Contest, lines: list[BotSummary]) -> None:
    table = Table(title=say(game(contest.game).meta.name))
    headings = (
        text("bot"),
        text("seats"),
        text("wins/seat"),
        text("95 %"),
        text("mean score"),
        text("ms/move"),
    )
    for heading in headings:
        table.add_column(say(heading), justify="left" if heading.msgid == "bot" else "right")
    for line in lines:
        table.add_row(
            line.bot, str(line.seats), say(decimal(f"{line.share:.3f}")),
            f"{say(decimal(f'{line.low:.3f}'))}-{say(decimal(f'{line.high:.3f}'))}",
            say(decimal(f"{line.points:z.1f}")), say(decimal(f"{line.milliseconds:.1f}")),
        )  # fmt: skip
    Console(file=sys.stdout).print(table)
