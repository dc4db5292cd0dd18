"""The interim and the final scoring as a procession: country by country, alliances, chains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kk_core.games.web_of_power.model import COUNTRIES, COUNTRY_NAMES, Observation
from kk_core.text import Text, text
from kk_tui.ceremony import Bar, Step, procession
from kk_tui.games.web_of_power.counts import cloisters
from kk_tui.games.web_of_power.score import INTERIM, ScoreLine, score_lines
from kk_tui.games.web_of_power.theme import land_variable
from kk_tui.scene import Scene


def ceremony(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Step]:
    """The scorings that were held between two scenes, over the map as it stands after them.

    Each step marks the line of the score that it counts, which the board shows on the map.
    """
    return list(_steps(before, after))


def _steps(before: Scene[Observation], after: Scene[Observation]) -> Iterator[Step]:
    lines, first = score_lines(after), after.observation.sheet[: len(COUNTRIES)]
    nothing = (0,) * len(after.names)
    interim = tuple(sum(column) for column in zip(*first, strict=True))
    if after.observation.interim_scored and not before.observation.interim_scored:
        counted = [line for line in lines if line.part == INTERIM]
        yield from _procession(after, text("Interim scoring"), counted, nothing)
    if after.is_over and not before.is_over:
        counted = [line for line in lines if line.part != INTERIM]
        yield from _procession(after, text("Final scoring"), counted, interim)


def _procession(
    scene: Scene[Observation], title: Text, lines: Sequence[ScoreLine], start: tuple[int, ...]
) -> list[Step]:
    bars = [_bar(scene.observation, line) for line in lines]
    return procession(scene, title, bars, lines, start=start)


def _bar(view: Observation, line: ScoreLine) -> Bar:
    """A country as it is lit on the map, with the cloisters that it has now; others have no colour."""
    if line.label not in COUNTRY_NAMES:
        return Bar(line.label, line.points, why=line.why, short=line.short)
    country = COUNTRY_NAMES.index(line.label)
    return Bar(
        line.label, line.points, cloisters(view, country),
        land_variable(country, lit=True), "web_of_power-lit-ink", line.why, short=line.short,
    )  # fmt: skip
