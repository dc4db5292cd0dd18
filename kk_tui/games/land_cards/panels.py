"""The lines beside and below the rows: stones, law cards, the legend, everybody's collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.style import Style as ContentStyle

from kk_core.games.land_cards import model
from kk_core.games.land_cards.layout import row_ends
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES, ROUTE_NAMES, SYMBOL_NAMES
from kk_core.text import Text, text, text_in, texts
from kk_core.types import Move, Seat
from kk_tui.games import Best, Race
from kk_tui.games.land_cards.theme import (
    CHAIN_NAMES,
    COUNTRY_CODES,
    FRIEZES,
    badge,
    country_variable,
    symbol_variable,
)
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import CHOICE_OF, KEYS, Action, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs, letter
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import code_lines


@dataclass(frozen=True, slots=True)
class Collected:
    """A seat's cards: per country their number, the most of one circle symbol and which; ships, carriages.

    `best_symbol` is an index into SYMBOLS, the first of those that tie; without a symbol it is meaningless.
    """

    cards: tuple[int, ...]
    best: tuple[int, ...]
    best_symbol: tuple[int, ...]
    ships: int
    carriages: int


def collected(view: Observation, seat: Seat) -> Collected:
    """Count the cards in front of a seat."""
    return _collected(view.faces, view.board, seat)


@lru_cache(maxsize=64)
def _collected(all_faces: tuple[int, ...], board: bytes, seat: Seat) -> Collected:
    # called for every step of the cursor, which changes none of it
    faces = [face for face, lies in zip(all_faces, board, strict=True) if lies == model.TAKEN + seat]
    cards = Counter(model.country_of(face) for face in faces)
    symbols = [Counter[int]() for _ in model.COUNTRIES]
    for face in faces:
        symbols[model.country_of(face)].update(model.symbols_of(face))
    routes = Counter(model.route_of(face) for face in faces)
    return Collected(
        cards=tuple(cards[country] for country in range(len(model.COUNTRIES))),
        best=tuple(max(counts.values(), default=0) for counts in symbols),
        best_symbol=tuple(max(range(len(model.SYMBOLS)), key=lambda one: counts[one]) for counts in symbols),
        ships=routes[1],
        carriages=routes[2],
    )


def stones_on_cards(view: Observation, seat: Seat) -> int:
    """Return the number of a seat's stones on cards of the layout."""
    return view.board.count(model.STONE + seat)


def cards_left(view: Observation) -> int:
    """Return the number of cards in the layout."""
    return sum(lies < model.TAKEN for lies in view.board)


def in_rows(view: Observation, country: int) -> int:
    """Return the number of cards of a country in the layout."""
    return sum(
        lies < model.TAKEN and model.country_of(face) == country
        for face, lies in zip(view.faces, view.board, strict=True)
    )


_PARCHMENT: Final = 18
"""Columns of a law card beside the board."""


def own_laws(view: Observation) -> tuple[int, ...]:
    """Return the kinds of law cards in the viewer's hand, once each, in the order of their keys."""
    return () if view.viewer is None else tuple(sorted(set(view.hands[view.viewer])))


