"""What is competed for: every country, the alliances in which somebody stands on both sides, the chains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kk_core.games.web_of_power.model import COUNTRIES, COUNTRY_NAMES, KIND_OF_COUNTRY, SHEET, Observation
from kk_core.text import text
from kk_core.types import Sheet
from kk_tui.games import Race
from kk_tui.games.web_of_power.counts import advisors, cloisters, seats_of
from kk_tui.games.web_of_power.influence import Values
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, kind_variable
from kk_tui.scene import Scene

CLOISTERS: Final = SHEET.index(f"final:cloisters:{COUNTRIES[0]}")
ALLIANCES: Final = SHEET.index("alliance:1")
CHAINS: Final = SHEET.index("chains")
"""The first lines of the parts of the final scoring."""


def races(scene: Scene[Observation]) -> Sequence[Race]:
    """In the order of scoring, with the points that each would give now."""
    return (*_countries(scene), *_alliances(scene), *_chains(scene))


def values(standing: Sheet) -> Values:
    """The points of a sheet as they are written over the map."""
    return Values(standing[CLOISTERS:ALLIANCES], standing[ALLIANCES:CHAINS])


def _countries(scene: Scene[Observation]) -> Iterator[Race]:
    view = scene.observation
    for country in view.printed.scoring_order:
        line = CLOISTERS + country
        yield Race(
            label=COUNTRY_NAMES[country],
            code=COUNTRY_CODES[country],
            colour=kind_variable(KIND_OF_COUNTRY[country]),
            counts=cloisters(view, country),
            points=scene.standing[line],
            line=(line,),
        )


def _alliances(scene: Scene[Observation]) -> Iterator[Race]:
    view = scene.observation
    for number, (first, second) in enumerate(view.printed.alliances):
        both = zip(advisors(view, first), advisors(view, second), strict=True)
        counts = tuple(a + b if a and b else 0 for a, b in both)
        if any(counts):
            codes = {"first": COUNTRY_CODES[first], "second": COUNTRY_CODES[second]}
            yield Race(
                label=text("{number} {first}-{second}", number=number + 1, **codes),
                code=text("{number}", number=number + 1),
                colour=None,
                counts=counts,
                points=scene.standing[ALLIANCES + number],
                line=(ALLIANCES + number,),
            )


def _chains(scene: Scene[Observation]) -> Iterator[Race]:
    points = scene.standing[CHAINS]
    yield Race(text("Chains"), None, tuple(0 for _ in seats_of(scene.observation)), points, line=(CHAINS,))
