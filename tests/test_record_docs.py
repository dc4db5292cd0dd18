"""docs/records.md and docs/records/ tell what the engine does: tables, vectors and programs are run here."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kk_core.chance import Chance
from kk_core.data import digest
from kk_core.export import export
from kk_core.record import format_record, parse_record, record_of, replay
from kk_core.registry import game, game_ids
from kk_core.strict_json import DEEPEST
from server.commands.record import LARGEST
from server.front.signatures import signer_of
from tests.core.contract.tables import Table, every_table, tables_of

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "records.md").read_text(encoding="utf-8")
EXAMPLE = DOCS / "records" / "example.json"
RECORDS = Path(__file__).parent / "golden" / "records"
SEED = bytes(range(32))

Json = dict[str, Any]


@cache
def page(game_id: str) -> str:
    return (DOCS / "records" / f"{game_id}.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[tuple[str, str]]:
    """The rows of the table under a heading, without its head; every table has two columns."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = (line.strip("|").split(" | ") for line in lines[2:])
    return [(first.strip(" `"), second.strip(" `")) for first, second in cells]


def program() -> Any:
    """The Python of the page, as somebody would copy it."""
    found: Json = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, found)  # our own document
    return SimpleNamespace(**found)


DOC = program()


# -- the stream ----------------------------------------------------------------------------------------------


def test_the_vector_of_the_stream_is_what_the_program_of_the_page_and_the_engine_make() -> None:
    vector = dict(rows(PAGE, "The seed"))
    assert vector["commitment"] == DOC.sha256(SEED).hexdigest()
    stream = DOC.words(SEED)
    chance = Chance(SEED)
    assert vector["the first words"].split() == [str(next(stream)) for _ in range(8)]
    assert vector["the first words"].split() == [str(chance.word()) for _ in range(8)]
    stream, chance = DOC.words(SEED), Chance(SEED)
    drawn = vector["below(6)` from the beginning, ten times"].split()
    assert drawn == [str(DOC.below(6, stream)) for _ in range(10)]
    assert drawn == [str(chance.below(6)) for _ in range(10)]
    shuffled = [int(n) for n in vector["0 1 2 ... 9 shuffled, from the beginning"].split()]
    cards = list(range(10))
    Chance(SEED).shuffle(cards)
    assert shuffled == cards == DOC.shuffled(range(10), DOC.words(SEED))


# -- the deals -----------------------------------------------------------------------------------------------


def names(game_id: str, word: str) -> list[str]:
    """The identifiers that a page lists behind a word, in order."""
    listed = re.search(rf"(?:^|\. ){word}:((?:\s`[\w/]+`)+)", page(game_id), re.MULTILINE)
    assert listed is not None
    return re.findall(r"`([\w/]+)`", listed[1])


def standing(order: list[str], counts: dict[str, int]) -> list[str]:
    return [card for card in order for _ in range(counts[card])]


def deal_land_cards(seats: int) -> Json:
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


def deal_web_of_power(seats: int) -> Json:
    data, kinds = game("web_of_power").rules_data, names("web_of_power", "Cards")
    out = data["removed"][str(seats)]
    cards = DOC.shuffled(standing(kinds, {k: data["cards"][k] - out for k in kinds}), DOC.words(SEED))
    hands = [sorted(cards[3 * seat : 3 * seat + 3], key=kinds.index) for seat in range(seats)]
    first = 3 * seats
    return {
        "hands": hands,
        "face_up": cards[first : first + 2],
        "draw_pile": cards[first + 2 :],
        "removed": standing(kinds, dict.fromkeys(kinds, out)),
    }


def deal_ku_ka_king(seats: int) -> Json:
    data, kinds = game("ku_ka_king").rules_data, names("ku_ka_king", "Cards")
    counts = {kind["type"]: kind["count"] for kind in data["cards"]}
    cards = DOC.shuffled(standing(kinds, counts), DOC.words(SEED))
    (table,) = (table for table in data["tables"] if table["seats"] == seats)
    laid_out = 3 * table["rows"]
    return {
        "rows": [cards[i : i + 3] for i in range(0, laid_out, 3)],
        "draw_pile": cards[laid_out : table["cards"]],
        "box": cards[table["cards"] :],
    }


DEALS = {"land_cards": deal_land_cards, "web_of_power": deal_web_of_power, "ku_ka_king": deal_ku_ka_king}


@every_table
def test_a_deal_made_by_the_words_of_the_page_is_the_one_that_the_engine_makes(table: Table) -> None:
    state = table.game.setup(dict(table.options), table.seats, SEED)
    exported = json.loads(json.dumps(table.game.export_setup(state)))
    assert DEALS[table.game_id](table.seats) == exported


