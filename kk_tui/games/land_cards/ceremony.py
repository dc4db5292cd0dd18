"""The final scoring as a procession: country by country, the chains, and the law cards turned over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kk_core.games.land_cards.model import CHAIN, COUNTRIES, MINUS_TWO, SHEET, Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES
from kk_core.text import Text, text
from kk_tui.ceremony import Bar, Step, procession
from kk_tui.games.land_cards.counts import collected
from kk_tui.games.land_cards.theme import country_variable
from kk_tui.scene import Scene

_SHIPS, _CARRIAGES, _LAWS = range(len(SHEET) - 3, len(SHEET))
"""The last lines of the sheet."""


def ceremony(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Step]:
    """After the last turn: what every line of the sheet gives, over the table, where hardly a card is left.

    Each step marks the lines of the sheet that it counts.
    """
    if before.is_over or not after.is_over:
        return ()
    counted = [*_countries(after), *_chains(after), *_laws(after)]
    bars, marks = [bar for bar, _lines in counted], [lines for _bar, lines in counted]
    nothing = (0,) * len(after.names)
    return procession(after, text("Final scoring"), bars, marks, start=nothing, over_board=True)


def _countries(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """Land and symbols of each country that somebody has cards of."""
    view = scene.observation
    held = [collected(view, seat) for seat in range(len(scene.names))]
    for country in range(len(COUNTRIES)):
        cards = tuple(own.cards[country] for own in held)
        land, symbols = view.sheet[2 * country], view.sheet[2 * country + 1]
        if not any(cards):
            continue
        why = text(
            "{country}: land {land}; symbols {symbols}.",
            country=COUNTRY_NAMES[country], land=_figures(scene, land), symbols=_figures(scene, symbols),
        )  # fmt: skip
        points = tuple(map(sum, zip(land, symbols, strict=True)))
        ground = country_variable(country)
        bar = Bar(COUNTRY_NAMES[country], points, cards, ground, "land_cards-open-ink", why)
        yield bar, (2 * country, 2 * country + 1)


def _chains(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """Ships and carriages."""
    view = scene.observation
    held = [collected(view, seat) for seat in range(len(scene.names))]
    for label, line, counts in (
        (text("Ships"), _SHIPS, tuple(own.ships for own in held)),
        (text("Carriages"), _CARRIAGES, tuple(own.carriages for own in held)),
    ):
        why = text("{chain}: {n} or more of them give a point each.", chain=label, n=CHAIN)
        yield Bar(label, view.sheet[line], counts, why=why), (line,)


def _laws(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """The law cards that everybody still held, turned over seat by seat and card by card."""
    points = scene.observation.sheet[_LAWS]
    for seat, hand in enumerate(scene.observation.hands):
        for law in sorted(hand):
            counted = points[seat] // hand.count(law) if law == MINUS_TWO else 0
            own = tuple(counted if each == seat else 0 for each in range(len(points)))
            name, words = scene.name(seat), LAW_NAMES[law]
            if counted:
                why = text("{name} turns over: {law}.", name=name, law=words)
            else:
                why = text("{name} turns over: {law}, which counts nothing at the end.", name=name, law=words)
            yield Bar(LAW_NAMES[law], own, (), f"seat-{seat}", "seat-ink", why, seat), (_LAWS,)


def _figures(scene: Scene[Observation], points: Sequence[int]) -> Text | str:
    """Everybody's points with the names, those of who got any."""
    parts: list[Text] = [
        text("{name} {points}", name=scene.name(seat), points=each)
        for seat, each in enumerate(points) if each
    ]  # fmt: skip
    if not parts:
        return text("nobody")
    *before, last = parts
    for part in reversed(before):
        last = text("{first}, {others}", first=part, others=last)
    return last
