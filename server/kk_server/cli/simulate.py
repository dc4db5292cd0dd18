"""`kk simulate`: headless matches between bots, with statistics."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kk_core.checks import complete_options
from kk_core.errors import InvalidOptions
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.record import format_record, record_of
from kk_core.registry import game
from kk_core.search.arena import parse_contestant, play_match, seed_of
from kk_core.text import decimal, text, texts
from kk_core.types import totals
from kk_server.cli import Failure, Usage, interrupted
from kk_server.cli.common import check_data, tell_refused_bots
from kk_server.cli.language import note, say

_UNSAFE: Final = re.compile(r"[^\w.-]")
"""Characters that a seed may contain and a file name may not."""


class SimulationResult(msgspec.Struct):
    """The result of a series of matches; lists have one number per seat."""

    game: str
    seats: list[str]
    options: dict[str, str]
    seed: str
    games: int
    wins: list[float]
    without_winner: int
    mean_score: list[float]
    moves: int
    seconds: float
    moves_per_second: float


@dataclass
class _Sums:
    """The sums over the matches so far; lists have one number per seat."""

    wins: list[float]
    scores: list[int]
    games: int = 0
    without_winner: int = 0
    moves: int = 0
    seconds: float = 0.0

    def add(self, match: Match, seconds: float) -> None:
        """Add a match that took so many seconds."""
        self.games += 1
        self.seconds += seconds
        self.moves += len(match.plies)
        for seat, points in enumerate(totals(match.game.score(match.state))):
            self.scores[seat] += points
        outcome = match.game.outcome(match.state)
        winners = outcome.winners if outcome else ()
        for seat in winners:
            self.wins[seat] += 1 / len(winners)
        self.without_winner += not winners

    def figures(self, game_id: str, bots: list[str], options: dict[str, str], seed: str) -> SimulationResult:
        """Return the result, of one match at least."""
        return SimulationResult(
            game_id, bots, options, seed, self.games,
            [round(won, 3) for won in self.wins], self.without_winner,
            [round(score / self.games, 2) + 0.0 for score in self.scores],  # no -0.0
            self.moves, round(self.seconds, 3), round(self.moves / self.seconds) if self.seconds else 0.0,
        )  # fmt: skip


def simulate(
    game_id: str, seats: str, games: int, seed: str, options: list[str], folder: Path | None, *, as_json: bool
) -> None:
    """Play `games` matches and print who won; a shared win counts as a fraction for each winner.

    If it is interrupted, it prints the result so far.
    """
    check_data()
    tell_refused_bots()
    rules, bots, chosen = _checked(game_id, seats.split(","), options)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    sums = _Sums([0.0] * len(bots), [0] * len(bots))
    try:
        for number in _progress(games):
            begun = time.perf_counter()
            match = play_match(rules, chosen, bots, seed_of(seed, number))
            sums.add(match, time.perf_counter() - begun)
            if folder is not None:
                name = f"{game_id}-{_UNSAFE.sub('_', seed)}-{number:0{len(str(games))}}.json"
                _keep(folder / name, format_record(record_of(match)))
    except KeyboardInterrupt:
        if sums.games:
            _tell(sums.figures(game_id, bots, chosen, seed), rules, as_json=as_json)
        note(interrupted(sums.games, games))
        raise
    _tell(sums.figures(game_id, bots, chosen, seed), rules, as_json=as_json)


def _keep(file: Path, record: str) -> None:
    """Write a record, but never over that of another match. Raises `Failure`."""
    if file.exists() and file.read_text(encoding="utf-8", errors="replace") != record:
        raise Failure(text("{file} holds another match; choose another folder or seed.", file=str(file)))
    file.write_text(record, encoding="utf-8")


def _checked(
    game_id: str, labels: list[str], options: list[str]
) -> tuple[AnyGame, list[str], dict[str, str]]:
    """Return the game, the bots by their shortest labels, and all options. Raises `Usage`."""
    pairs = dict(option.partition("=")[::2] for option in options)
    try:
        rules = game(game_id)
        bots = [parse_contestant(label, game_id).label for label in labels]
        return rules, bots, complete_options(rules.meta, len(bots), pairs)
    except InvalidOptions as error:
        raise Usage(error.reason) from None


def _progress(games: int) -> Iterable[int]:
    console = Console(stderr=True)
    return track(
        range(games), description="", console=console, disable=not console.is_terminal, transient=True
    )


def _tell(figures: SimulationResult, rules: AnyGame, *, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(figures), indent=2).decode())
    else:
        _print(figures, rules)


def _print(figures: SimulationResult, rules: AnyGame) -> None:
    table = Table(title=say(rules.meta.name))
    for heading in (text("seat"), text("bot"), text("wins"), text("mean score")):
        table.add_column(say(heading), justify="right" if heading.msgid != "bot" else "left")
    for seat, name in enumerate(figures.seats):
        table.add_row(
            str(seat + 1),
            name,
            say(decimal(f"{figures.wins[seat]:g}")),
            say(decimal(f"{figures.mean_score[seat]:.2f}")),
        )
    console = Console(file=sys.stdout)
    console.print(table)
    console.print(
        say(
            text(
                "{matches}, {without} without a winner; {moves} in {seconds} s: {speed} a second",
                matches=texts("{n} match", "{n} matches", figures.games), without=figures.without_winner,
                moves=texts("{n} move", "{n} moves", figures.moves),
                seconds=decimal(f"{figures.seconds:.1f}"), speed=f"{figures.moves_per_second:.0f}",
            )
        )
    )  # fmt: skip