def wrapped(label: str, words: list[str], joint: str = " ") -> str:
    line = f"{label}: {joint.join(words)}"
    return textwrap.fill(line, 110, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)


def written_land_cards() -> str:
    def code(card: Json) -> str:
        route = {None: "", "ship": "+s", "carriage": "+k"}[card["route"]]
        law = f" ({card['law']})" if card["law"] else ""
        return f"{card['country']} {''.join(card['symbols']) or '-'}{route}{law}"

    layout = deal_land_cards(3)["layout"]
    lines = []
    for number, row in enumerate(layout, 1):
        cards = ", ".join(map(code, row))
        lines.append(wrapped(f"row {number}", [cards]))
    return "\n".join(lines)


def written_web_of_power() -> str:
    kinds = names("web_of_power", "Cards")

    def numbers(cards: list[str]) -> str:
        return " ".join(str(kinds.index(card)) for card in cards)

    deal = deal_web_of_power(3)
    stream = DOC.words(SEED)
    DOC.shuffled(range(45), stream)  # the deal
    again = DOC.shuffled(standing(kinds, dict.fromkeys(kinds, 5)), stream)
    return "\n".join(
        [
            "hands: " + " | ".join(map(numbers, deal["hands"])),
            f"open: {numbers(deal['face_up'])}",
            f"draw pile: {numbers(deal['draw_pile'])}",
            f"reshuffle: {numbers(again)}",
        ]
    )


def written_ku_ka_king() -> str:
    deal = deal_ku_ka_king(2)
    numbered = [f"row {number}: {' '.join(row)}" for number, row in enumerate(deal["rows"], 1)]
    return "\n".join([*numbered, wrapped("draw pile", deal["draw_pile"]), wrapped("box", deal["box"])])


WRITTEN = {
    "land_cards": written_land_cards,
    "web_of_power": written_web_of_power,
    "ku_ka_king": written_ku_ka_king,
}


@pytest.mark.parametrize("game_id", game_ids())
def test_the_deal_on_a_page_is_the_one_that_its_words_make(game_id: str) -> None:
    (shown,) = re.findall(r"```deal\n(.*?)```", page(game_id), re.DOTALL)
    assert shown.strip() == WRITTEN[game_id]()


def test_a_second_shuffle_goes_on_where_the_first_has_ended() -> None:
    state = game("web_of_power").setup({}, 3, SEED)
    chance = Chance(SEED, state.position)
    cards = [kind for kind in range(5) for _ in range(5)]
    chance.shuffle(cards)
    assert f"reshuffle: {' '.join(map(str, cards))}" in page("web_of_power")


# -- moves, events, results ----------------------------------------------------------------------------------


def fits(template: Any, value: Any, found: Json) -> bool:
    """Whether a move has the shape of a row; capital letters are filled in."""
    if isinstance(template, str) and re.fullmatch("[A-Z]", template):
        return bool(found.setdefault(template, value) == value)
    if isinstance(template, dict):
        return (
            isinstance(value, dict)
            and template.keys() == value.keys()
            and all(fits(template[key], value[key], found) for key in template)
        )
    if isinstance(template, list):
        return (
            isinstance(value, list)
            and len(template) == len(value)
            and all(fits(*pair, found) for pair in zip(template, value, strict=True))
        )
    return bool(template == value)


def filled_in(found: Json, letter: re.Match[str]) -> str:
    return str(found[letter[0]])


def notation(game_id: str, move: Json) -> str:
    """A move as the table of the page writes it."""
    for template, written in rows(page(game_id), "Moves"):
        found: Json = {}
        if fits(json.loads(template), move, found):
            return re.sub(r"\b[A-Z]\b", partial(filled_in, found), written)
    raise AssertionError(f"no row for {move}")


def finished(table: Table) -> Iterator[Any]:
    for number in range(3):
        *_, match = table.random_match(number)
        yield match


@every_table
def test_the_chain_follows_from_an_export_by_the_words_of_the_pages_alone(table: Table) -> None:
    for match in finished(table):
        exported = json.loads(json.dumps(export(record_of(match))))
        moves = [event for event in exported["events"] if "move" in event]
        lines = [f"{event['seat']} {notation(table.game_id, event['move'])}" for event in moves]
        assert tuple(lines) == record_of(match).moves
        assert DOC.chain(exported, lines) == exported["chain"]


