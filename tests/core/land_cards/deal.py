"""How the card game is dealt, by the words of docs/records/land_cards.md and docs/protocol.md."""

from __future__ import annotations

from typing import Any

from kk_core.registry import game
from tests.core.kk1 import shuffled, words
from tests.records_page import DOC, SEED, Json, names, standing, wrapped
from tests.server import stranger

RARE = frozenset({'{"rule": "skip"'})
"""Events of the page that a few random matches may lack."""


def dealt(seats: int) -> Json:
    """The `setup` of an export, for the seed of the page."""
    data, stream = game("land_cards").rules_data, DOC.words(SEED)
    codes = [
        (country, code) for country in names("land_cards", "Countries") for code in data["cards"][country]
    ]
    cards = DOC.shuffled(codes, stream)
    laws = DOC.shuffled(standing(names("land_cards", "Laws"), data["laws"]), stream)
    law_at = {tuple(place): law for place, law in zip(data["layout"]["law_positions"], laws, strict=True)}
    routes = {"": None, "s": "ship", "k": "carriage"}
    layout: list[list[Json]] = [[] for _ in range(4)]
    for i, (country, code) in enumerate(cards):
        row, column = i // 14, i % 14
        symbols, _, route = code.partition("+")
        card = {"country": country, "symbols": list(symbols.replace("-", "")), "route": routes[route]}
        layout[row].append(card | {"law": law_at.get((row + 1, column + 1))})
    return {"layout": layout}


def written() -> str:
    """The block `deal` of the page."""

    def code(card: Json) -> str:
        route = {None: "", "ship": "+s", "carriage": "+k"}[card["route"]]
        law = f" ({card['law']})" if card["law"] else ""
        return f"{card['country']} {''.join(card['symbols']) or '-'}{route}{law}"

    layout = dealt(3)["layout"]
    lines = []
    for number, row in enumerate(layout, 1):
        cards = ", ".join(map(code, row))
        lines.append(wrapped(f"row {number}", [cards]))
    return "\n".join(lines)


def sheet() -> list[str]:
    """The items of the sheet."""
    by_country = [
        f"{kind}:{name}" for name in names("land_cards", "Countries") for kind in ("land", "symbols")
    ]
    return [*by_country, "ships", "carriages", "minus_two"]


def is_dealt(first: Any, seed: bytes) -> bool:
    """Whether a match, as a client of the protocol first sees it, was dealt by a seed."""
    faces, laws, law_cells = first[stranger.PRINTED]
    observation = first[stranger.OBSERVATION]
    return bool(observation[6] == shuffled(faces, words(seed)) and observation[8] == law_cells and laws)
