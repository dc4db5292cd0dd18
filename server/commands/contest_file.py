"""A file that keeps the results of a contest: a line for what is contested, and one for each match."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from kk_core.arena import Contest, Result
from kk_core.text import Text, text
from server.commands import Failure


class ContestFile:
    """Holds such a file for this process alone until it is left."""

    def __init__(self, path: Path, contest: Contest) -> None:
        """Begins the file where there is none. Raises `Failure` where it holds something else, or another
        process writes into it; `OSError`.
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

    def add(self, result: Result) -> None:
        """Keep a result."""
        self._write(msgspec.json.encode(result))

    def _write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def _read(self, path: Path, contest: Contest) -> dict[int, Result]:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(text("{file} is in use: another arena writes into it.", file=str(path))) from None
        head, whole = msgspec.json.encode(contest), path.read_bytes()
        if not whole:
            self._write(head)
            return {}
        if not whole.startswith(head + b"\n"):
            raise Failure(_other(path, whole.partition(b"\n")[0], contest))
        *lines, rest = whole.removeprefix(head + b"\n").split(b"\n")
        results = [_result(path, number, line, contest) for number, line in enumerate(lines, 2)]
        if rest:  # of a match that was not wholly written when somebody stopped it
            os.truncate(path, len(whole) - len(rest))
        return {result.number: result for result in results}


def _other(path: Path, head: bytes, contest: Contest) -> Text:
    """What a file holds that does not begin with this contest."""
    try:
        other, wanted = (_typed(each) for each in (msgspec.json.decode(head, type=Contest), contest))
    except msgspec.DecodeError:
        return text("{file} holds no contest.", file=str(path))
    differing = " ".join(words for words in other if words not in wanted)
    return text("{file} holds another contest: {words}", file=str(path), words=differing)


def _typed(contest: Contest) -> list[str]:
    """What somebody types who wants a contest, and which cards it is played with."""
    options = [f"--option {name}={value}" for name, value in sorted(contest.options.items())]
    timed = "--timed" if contest.timed else "without --timed"
    bots, seed = f"--bots {','.join(contest.bots)}", f"--seed {contest.seed}"
    return [contest.game, bots, *options, seed, timed, f"rules {contest.rules or '?'}"]


def _result(path: Path, number: int, line: bytes, contest: Contest) -> Result:
    """The result in a line of a file, which has this number."""
    with suppress(msgspec.DecodeError):
        result = msgspec.json.decode(line, type=Result)
        lists = result.points, result.wins, result.seconds, result.choices
        if {len(contest.bots)} == set(map(len, lists)):
            return result
    raise Failure(text("{file}: line {number} is no result of this contest.", file=str(path), number=number))