@pytest.mark.parametrize("game_id", game_ids())
def test_every_event_has_a_row_with_its_shape(game_id: str) -> None:
    listed = {event.partition(",")[0].rstrip("}"): event for event, _ in rows(page(game_id), "Events")}
    seen = set()
    for table in tables_of(game_id):
        for match in finished(table):
            for event in export(record_of(match))["events"]:
                kind = next((key for key in ("rule", "chance") if key in event), None)
                if kind is None:
                    continue
                start = f'{{"{kind}": "{event[kind]}"'
                seen.add(start)
                assert all(f'"{key}":' in listed[start] for key in event)
                assert listed[start].count('":') >= len(event)
    rare = {'{"rule": "nobody_can_place"', '{"chance": "box_shuffle"', '{"rule": "skip"'}
    assert set(listed) - rare <= seen <= set(listed)


@every_table
def test_the_sheet_has_the_items_that_the_page_lists_in_this_order(table: Table) -> None:
    *_, match = table.random_match()
    items = [line["item"] for line in export(record_of(match))["result"]["sheet"]]
    assert items == SHEETS[table.game_id]()


def sheet_land_cards() -> list[str]:
    by_country = [
        f"{kind}:{name}" for name in names("land_cards", "Countries") for kind in ("land", "symbols")
    ]
    return [*by_country, "ships", "carriages", "minus_two"]


def sheet_web_of_power() -> list[str]:
    order = game("web_of_power").rules_data["scoring_order"]
    cloisters = [f"{scoring}:cloisters:{name}" for scoring in ("interim", "final") for name in order]
    return [*cloisters, *(f"alliance:{n}" for n in range(1, 16)), "chains"]


def sheet_ku_ka_king() -> list[str]:
    lines = ("kings", "churches", "points", "knights", "animals", "farm")
    return [f"{scoring}:{line}" for scoring in ("first", "final") for line in lines]


SHEETS = {
    "land_cards": sheet_land_cards,
    "web_of_power": sheet_web_of_power,
    "ku_ka_king": sheet_ku_ka_king,
}


# -- the example ---------------------------------------------------------------------------------------------


def test_the_example_is_a_good_record_with_a_good_signature() -> None:
    content = EXAMPLE.read_bytes()
    assert replay(parse_record(content)).is_over
    key = signer_of(content, Path(f"{EXAMPLE}.sig").read_bytes())
    assert key.get_fingerprint() in PAGE


def test_the_chain_of_the_example_is_worked_out_on_the_page() -> None:
    exported = json.loads(json.dumps(export(parse_record(EXAMPLE.read_bytes()))))
    lines = json.loads(EXAMPLE.read_bytes())["moves"]
    shown = dict(rows(PAGE, "The chain"))
    assert f"the header has {len(DOC.header(exported))} bytes" in PAGE
    assert shown["c(0)"] == DOC.chain(exported, [])
    assert shown[f"c(1), after `{lines[0]}"] == DOC.chain(exported, lines[:1])
    assert shown[f"the last, after {len(lines)} lines"] == DOC.chain(exported, lines) == exported["chain"]


def test_the_text_of_a_record_is_the_one_that_the_page_tells() -> None:
    content = EXAMPLE.read_bytes()
    (told,) = re.findall(r"in Python `(.*?)`", PAGE)
    assert eval(told, {"json": json, "record": json.loads(content)}).encode() == content


def test_the_limits_of_reading_are_those_that_the_page_tells() -> None:
    assert LARGEST == 1024**2
    assert f"deeper than {DEEPEST} levels" in PAGE.replace("\n", " ")


def test_a_seed_is_mixed_as_the_page_tells() -> None:
    added = [(0, bytes(32)), (1, SEED)]
    table = tables_of("ku_ka_king")[0]
    match = table.match()
    mixed = type(match)(match.game, {}, match.seats, SEED, added)
    stored = json.loads(format_record(record_of(mixed)))
    assert stored["contributions"] == [{"seat": 0, "bytes": "00" * 32}, {"seat": 1, "bytes": SEED.hex()}]
    assert mixed.seed == DOC.mix(bytes.fromhex(stored["host_seed"]), stored["contributions"])
    assert DOC.mix(SEED, []) == SEED


def test_the_export_of_a_record_of_version_1_is_what_the_page_tells() -> None:
    stored = json.loads((RECORDS / "ku_ka_king-1-2.json").read_bytes())
    assert not stored.keys() & {"rules_data", "rng", "host_seed", "contributions", "result", "chain"}
    exported = export(parse_record(json.dumps(stored)))
    assert exported["rules_version"] == f"1-{digest(exported['rules_data'])[:8]}" != stored["rules_version"]
    assert (exported["rng"], exported["contributions"]) == ("kk-1", [])
    assert exported["host_seed"] == exported["seed"] == stored["seed"]
    assert exported["chain"] == DOC.chain(exported, stored["moves"])
