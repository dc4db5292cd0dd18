"""Two lines about what the cursor stands on, in words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from kk_core.games.web_of_power.model import CLOISTER_OF, COUNTRY_NAMES, FREE, Observation, Printed
from kk_core.text import Text, text
from kk_tui.games.web_of_power.choices import CREST, Target, country_of
from kk_tui.games.web_of_power.counts import advisors, cloisters, free_spaces
from kk_tui.games.web_of_power.score import figures
from kk_tui.games.web_of_power.theme import COUNTRY_CODES
from kk_tui.i18n import render
from kk_tui.scene import Scene


def detail(scene: Scene[Observation], target: Target, width: int) -> tuple[Text, Text]:
    """What it is and who has it; then what the country is like, in so many columns where that can be."""
    printed = scene.observation.printed
    country = country_of(printed, target)
    if target >= CREST:
        partners = _partners(printed, country, COUNTRY_NAMES)
        if cell_len(render(partners)) > width:
            partners = _partners(printed, country, COUNTRY_CODES)
        return _crest(scene.observation, country), partners
    return _space(printed, scene, target), _country(scene.observation, country)


def _space(printed: Printed, scene: Scene[Observation], space: int) -> Text:
    owner = scene.observation.board[space]
    name, country = printed.spaces[space], COUNTRY_NAMES[printed.country_of[space]]
    if owner == FREE:
        return text("{space} in {country}: free", space=name, country=country)
    return text(
        "{space} in {country}: a cloister of {name}",
        space=name, country=country, name=scene.name(owner - CLOISTER_OF),
    )  # fmt: skip


def _country(view: Observation, country: int) -> Text:
    return text(
        "Cloisters {cloisters}, {free} free; advisors {advisors}",
        cloisters=figures(cloisters(view, country)),
        free=free_spaces(view, country),
        advisors=figures(advisors(view, country)),
    )


def _crest(view: Observation, country: int) -> Text:
    present, name = advisors(view, country), COUNTRY_NAMES[country]
    most = max(cloisters(view, country))
    if not most:
        return text("Crest of {country}: no advisors before there are cloisters", country=name)
    if not any(present):
        return text("Crest of {country}: none of {most} advisors", country=name, most=most)
    return text(
        "Crest of {country}: {taken} of {most} advisors, {advisors}",
        country=name, taken=sum(present), most=most, advisors=figures(present),
    )  # fmt: skip


def _partners(printed: Printed, country: int, names: Sequence[Text]) -> Text:
    partners = ", ".join(
        f"{number} {names[sum(pair) - country]}"
        for number, pair in enumerate(printed.alliances, 1)
        if country in pair
    )
    return text("Alliances: {partners}", partners=partners)
