"""Bots of another package, well-behaved and others; installed for one test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kk_core.bot_names import other_bots
from kk_core.search.bots import bot_kind

PROGRAM = """
import os, sys, time
from kk_core.search.bots import Allowance, BotKind

def write(line):
    with open(os.environ["DIARY"], "a") as diary:
        diary.write(f"{line} {os.getpid()}\\n")

class Bot:
    def __init__(self, game):
        pass
    def choose(self, observation, chance, budget):
        write("begun")
        self.think(budget)
        write("ended")
        return observation.legal_moves[-1]

class Brisk(Bot):
    def think(self, budget):
        pass

class Patient(Bot):
    def think(self, budget):
        while not budget.is_spent():
            time.sleep(0.005)

class Stuck(Bot):
    def think(self, budget):
        while True:
            pass

class Dying(Bot):
    def think(self, budget):
        os._exit(1)

class Failing(Bot):
    def think(self, budget):
        raise RuntimeError("the seed is known")

class Talking(Bot):
    def think(self, budget):
        print("I shall take the last one!")
        sys.stdin.read()

class Unmade(Bot):
    def __init__(self, game):
        raise RuntimeError("the seed is known")

BRISK = BotKind(Brisk, Allowance(1, 5.0))
PATIENT = BotKind(Patient, Allowance(1, 600.0))
STUCK = BotKind(Stuck, Allowance(1, 0.1))
DYING = BotKind(Dying, Allowance(1, 0.1))
FAILING = BotKind(Failing, Allowance(1, 0.1))
TALKING = BotKind(Talking, Allowance(1, 0.1))
UNMADE = BotKind(Unmade, Allowance(1, 0.1))
WRONG = Allowance(1, 0.1)
"""

GRUMBLING = """
import logging
from outside_bots import BRISK

logging.getLogger("grumbling").warning("Again?")
"""
"""A module that has something to say as soon as it is loaded."""

BOTS = ("brisk", "patient", "stuck", "dying", "failing", "talking", "unmade", "wrong")


class Diary:
    """What these bots did, one line each: "begun" or "ended", and the number of the process."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def lines(self) -> list[tuple[str, int]]:
        if not self._file.exists():
            return []
        return [(line.split()[0], int(line.split()[1])) for line in self._file.read_text().splitlines()]

    def count(self, what: str) -> int:
        return [line[0] for line in self.lines].count(what)


def install(folder: Path, *others: str) -> None:
    """Put the package where a program with this folder on its path finds it; it has a brisk bot of each of
    the `others` names, too.
    """
    (folder / "outside_bots.py").write_text(PROGRAM)
    (folder / "grumbling.py").write_text(GRUMBLING)
    info = folder / "outside_bots-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside_bots\nVersion: 1\n")
    points = "".join(f"{bot} = outside_bots:{bot.upper()}\n" for bot in BOTS)
    points += "grumbling = grumbling:BRISK\n"
    points += "".join(f"{bot} = outside_bots:BRISK\n" for bot in others)
    (info / "entry_points.txt").write_text(f"[kk.bots]\n{points}")


@contextmanager
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *others: str) -> Iterator[Diary]:
    """The package in this process and in all that it starts."""
    install(folder, *others)
    diary = folder / "diary"
    monkeypatch.setenv("DIARY", str(diary))
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    other_bots.cache_clear()
    try:
        yield Diary(diary)
    finally:
        other_bots.cache_clear()
        bot_kind.cache_clear()
        for module in ("outside_bots", "grumbling"):
            sys.modules.pop(module, None)
