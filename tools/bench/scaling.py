"""What many people need: `python -m tools.bench.scaling [--write]`.

Computes the tables of docs/scaling.md from the figures in scaling.toml, which were measured or are assumed,
and prints them; with `--write` they replace those of the page.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path
from typing import Final

FIGURES: Final = Path(__file__).with_suffix(".toml")
PAGE: Final = Path(__file__).parents[2] / "docs" / "scaling.md"

CROWDS: Final = (1_000, 100_000, 1_000_000)
"""Numbers of people who are at tables at once."""

_LEAST: Final = 3
"""Nodes of a cluster that may lose one."""

_DAYS: Final = 30
_TABLE: Final = re.compile(r"(<!-- (\w+): .*? -->\n).*?(<!-- end -->)", re.DOTALL)


class Figures:
    """The figures of the file, by name."""

    def __init__(self) -> None:
        parts = tomllib.loads(FIGURES.read_text(encoding="utf-8")).values()
        self._all = {name: figure for part in parts for name, figure in part.items()}

    def __getattr__(self, name: str) -> float:
        figure: float = self._all[name]
        return figure


class Plan:
    """What a number of people need.

    With `hears_all`, as it is now, every node hears how all tables stand; otherwise only what is looked at.
    """

    def __init__(self, people: int, given: Figures, *, hears_all: bool = True) -> None:
        self.people = people
        self._hears_all = hears_all
        self._given = given
        self.moves = people / given.seconds_between_moves
        """A second, as in everything that follows."""
        self.keys = people / given.seconds_between_keys
        self.arrivals = people / given.minutes_of_a_visit / 60
        self.tables = people / given.seats
        own = self.keys * given.key_ms + self.arrivals * given.arrival_ms
        cores = own / 1000 / given.used
        # one more, so that the others can do without any of them
        nodes = max(_LEAST, ceil(cores / given.node_cores) + 1)
        # where a table is served is chance to those who sit there; seeing a move is half of making one
        far = (nodes - 1) / nodes * (given.seats + 1) / 2
        relayed = self.moves * far * given.relay_ms
        self.cores = (own + relayed) / 1000 / given.used
        self.nodes = max(_LEAST, ceil(self.cores / given.node_cores) + 1)

    @property
    def gib(self) -> float:
        """The memory of a node."""
        given = self._given
        share = (self.people * given.person_mib + self.people * given.visit_kib / 1024) / (self.nodes - 1)
        loaded = self.tables / (self.nodes - 1) * given.table_kib / 1024
        return (given.node_mib + share + loaded + self.known * given.known_kib / 1024) / 1024

    @property
    def known(self) -> float:
        """The tables that each node knows."""
        return self.tables * self._given.tables_known if self._hears_all else 0

    @property
    def hearing(self) -> float:
        """The share of one processor that each node needs to hear how all tables stand."""
        return self.moves * self._given.summary_ms / 1000 if self._hears_all else 0

    @property
    def read(self) -> float:
        """The summaries that the database sends to other nodes."""
        return self.moves * (self.nodes - 1) if self._hears_all else 0

    @property
    def statements(self) -> float:
        """The statements of the primary, besides appends and summaries."""
        return self.arrivals * self._given.arrival_queries + self.nodes * self._given.node_queries

    @property
    def spent(self) -> float:
        """The processors of all primaries; a statement is an append to them, a summary costs as at a node."""
        given = self._given
        spent = (self.moves + self.statements) * given.append_ms + self.read * given.summary_ms
        return spent / 1000 / given.used

    @property
    def primaries(self) -> int:
        """The primaries."""
        return ceil(self.spent / self._given.database_cores)

    @property
    def log(self) -> float:
        """MB of the logs of all primaries."""
        return self.moves * self._given.append_log_bytes / 1e6

    @property
    def connections(self) -> int:
        """Connections to each primary."""
        return int(self.nodes * (self._given.pool + self._given.sessions))

    @property
    def busy(self) -> float:
        """The seconds of a month that are as busy as the busiest."""
        return float(self._given.hours_a_day * 3600 * _DAYS)

    @property
    def stored(self) -> float:
        """GiB of tables that are kept."""
        given = self._given
        return self.moves * self.busy * given.days_kept / _DAYS * given.move_bytes / 2**30

    @property
    def takeover(self) -> float:
        """The seconds until all tables of a lost node are read by the others, on one processor of each."""
        return self.tables / self.nodes / (self.nodes - 1) * self._given.replay_ms / 1000

    @property
    def euros(self) -> float:
        """The cost of a month: nodes, a primary and a standby, their storage, and traffic."""
        given = self._given
        traffic = self.keys * given.key_bytes * self.busy / 2**40
        machines = self.nodes * given.node_euros + 2 * self.primaries * given.database_euros
        return float(machines + 2 * self.stored * given.gib_euros + traffic * given.tib_euros)


_ROWS: Final = (
    ("keys a second", "keys", 0),
    ("moves a second", "moves", 0),
    ("processors for people", "cores", 0),
    ("**nodes**, one of which may be lost", "nodes", 0),
    ("GiB of memory in each", "gib", 1),
    ("seconds until a lost node's tables are all read again", "takeover", 2),
    ("statements a second, besides moves", "statements", 0),
    ("summaries of tables sent to other nodes, a second", "read", 0),
    ("processors for the database", "spent", 2),
    ("**primaries**, each with a standby", "primaries", 0),
    ("connections to each", "connections", 0),
    ("MB a second of log to the standbys", "log", 2),
    ("GiB of tables kept", "stored", 0),
    ("share of a processor to hear of all tables, in each node", "hearing", 2),
    ("**euros a month**", "euros", 0),
)


def plan(given: Figures) -> Iterator[str]:
    """Yield the lines of the plan."""
    plans = [*(Plan(people, given) for people in CROWDS), Plan(CROWDS[-1], given, hears_all=False)]
    names = [f"{each.people:,}" for each in plans]
    yield _line("people at tables", *names[:-1], f"{names[-1]}, changed")
    yield "|---|" + "---:|" * len(plans)
    for name, field, digits in _ROWS:
        yield _line(name, *(f"{getattr(each, field):,.{digits}f}" for each in plans))


def limits(given: Figures) -> Iterator[str]:
    """Yield the lines of what ends first."""
    connections = given.max_connections - 3  # the last three are kept for superusers
    ends: dict[str, Callable[[Plan], bool]] = {
        "the connections of PostgreSQL as it is installed": lambda plan: plan.connections <= connections,
        "a tenth of each hub's processor, to hear of all tables": lambda plan: plan.hearing <= 0.1,
        "the processors of one primary": lambda plan: plan.primaries <= 1,
        "the partitions, of which each node needs one": lambda plan: plan.nodes <= given.partitions,
        "the memory of a node": lambda plan: plan.gib <= given.node_gib,
    }
    yield _line("runs out at about", "what")
    yield "|---:|---|"
    for people, name in sorted((_most(given, holds), name) for name, holds in ends.items()):
        yield _line(f"{people:,}", name)


def _most(given: Figures, holds: Callable[[Plan], bool]) -> int:
    """Return the most people, in two digits, of whom something is true."""
    low, high = 100, 100_000_000
    while high - low > low // 200:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(Plan(middle, given)) else (low, middle)
    step: int = 10 ** (len(str(low)) - 2)
    return low // step * step


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def tables() -> dict[str, str]:
    """Return the tables of the page by name."""
    given = Figures()
    made = {"plan": plan(given), "limits": limits(given), "assumed": assumed(given)}
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in made.items()}


def assumed(given: Figures) -> Iterator[str]:
    """Yield the lines of what is not measured."""
    yield _line("assumed", "")
    yield "|---|---:|"
    for name, figure in (
        ("seconds between two keys of a person", given.seconds_between_keys),
        ("seconds between two moves of a person", given.seconds_between_moves),
        ("people at a table", given.seats),
        ("minutes of a visit", given.minutes_of_a_visit),
        ("tables that are known, for each that is played at", given.tables_known),
        ("hours a day that are as busy as the busiest", given.hours_a_day),
        ("days until a table is purged", given.days_kept),
        ("share of the processors that is planned for", given.used),
        ("a node: processors, GiB, euros a month",
         f"{given.node_cores}, {given.node_gib}, {given.node_euros}"),
        ("a machine for the database: processors, euros a month",
         f"{given.database_cores}, {given.database_euros}"),
        ("euros for a GiB stored, for a TiB sent", f"{given.gib_euros}, {given.tib_euros}"),
    ):  # fmt: skip
        yield _line(name, str(figure))


def written(page: str) -> str:
    """Return the page with its tables computed anew."""
    made = tables()
    return _TABLE.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n{found[3]}", page)


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n".join(tables().values()))  # noqa: T201


if __name__ == "__main__":
    main()