def person_line(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> Content:
    """Return a seat's stones (held, on cards, out of the game), law cards and number of land cards."""
    view = scene.observation
    laws = f"{glyphs['land_cards-law']}{view.law_counts[seat]}"
    cards = sum(collected(view, seat).cards)
    name, held = scene.name(seat), view.law_counts[seat]
    hand = texts("{name} holds {n} law card.", "{name} holds {n} law cards.", held, name=name)
    taken = texts("{name} has taken {n} card.", "{name} has taken {n} cards.", cards, name=name)
    return Content.assemble(
        stones(scene, seat, glyphs),
        explained((f" {laws}  ", "$gold" if held else "$ink-dim"), hand, "law-cards"),
        explained((ngettext("{n} card", "{n} cards", cards), "$ink"), taken, "the-cards"),
    )


def stones(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> Content:
    """Return a seat's stones: held, on cards, out of the game."""
    view = scene.observation
    held = glyphs[f"owner-{seat}"] * view.supply[seat]
    laid = glyphs["land_cards-laid"] * stones_on_cards(view, seat)
    out = glyphs["times"] * view.gone[seat]
    told = text(
        "{name}'s stones: {held} in the supply, {laid} on cards, {out} out of the game.",
        name=scene.name(seat), held=view.supply[seat], laid=len(laid), out=view.gone[seat],
    )  # fmt: skip
    line = Content.assemble((f"{held}{laid}", f"$seat-{seat}"), (out, "$ink-dim"))
    return explained(line, told, "placing-a-stone")


def stock(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> Content:
    """Return a seat's stones, and how many law cards it holds, if any: which ones is secret.

    Those of the viewer are among the lines below.
    """
    line = stones(scene, seat, glyphs)
    if not (held := scene.observation.law_counts[seat]) or seat == scene.observation.viewer:
        return line
    hand = texts("{name} holds {n} law card.", "{name} holds {n} law cards.", held, name=scene.name(seat))
    laws = explained((f"{glyphs['land_cards-law']}{held}", "$gold"), hand, "law-cards")
    return Content.assemble(line, laws)


def chip(face: int, glyphs: Glyphs, *, is_tight: bool = False) -> Content:
    """Return a card as a word on its country's ground: the country's short name, symbols and route.

    It has blanks around and within unless it `is_tight`.
    """
    country, route = model.country_of(face), model.route_of(face)
    ground = f"$land_cards-open-ink on ${country_variable(country)}"
    signs = [badge_words(model.SYMBOLS[symbol], glyphs) for symbol in model.symbols_of(face)]
    way = glyphs[f"land_cards-route-{model.ROUTES[route]}"] if route else ""
    if is_tight:
        return Content.assemble((render(COUNTRY_CODES[country]), ground), *signs, (way, ground))
    gap = " " if signs or way else ""
    return Content.assemble((f" {render(COUNTRY_CODES[country])}{gap}", ground), *signs, (f"{way} ", ground))


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """Return the viewer's law cards."""
    view = scene.observation
    kinds = [] if view.viewer is None else sorted(view.hands[view.viewer])
    style = "$land_cards-law-ink on $land_cards-law-ground"
    return [Content.styled(render(LAW_NAMES[kind]), style) for kind in kinds]


def panel_lines(
    scene: Scene[Observation], *, is_crowded: bool = False, has_hand: bool = True
) -> list[Content]:
    """Return the limits of the turn and, if it `has_hand`, the viewer's law cards; without a heading if it
    `is_crowded`.
    """
    view = scene.observation
    lines: list[Content] = []
    if view.phase in (model.TAKING, model.GIVING_UP):
        used = _("Symbols: {used} of {limit}", used=view.symbols, limit=view.symbol_limit)
        told = text("Your cards in one turn may show up to {limit} symbols.", limit=view.symbol_limit)
        lines.append(explained((used, "bold $gold"), told, "taking-cards"))
        if view.any_colour:
            law = (render(LAW_NAMES[model.DIFFERENT_COLOURS]), "$gold")
            lines.append(explained(law, LAW_MEANINGS[model.DIFFERENT_COLOURS], "law-cards"))
    if view.phase != model.OVER and has_hand:
        lines += [*_law_lines(scene)][is_crowded:]
    return lines


def legend(glyphs: Glyphs) -> str:
    """Return the meanings of the signs beside the names."""
    return _(
        "{laid} laid {out} out {law} laws",
        laid=glyphs["land_cards-laid"],
        out=glyphs["times"],
        law=glyphs["land_cards-law"],
    )


def whole_legend(glyphs: Glyphs, width: int, lines: int) -> list[Content]:
    """Return the meanings of all signs in `width` columns and `lines` lines, or of those beside the names."""
    symbols = [
        Content.assemble(badge_words(letter, glyphs), (f" {render(name)}", "$ink-dim"))
        for letter, name in zip(model.SYMBOLS, SYMBOL_NAMES, strict=True)
    ]
    routes = [
        Content.styled(_("{sign} {name}", sign=glyphs[f"land_cards-route-{route}"], name=name), "$ink-dim")
        for route, name in zip(model.ROUTES[1:], ROUTE_NAMES[1:], strict=True)
    ]
    short = Content.styled(legend(glyphs), "$ink-dim")
    found = [Content()]
    for part in (*symbols, *routes, short):
        longer = Content.assemble(found[-1], "  ", part) if found[-1] else part
        if longer.cell_length <= width:
            found[-1] = longer
        else:
            found.append(part)
    return found if len(found) <= lines else [short]


_BADGE: Final = (3, 2)
"""Columns and lines of a circle symbol in the legend."""


def drawn_legend(glyphs: Glyphs, width: int, lines: int) -> list[Content]:
    """Return symbols and routes as cards show them, with names and signs; nothing where it has no room."""
    wide, high = _BADGE
    if lines < high or glyphs.ascii_only:
        return []
    found = [Content()] * high
    for one, name in zip(model.SYMBOLS, SYMBOL_NAMES, strict=True):
        picture = [(line, badge_style(one)) for line in badge(one, wide, high)]
        found = _beside(found, picture, (render(name), glyphs[f"land_cards-symbol-{one}"]))
    for route, (_one_line, drawing) in enumerate(FRIEZES[1:], 1):
        picture = [(line.strip("≈ ").center(_FRIEZE), "$ink") for line in drawing]
        sign = glyphs[f"land_cards-route-{model.ROUTES[route]}"]
        found = _beside(found, picture, (render(ROUTE_NAMES[route]), sign))
    return found if max(line.cell_length for line in found) <= width else []


_FRIEZE: Final = 5
"""Columns of a ship or carriage in the legend."""


def _beside(
    lines: Sequence[Content], picture: Sequence[tuple[str, str]], words: Sequence[str]
) -> list[Content]:
    """Return lines with a picture to the right, and a word beside each line of it."""
    wide = max(map(cell_len, words))
    return [
        Content.assemble(line, "  " if line else "", part, (f" {set_cell_size(word, wide)}", "$ink-dim"))
        for line, part, word in zip(lines, picture, words, strict=True)
    ]


def badge_words(letter: str, glyphs: Glyphs) -> tuple[str, str]:
    """Return a circle symbol as its sign in the colours of its badge."""
    return glyphs[f"land_cards-symbol-{letter}"], badge_style(letter)


def badge_style(letter: str) -> str:
    """Return the style of a circle symbol on its badge."""
    return f"bold ${symbol_variable(letter)}-ink on ${symbol_variable(letter)}"


def played_lines(view: Observation) -> list[Content]:
    """Return the law cards that are out of the game, and a blank line after them."""
    if not view.played:
        return []
    kinds = [law_words(kind, copies) for kind, copies in sorted(Counter(view.played).items())]
    lines = [_("Laws played"), *(f" {kind}" for kind in kinds), ""]
    told = text("Law cards already played; they are out of the game.")
    return [explained((line, "$ink-dim"), told, "law-cards") for line in lines]


def law_words(kind: int, copies: int) -> str:
    """Return a kind of law card, and how many there are of it."""
    name = render(LAW_NAMES[kind])
    return _("{law} x{n}", law=name, n=copies) if copies > 1 else name


def _law_lines(scene: Scene[Observation]) -> Iterator[Content]:
    """Yield the viewer's law cards as parchments, each kind that can be played with its key, bold if it may
    be played now.

    Who looks through other eyes has no keys for them.

    If playing any single one would not allow another card to be taken, a line below says so.
    """
    view = scene.observation
    kinds = own_laws(view)
    if view.viewer is None or not kinds:
        return
    is_own, name = not scene.is_through_other_eyes, scene.name(view.viewer)
    words = _("Your law cards") if is_own else _("{name}'s law cards", name=name)
    yield explained(
        (words, "bold $gold"), text("Law cards in hand; only their holder knows which."), "law-cards"
    )
    for number, kind in enumerate(kinds, 1):
        name, copies = render(LAW_NAMES[kind]), view.hands[view.viewer].count(kind)
        has_key = is_own and kind != model.MINUS_TWO
        weight = "bold " if model.PlayLaw(kind).move in scene.legal else ""
        # copies share a line that has room for their number; else only the first shows the key of any of them
        whole = law_words(kind, copies)
        shown = [whole] if cell_len(whole) <= _PARCHMENT else [name] * copies
        for place, words in enumerate(shown):
            inner = f" {words}" if cell_len(words) < _PARCHMENT else words
            card = Content.assemble(
                # the key is beside the card: many names begin with a number
                (f" {number if has_key and not place else ' '} ", f"{weight}$gold"),
                (inner.ljust(_PARCHMENT), f"{weight}$land_cards-law-ink on $land_cards-law-ground"),
            )
            if has_key:
                card = card.stylize(ContentStyle.from_meta({PRESS: choice(number)}))
            yield explained(card, LAW_MEANINGS[kind], "law-cards")
        if kind in view.idle_laws:
            told = text("Playing it now wouldn't let you take another card.")
            yield explained((_("  no use right now"), "$ink-dim"), told, "law-cards")


SHORT_LAWS: Final = (text("stone back"), text("3 symbols"), text("countries"))
"""The kinds of law cards that can be played, in short."""

LAW_MEANINGS: Final = (
    text("Take back a stone: you get back one of yours that is out of the game."),
    text("Up to 3 symbols: this turn, your cards may show 3 symbols."),
    text("Several countries: this turn, your cards need not be from the same one."),
    text("-2 points: it can't be played, and costs its holder 2 points."),
)
"""The effect of each kind of law card."""


_PHASES: Final = (
    text("taking cards"),
    text("giving up a stone"),
    text("placing a stone"),
    text("all cards taken"),
)


def status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return the phase of the turn, for the header, and how many cards are left."""
    view = scene.observation
    if not (left := cards_left(view)):
        return (_PHASES[model.OVER if view.phase == model.TAKING else view.phase],)
    return _PHASES[view.phase], texts("{n} card in the rows", "{n} cards in the rows", left)


def prompt(scene: Scene[Observation], picked: int | None) -> Text:
    """Return the sentence for the viewer, who may act; `picked` is the stone that they are moving."""
    phase = scene.observation.phase
    if phase == model.GIVING_UP:
        return _prompt_giving_up(scene)
    return _prompt_stones(scene, picked) if phase == model.STONE_STEP else _prompt_taking(scene)


def wanted_law(scene: Scene[Observation], wanted: Collection[Move]) -> Text | None:
    """Return the key that plays a law card that a lesson asks for; None if it asks for none."""
    for number, kind in enumerate(own_laws(scene.observation), 1):
        if (move := model.PlayLaw(kind).move) in scene.legal and move in wanted:
            return text("{key} plays “{law}”.", key=KEYS[choice(number)].shown, law=LAW_NAMES[kind])
    return None


def _prompt_taking(scene: Scene[Observation]) -> Text:
    view, can_take = scene.observation, _is_there(scene, model.Take)
    if not view.taken:
        if can_take:
            return text("Take a card from the left or right end of a row.")
        return text("You can't take a card: play “Take back a stone”, or skip your turn.")
    used: dict[str, int | str] = {"used": view.symbols, "limit": view.symbol_limit}
    if not can_take:
        return _why_no_more(scene, used)
    if view.any_colour:
        return text("Take another card of any country, or end taking ({used} of {limit} symbols).", **used)
    country = COUNTRY_NAMES[model.country_of(view.faces[view.taken[0]])]
    return text(
        "Take another card of {country}, or end taking ({used} of {limit} symbols).",
        country=country,
        used=view.symbols,
        limit=view.symbol_limit,
    )


_LETTING_TAKE: Final = {model.THREE_SYMBOLS, model.DIFFERENT_COLOURS}
"""The kinds of law cards that may let more cards be taken in a turn."""


def _why_no_more(scene: Scene[Observation], used: dict[str, int | str]) -> Text:
    """Return what prevents taking another card: that a law card is needed, the symbols, or that no card of
    the country is at an end.
    """
    view = scene.observation
    if any(model.PlayLaw(kind).move in scene.legal for kind in _LETTING_TAKE - {*view.idle_laws}):
        return text("Only a law card lets you take more: play one, or end taking.")
    if view.symbols >= view.symbol_limit:
        return text("You can't take another card ({used} of {limit} symbols): end taking.", **used)
    country = model.country_of(view.faces[view.taken[0]])
    ends = {model.country_of(view.faces[cell]) for cell in row_ends(view.board)}
    if not ends:
        return text("No cards are left in the rows: end taking.")
    if country not in ends and not view.any_colour:
        name = COUNTRY_NAMES[country]
        return text("No other card of {country} is at the end of a row: end taking.", country=name)
    return text("No card at an end can be added to yours ({used} of {limit} symbols): end taking.", **used)


def _prompt_giving_up(scene: Scene[Observation]) -> Text:
    from_hand = model.GiveUp(None).move in scene.legal
    if from_hand and len(scene.legal) == 1:
        return text("The card was under an opponent's stone: Enter gives up one from your supply.")
    if from_hand:
        return text("You owe a stone for that card: choose one on a card, or one from your supply.")
    return text("You owe a stone for that card: choose one of yours on a card.")


def _prompt_stones(scene: Scene[Observation], picked: int | None) -> Text:
    if picked is not None:
        return text("Choose a card to move the stone to; Esc leaves it where it is.")
    if _is_there(scene, model.PlaceStone):
        return text("Place a stone on a card in the rows, or leave the stones as they are.")
    if _is_there(scene, model.MoveStone):
        return text("All your stones are on cards: choose one to move to another card, or leave them.")
    return text("You can't place or move a stone: leave the stones as they are.")


def _is_there(scene: Scene[Observation], kind: type[model.Take | model.PlaceStone | model.MoveStone]) -> bool:
    return any(isinstance(model.read(move), kind) for move in scene.legal)


_PLAIN: Final = (
    (model.EndTaking().move, "end", text("end taking")),
    (model.Pass().move, "pass", text("leave the stones")),
    (model.Skip().move, "pass", text_in("key", "skip the turn")),
    (model.GiveUp(None).move, "give", text("give up a supply stone")),
)


def enter(scene: Scene[Observation], picked: int | None, cursor: int | None) -> Text:
    """Return what Enter does to the card under the cursor, which can be chosen."""
    phase = scene.observation.phase
    if phase == model.GIVING_UP:
        return text("give up this stone")
    if phase != model.STONE_STEP:
        return text("take the card")
    if picked is not None:
        return text("leave it here") if cursor == picked else text("move the stone here")
    if _is_there(scene, model.PlaceStone):
        return text("place a stone")
    return text("choose this stone")


def actions(scene: Scene[Observation]) -> Iterator[Action]:
    """Yield the actions besides choosing cards."""
    for move, name, label in _PLAIN:
        if move in scene.legal:
            yield Action(name, label)
    for number, kind in enumerate(own_laws(scene.observation), 1):
        if model.PlayLaw(kind).move in scene.legal:
            yield Action(choice(number), LAW_NAMES[kind])


def meaning(scene: Scene[Observation], name: str) -> Move | Text | None:
    """Return the move of a key, whether it is legal or not, or the reason why it has none."""
    if name in CHOICE_OF:
        laws, number = own_laws(scene.observation), CHOICE_OF[name]
        if number > len(laws):
            return text("You have no law card {number}.", number=number)
        return model.PlayLaw(laws[number - 1]).move
    meant = [move for move, action, _label in _PLAIN if action == name]
    # two moves share a key: the legal one of them counts
    return next((move for move in meant if move in scene.legal), meant[0] if meant else None)


# -- the drawer: a bar of shapes for each country ------------------------------------------------------------

Parts = list[tuple[str, str]]


def collection_lines(scene: Scene[Observation], glyphs: Glyphs, width: int) -> Sequence[Content]:
    """Return everybody's cards per country as bars, most first, and the most of one circle symbol.

    Above, a legend; below the countries, ships and carriages. Where there is no room for the bars beside the
    countries' names, they are a table with a column for each player.
    """
    view = scene.observation
    all_of = [collected(view, seat) for seat in range(len(scene.names))]
    bars = [_country_bar(view, all_of, country, glyphs) for country in range(len(COUNTRY_CODES))]
    widest = max(bar.cell_length for bar in bars)
    longest = max(cell_len(render(name)) for name in (*COUNTRY_NAMES, *CHAIN_NAMES)) + 2
    if longest + 1 + widest > width:
        return [
            *_collection_table(view, all_of, glyphs),
            *played_lines(view),
            *code_lines(COUNTRY_CODES, COUNTRY_NAMES),
        ]
    symbols = [Content.assemble(*_symbols(all_of, country, glyphs)).rstrip() for country in range(len(bars))]
    # one under the other, if all are in the lines of their countries
    column = longest + 1 + widest + 2
    is_aligned = column + max(one.cell_length for one in symbols) <= width
    lines = [*_collection_legend(all_of, glyphs)]
    for country, (bar, own) in enumerate(zip(bars, symbols, strict=True)):
        label = (f" {render(COUNTRY_NAMES[country])}".ljust(longest), _ground_of(country))
        row = explained(Content.assemble(label, " ", bar), _told_of_cards(country), "scoring")
        told = explained(own, _told_of_symbols(country), "scoring")
        if not own:
            lines.append(row)
        elif is_aligned:
            lines.append(Content.assemble(row, " " * (column - row.cell_length), told))
        else:
            indent = longest + 1
            lines += [row, told.pad_left(indent if indent + told.cell_length <= width else 1)]
    return [*lines, *_route_lines(all_of, glyphs, longest), Content(""), *played_lines(view)]


def _ground_of(country: int) -> str:
    return f"$land_cards-open-ink on ${country_variable(country)}"


def _told_of_cards(country: int) -> Text:
    return text(
        "{country}: a shape for each card taken, dots for those in the rows.", country=COUNTRY_NAMES[country]
    )


def _told_of_symbols(country: int) -> Text:
    return text(
        "{country}: each player's most common symbol; the highest number scores.",
        country=COUNTRY_NAMES[country],
    )


_CODE: Final = 3
"""Columns of a country in the table, as of the figures in each column."""


def _collection_table(view: Observation, all_of: Sequence[Collected], glyphs: Glyphs) -> Iterator[Content]:
    """Yield a table with a column for each player, where what leads is lit: two rows for each country, cards
    taken and the most of one circle symbol, and one each for ships and carriages.
    """
    heads = [(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}") for seat in range(len(all_of))]
    told = text("Each player's cards and most common symbol; what leads is lit.")
    cross = glyphs[f"land_cards-symbol-{model.SYMBOLS[0]}"]
    notes = _("{dot}2 in the rows", dot=glyphs["bullet"]), _("{symbol}2 two crosses", symbol=cross)
    for note in notes:
        yield explained((note, "$ink-dim"), told)
    yield explained(Content.assemble(" " * _CODE, *heads).rstrip(), told)
    for country, code in enumerate(COUNTRY_CODES):
        label = (render(code), _ground_of(country))
        cards = [of.cards[country] for of in all_of]
        row = Content.assemble(label, *_cells(cards))
        yield explained(row, text("{country}: everybody's cards.", country=COUNTRY_NAMES[country]), "scoring")
        left = in_rows(view, country)
        best = _best(all_of, country)
        if left or any(best):
            dots = f"{glyphs['bullet']}{left}" if left else ""
            signs = [
                ("", "") if one is None else (f"{glyphs[one.sign]}{one.count}", one.style) for one in best
            ]
            counted = text("{n} left in the rows: {country}.", n=left, country=COUNTRY_NAMES[country])
            still = explained((dots.ljust(_CODE), "$ink-dim"), counted)
            below = explained(Content.assemble(*_apart(signs)), _told_of_symbols(country), "scoring")
            yield Content.assemble(still, below)
    chain = text("Ships and carriages: at the end, 5 or more score 1 each.")
    for route, counts in zip(model.ROUTES[1:], _routes(all_of), strict=True):
        sign = (glyphs[f"land_cards-route-{route}"].ljust(_CODE), "bold $gold")
        yield explained(Content.assemble(sign, *_cells(counts)), chain, "scoring")
    yield Content("")


def _cells(counts: Sequence[int]) -> Parts:
    """Return a figure for each seat, in columns; the highest are in their colours, all others quiet."""
    return _apart(
        (f"{count or ''}", f"bold $seat-{seat}" if count == max(counts) else "$ink-dim")
        for seat, count in enumerate(counts)
    )


def _apart(figures: Iterable[tuple[str, str]]) -> Parts:
    """Return figures in columns, with a blank between any two."""
    parts = Parts()
    for words, style in figures:
        parts += [(" " * (_CODE - len(words)), ""), (words, style)]
    return [(parts[0][0][1:], ""), *parts[1:]]


def _route_lines(all_of: Sequence[Collected], glyphs: Glyphs, width: int) -> Iterator[Content]:
    """Yield everybody's ships and carriages, called by name in so many columns."""
    for name, route, counts in zip(CHAIN_NAMES, model.ROUTES[1:], _routes(all_of), strict=True):
        sign = glyphs[f"land_cards-route-{route}"]
        words = _("{sign} {name}", sign=sign, name=name).ljust(width)
        chain = text("Ships and carriages: at the end, 5 or more score 1 each.")
        row = Content.assemble((words, "bold $gold"), " ", *_figures(counts))
        yield explained(row, chain, "scoring")


def _country_bar(view: Observation, all_of: Sequence[Collected], country: int, glyphs: Glyphs) -> Content:
    """Return everybody's cards of a country as shapes, and those in the rows as dots."""
    left = glyphs["bullet"] * in_rows(view, country)
    return Content.assemble(*_bars([of.cards[country] for of in all_of], glyphs), (left, "$ink-dim"))


def _collection_legend(all_of: Sequence[Collected], glyphs: Glyphs) -> Iterator[Content]:
    """Yield what the signs of the collections mean, as far as they are there."""
    taken, left = glyphs["owner-0"], glyphs["bullet"]
    notes = [_("{shape} taken  {dot} in rows", shape=taken, dot=left)]
    if any(any(of.best) for of in all_of):
        sign = glyphs[f"land_cards-symbol-{model.SYMBOLS[0]}"]
        notes.append(_("{shape}{symbol}2 two crosses", shape=taken, symbol=sign))
    for note in notes:
        yield explained((note, "$ink-dim"), text("How to read the lines below; leaders come first."))


def _bars(counts: Sequence[int], glyphs: Glyphs) -> Parts:
    """Return letter and shapes of every seat that has any; those with the most are bold."""
    parts = []
    for seat in sorted(range(len(counts)), key=lambda one: -counts[one]):
        if counts[seat]:
            bar = letter(seat) + glyphs[f"owner-{seat}"] * counts[seat]
            parts += [(bar, _weight(counts, seat) + f"$seat-{seat}"), (" ", "")]
    return parts[:-1]


def _symbols(all_of: Sequence[Collected], country: int, glyphs: Glyphs) -> Parts:
    """Return the symbol that each seat has most of, and how often."""
    counts = [of.best[country] for of in all_of]
    parts = []
    for seat, of in enumerate(all_of):
        if counts[seat]:
            sign = glyphs[f"land_cards-symbol-{model.SYMBOLS[of.best_symbol[country]]}"]
            parts.append(
                (f"{glyphs[f'owner-{seat}']}{sign}{counts[seat]} ", _weight(counts, seat) + f"$seat-{seat}")
            )
    return parts


def _figures(counts: Sequence[int]) -> Parts:
    return [
        (f"{letter(seat)}{count} ", _weight(counts, seat) + f"$seat-{seat}")
        for seat, count in enumerate(counts)
        if count
    ]


def _weight(counts: Sequence[int], seat: Seat) -> str:
    return "bold " if counts[seat] == max(counts) else ""


def _routes(all_of: Sequence[Collected]) -> tuple[list[int], list[int]]:
    return [of.ships for of in all_of], [of.carriages for of in all_of]


# -- the contests --------------------------------------------------------------------------------------------


def race(scene: Scene[Observation]) -> Sequence[Race]:
    """Return every country by cards and best symbol, with the points for both; then ships and carriages."""
    view, first = scene.observation, 2 * len(model.COUNTRIES)
    all_of = [collected(view, seat) for seat in range(len(scene.names))]
    contests = [
        Race(
            name,
            country_variable(country),
            tuple(of.cards[country] for of in all_of),
            _points(view, 2 * country, 2 * country + 1),
            COUNTRY_CODES[country],
            (2 * country, 2 * country + 1),
            _best(all_of, country),
            is_settled=not in_rows(view, country),
        )
        for country, name in enumerate(COUNTRY_NAMES)
    ]
    routes = zip(CHAIN_NAMES, model.ROUTES[1:], _routes(all_of), strict=True)
    for line, (label, route, figures) in enumerate(routes, first):
        sign = f"land_cards-route-{route}"
        points, none = _points(view, line), (None,) * len(figures)
        contests.append(Race(label, None, tuple(figures), points, line=(line,), best=none, sign=sign))
    return contests


def _points(view: Observation, *lines: int) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*(view.sheet[line] for line in lines), strict=True))


def _best(all_of: Sequence[Collected], country: int) -> tuple[Best | None, ...]:
    """Return the symbol that each seat has most of; those that score are on their badges."""
    most = max(of.best[country] for of in all_of)
    found = list[Best | None]()
    for of in all_of:
        symbol, count = model.SYMBOLS[of.best_symbol[country]], of.best[country]
        style = (
            f"bold ${symbol_variable(symbol)}-ink on ${symbol_variable(symbol)}"
            if count == most
            else "$ink-dim"
        )
        found.append(Best(f"land_cards-symbol-{symbol}", count, style) if count else None)
    return tuple(found)
