"""The score line by line, each with the part of the map that it speaks of and a sentence that says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, COUNTRY_NAMES, Observation
from kk_core.text import Text, text
from kk_tui.games.web_of_power.counts import advisors, cloisters, seats_of
from kk_tui.games.web_of_power.picture import Shown
from kk_tui.games.web_of_power.theme import COUNTRY_CODES
from kk_tui.table.scene import Scene
from kk_tui.theme.glyphs import letter

INTERIM, FINAL, ALLIANCES, CHAINS = range(4)
PARTS: Final = (text("Interim scoring"), text("Final scoring"), text("Alliances"), text("Chains"))
"""The parts of the score in the order of scoring."""

_FINAL_ROWS: Final = len(COUNTRIES)
_ALLIANCE_ROWS: Final = 2 * len(COUNTRIES)


@dataclass(frozen=True)
class ScoreLine:
    """One line: its part, a label and a shorter one, every seat's points, what the map shows, and why."""

    part: int
    label: Text
    short: Text
    points: tuple[int, ...]
    shown: Shown
    why: Text


def score_lines(scene: Scene[Observation]) -> list[ScoreLine]:
    """All lines that gave somebody points, in the order of scoring."""
    found = [*_countries(scene.observation), *_alliances(scene.observation)]
    return [line for line in (*found, *_chains(scene)) if any(line.points)]


def _countries(view: Observation) -> Iterator[ScoreLine]:
    for part, first in ((INTERIM, 0), (FINAL, _FINAL_ROWS)):
        for country in view.printed.scoring_order:
            points, name = view.sheet[first + country], COUNTRY_NAMES[country]
            if part == INTERIM:
                why = text(
                    "Interim scoring of {country}: points {points}.", country=name, points=figures(points)
                )
            else:
                why = text(
                    "{country}: cloisters {cloisters}; points {points}.",
                    country=name, cloisters=figures(cloisters(view, country)), points=figures(points),
                )  # fmt: skip
            yield ScoreLine(part, name, COUNTRY_CODES[country], points, Shown(frozenset((country,))), why)


def _alliances(view: Observation) -> Iterator[ScoreLine]:
    for number, pair in enumerate(view.printed.alliances, 1):
        points = view.sheet[_ALLIANCE_ROWS + number - 1]
        first, second = (COUNTRY_NAMES[country] for country in pair)
        why = text(
            "Alliance {number}: advisors in {first} {ours}, in {second} {theirs}; points {points}.",
            number=number, first=first, ours=figures(advisors(view, pair[0])),
            second=second, theirs=figures(advisors(view, pair[1])), points=figures(points),
        )  # fmt: skip
        label = text("{number} {first}-{second}", number=number, first=first, second=second)
        codes = (COUNTRY_CODES[country] for country in pair)
        short = text("{first}-{second}", first=next(codes), second=next(codes))
        yield ScoreLine(ALLIANCES, label, short, points, Shown(frozenset(pair), alliance=number), why)


def _chains(scene: Scene[Observation]) -> Iterator[ScoreLine]:
    printed = scene.observation.printed
    for seat, chains in enumerate(scene.observation.chains):
        for chain in chains:
            steps = {tuple(sorted(step)) for step in pairwise(chain)}
            roads = frozenset(number for number, road in enumerate(printed.roads) if road in steps)
            spaces = "-".join(printed.spaces[space] for space in chain)
            why = text(
                "{name}'s chain of {length} cloisters gives as many points: {spaces}.",
                name=scene.name(seat), length=len(chain), spaces=spaces,
            )  # fmt: skip
            points = tuple(len(chain) if each == seat else 0 for each in seats_of(scene.observation))
            ends = {"first": printed.spaces[chain[0]], "last": printed.spaces[chain[-1]]}
            label = text("{letter} {first} to {last}", letter=letter(seat), **ends)
            short = text("{letter} chain", letter=letter(seat))
            countries = frozenset(printed.country_of[space] for space in chain)
            yield ScoreLine(CHAINS, label, short, points, Shown(countries, frozenset(chain), roads), why)


def figures(of_seats: Sequence[int]) -> str:
    """Letter and figure of all who have one, e.g. "A 4 B 2"."""
    return " ".join(f"{letter(seat)} {figure}" for seat, figure in enumerate(of_seats) if figure) or "0"
