"""The card game's face: the single value that the app uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.content import Content
from textual.widgets import Static

from kk_core.games.land_cards import model, notation
from kk_core.games.land_cards.model import CHAIN, COUNTRIES, META, MINUS_TWO, SHEET, Observation, Take, read
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES, describe_move
from kk_core.text import Text, text, text_in, texts
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games import Befell, Face, SheetEntry, TellOf
from kk_tui.games.land_cards import panels
from kk_tui.games.land_cards.board import LandCardsBoard
from kk_tui.games.land_cards.cover import DRAWN, cover
from kk_tui.games.land_cards.meaning import explain_status
from kk_tui.games.land_cards.merits import in_vain, merits
from kk_tui.games.land_cards.motion import announcements, motion
from kk_tui.games.land_cards.panels import chip, collected
from kk_tui.games.land_cards.theme import (
    CHAIN_NAMES,
    COLOURS,
    COUNTRY_CODES,
    FRIEZES,
    GLYPHS,
    SMALL_ROUTES,
    badges,
    country_variable,
    symbol_variable,
)
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Bar, Pictogram, Step, last_look, scoring_steps
from kk_tui.theme.glyphs import Glyphs

_SHIPS, _CARRIAGES, _LAWS = range(len(SHEET) - 3, len(SHEET))
"""The last lines of the sheet."""

_FRIEZE: Final = 5
"""Columns of a ship or carriage."""


def scoring_animation(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Step]:
    """Return the table after the last move, then the final scoring line by line, over the table.

    Each step marks the lines of the sheet that it counts.
    """
    if before.is_over or not after.is_over:
        return ()
    counted = [*_countries(after), *_chains(after), *_laws(after)]
    bars, marks = [bar for bar, _lines in counted], [lines for _bar, lines in counted]
    nothing, title = (0,) * len(after.names), text("Final scoring")
    steps = scoring_steps(after, title, bars, marks, start=nothing, over_board=True)
    return [last_look(after, title, describe), *steps]


def _countries(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """Yield land and symbols of each country that somebody has cards of."""
    view = scene.observation
    held = [collected(view, seat) for seat in range(len(scene.names))]
    for country in range(len(COUNTRIES)):
        cards = tuple(own.cards[country] for own in held)
        land, symbols = view.sheet[2 * country], view.sheet[2 * country + 1]
        if not any(cards):
            continue
        # Translators: at most 78 columns; the points for both follow each other like this on the screen
        why = text(
            "Cards: {n} for the most, others as many as the place ahead; symbols: most alike.", n=sum(cards)
        )
        points = tuple(map(sum, zip(land, symbols, strict=True)))
        ground = country_variable(country)
        things = tuple(
            tuple(_signs_of(view, seat, country, own.best_symbol[country] if symbols[seat] else None))
            for seat, own in enumerate(held)
        )
        bar = Bar(
            COUNTRY_NAMES[country], points, cards, ground, "land_cards-open-ink", why,
            things=things, shares=(land, symbols), sources=_SOURCES,
        )  # fmt: skip
        yield bar, (2 * country, 2 * country + 1)


def _signs_of(
    view: Observation, seat: Seat, country: int, scoring: int | None
) -> Iterator[tuple[Pictogram, ...]]:
    """Yield the signs on each card of a country that a seat has, with badges under the symbol that scores."""
    plain = "land_cards-open-ink", country_variable(country)
    for face, lies in zip(view.faces, view.board, strict=True):
        if lies == model.TAKEN + seat and model.country_of(face) == country:
            drawn = list[Pictogram]()
            for symbol in model.symbols_of(face):
                one = model.SYMBOLS[symbol]
                badge = f"{symbol_variable(one)}-ink", symbol_variable(one)
                inks = badge if symbol == scoring else plain
                drawn.append(Pictogram(f"land_cards-symbol-{one}", *inks, badges(one)))
            if route := model.route_of(face):
                name = f"land_cards-route-{model.ROUTES[route]}"
                frieze = tuple(line.strip("≈ ").center(_FRIEZE) for line in FRIEZES[route][1])
                pictures = SMALL_ROUTES[route], frieze
                drawn.append(Pictogram(name, *plain, pictures))
            yield tuple(drawn)


def _chains(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """Yield ships and carriages."""
    view = scene.observation
    held = [collected(view, seat) for seat in range(len(scene.names))]
    for label, line, counts in (
        (text("Ships"), _SHIPS, tuple(own.ships for own in held)),
        (text("Carriages"), _CARRIAGES, tuple(own.carriages for own in held)),
    ):
        why = text("{chain}: {n} or more of them give a point each.", chain=label, n=CHAIN)
        yield Bar(label, view.sheet[line], counts, why=why), (line,)


def _laws(scene: Scene[Observation]) -> Iterator[tuple[Bar, tuple[int, ...]]]:
    """Yield the law cards still held, turned over seat by seat and card by card."""
    points = scene.observation.sheet[_LAWS]
    for seat, hand in enumerate(scene.observation.hands):
        for place, law in enumerate(sorted(hand)):
            # the sheet has the sum of all cards of the kind
            counted = points[seat] // hand.count(law) if law == MINUS_TWO else 0
            own = tuple(counted if each == seat else 0 for each in range(len(points)))
            cards = tuple(int(each == seat) for each in range(len(points)))
            things = tuple(((_parchment(law),),) * count for count in cards)
            name, words = scene.name(seat), LAW_NAMES[law]
            if counted:
                why = text("{name} reveals: {law}.", name=name, law=words)
            else:
                why = text("{name} reveals: {law}, which scores nothing at the end.", name=name, law=words)
            short, left = words if law == MINUS_TWO else panels.SHORT_LAWS[law], len(hand) - place
            bar = Bar(
                short, own, cards, f"seat-{seat}", "seat-ink", why, seat,
                things=things, uncounted=texts("{n} law card", "{n} law cards", left),
            )  # fmt: skip
            yield bar, (_LAWS,)


_SOURCES: Final = (text_in("points", "cards"), text_in("points", "symbols"))
"""What a country gives points for, as said beside them."""

_ON_LAWS: Final = ("●", "3", "§", "-2")
"""What stands on each kind of law card."""


def _parchment(law: int) -> Pictogram:
    """Return a law card, face up, between its rods."""
    pictures = tuple(
        ("═" * wide, *blank, _ON_LAWS[law].center(wide), *blank, "═" * wide)
        for wide, blank in ((7, ()), (13, (" " * 13,)))
    )
    return Pictogram("land_cards-law", "land_cards-law-ink", "land_cards-law-ground", pictures)


Widths: TypeAlias = tuple[int, int]
"""Screen columns for a seat's two figures: land and symbols."""

_ROOMY: Final[Widths] = (6, 9)
_NARROW: Final[Widths] = (6, 6)
_SEATS_WITH_ROOM: Final = 4


class LandCardsScoreChart(ScrollableContainer, can_focus=True):
    """Countries down, two columns for every seat across; scrolls if the terminal is too small."""

    DEFAULT_CSS = """
    LandCardsScoreChart { width: auto; height: auto; max-width: 100%; max-height: 100%; }
    LandCardsScoreChart > Static { width: auto; height: auto; }
    """

    def __init__(self, scene: Scene[Observation], glyphs: Glyphs) -> None:
        super().__init__()
        self._chart = chart(scene, glyphs)

    def compose(self) -> ComposeResult:
        """Compose one text, which never changes."""
        yield Static(self._chart)


def chart(scene: Scene[Observation], glyphs: Glyphs) -> Content:
    """Return the chart as text: few enough lines to show the total at 80x24 without scrolling."""
    sheet = dict(zip(SHEET, scene.observation.sheet, strict=True))
    seats = len(scene.names)
    widths = _ROOMY if seats <= _SEATS_WITH_ROOM else _NARROW
    lead = " " * (widths is _ROOMY)
    labels = [f"{lead}{render(name)}" for name in COUNTRY_NAMES]
    words = (_("Subtotal"), _("Countries"), *map(render, _LAST_LINES), _("Total"))
    last = [f"{lead}{word}" for word in words]
    wide = max(cell_len(label) for label in (*labels, *last)) + 1
    ruler = Content.styled(glyphs["h"] * (wide + (sum(widths) + 1) * seats), "$ink-line")

    land = [sheet[f"land:{country}"] for country in COUNTRIES]
    symbols = [sheet[f"symbols:{country}"] for country in COUNTRIES]
    subtotals = [_pairs(_sums(land), _sums(symbols))]
    countries = [sum(pair) for pair in zip(_sums(land), _sums(symbols), strict=True)]
    others = (sheet["ships"], sheet["carriages"], sheet["minus_two"])

    lines = _head(scene, glyphs, wide, widths)
    for country, label in enumerate(labels):
        name = (set_cell_size(label, wide - 1), f"$land_cards-open-ink on ${country_variable(country)}")
        lines.append(_line(name, _pairs(land[country], symbols[country]), widths, gap=True))
    lines += [ruler, _line((last[0].ljust(wide), "$ink"), subtotals[0], widths)]
    for label, figures in zip(last[1:-1], (countries, *others), strict=True):
        lines.append(_line((label.ljust(wide), "$ink"), _pairs(None, figures), widths))
    total = _line(
        (last[-1].ljust(wide), "bold $gold"), _pairs(None, scene.observation.points), widths, strong=True
    )
    return Content("\n").join([*lines, total])


def _sums(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def _pairs(left: Sequence[int] | None, right: Sequence[int]) -> list[tuple[int | None, int]]:
    return [(None, n) for n in right] if left is None else list(zip(left, right, strict=True))


def _head(scene: Scene[Observation], glyphs: Glyphs, wide: int, widths: Widths) -> list[Content]:
    """Return the names, and below each the heads of its two columns."""
    names = [
        (_named(glyphs.owner(seat), name, sum(widths) + 1), f"bold $seat-{seat}")
        for seat, name in enumerate(scene.names)
    ]
    heads = (_("Land"), _("Symbols") if widths == _ROOMY else render(text_in("short", "Symb.")))
    columns = " " + "".join(
        set_cell_size(head.rjust(width - 1), width) for head, width in zip(heads, widths, strict=True)
    )
    return [
        Content.assemble(" " * wide, *names),
        Content.assemble(" " * wide, *((columns, "$ink-dim") for _name in names)),
    ]


def _named(sign: str, name: str, width: int) -> str:
    """Return sign and name in `width` columns.

    They move to the left if that saves the name, and lose the space between them if they must.
    """
    words = _(" {sign} {name}", sign=sign, name=name)
    if cell_len(words) > width:
        words = words.lstrip()
    if cell_len(words) <= width:
        return set_cell_size(words, width)
    return set_cell_size(f"{sign}{name}", width - 1) + " "


def _line(
    label: tuple[str, str],
    figures: Sequence[tuple[int | None, int]],
    widths: Widths,
    *,
    gap: bool = False,
    strong: bool = False,
) -> Content:
    """Return a label, and two figures for every seat; the highest are bold, zeros faint."""
    most = [max((column[place] or 0 for column in figures), default=0) for place in (0, 1)]
    parts: list[tuple[str, str]] = [label, (" ", "")] if gap else [label]
    for seat, pair in enumerate(figures):
        parts.append((" ", ""))
        for figure, width, best in zip(pair, widths, most, strict=True):
            words, is_best = "" if figure is None else str(figure), figure is not None and figure == best > 0
            own = f"{'bold ' if strong or is_best else ''}$seat-{seat}"
            style = own if figure or strong else "$ink-dim"
            parts.append((words.rjust(width - 1) + " ", style))
    return Content.assemble(*parts)


def brief(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content | None:
    """Return a card as its chip, preceded by the verb; the end of taking needs no mention.

    After the end, the law cards that cost points follow their holder's last move.
    """
    said, words = _brief(scene, entry, glyphs), _revealed(scene, entry)
    if said is None or words is None:
        return said
    return Content.assemble(said, ", ", words) if said else words


def _revealed(scene: Scene[Observation], entry: LogEntry) -> Content | None:
    """Return the law cards that cost a seat points, if this is its last ply; None while they are secret."""
    held = scene.observation.hands[entry.seat].count(MINUS_TWO)
    last = next((own for _ply, own in reversed(scene.match.recent()) if own.seat == entry.seat), None)
    if scene.observation.outcome is None or not held or entry is not last:
        return None
    return Content.styled(_("revealed: {law}", law=panels.law_words(MINUS_TWO, held)), "$ink")


def _brief(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content | None:
    """Return a ply without what the end has turned over."""
    view = scene.observation
    match None if entry.move is None else model.read(entry.move):
        case model.Take(cell):
            return Content.assemble(_("took"), " ", chip(view.faces[cell], glyphs))
        case model.PlaceStone(cell):
            return Content.assemble(_("stone on"), " ", chip(view.faces[cell], glyphs))
        case model.MoveStone(_start, target):
            return Content.assemble(_("moved a stone to"), " ", chip(view.faces[target], glyphs))
        case model.GiveUp(None):
            return Content(_("gave up a stone from the supply"))
        case model.GiveUp(int(cell)):
            return Content.assemble(_("gave up the stone on"), " ", chip(view.faces[cell], glyphs))
        case model.PlayLaw(law):
            card = (render(LAW_NAMES[law]), "$land_cards-law-ink on $land_cards-law-ground")
            # the blank takes the place of a comma, which would begin a line where the card fills one
            return Content.assemble(_("law"), " ", card, " ")
        case model.Pass():
            return Content(_("placed no stone"))
        case model.EndTaking():
            return Content()
    return None


def gathered(
    scene: Scene[Observation], entries: Sequence[LogEntry], glyphs: Glyphs, tell: TellOf
) -> Sequence[Content]:
    """Return what a seat took, played, lost and placed, each in so few words that a line has room for it.

    The rows themselves show new stones, which come last.
    """
    took, laws, lost, stones, more = (list[Content]() for _kind in range(5))

    def card(cell: int) -> Content:
        return chip(scene.observation.faces[cell], glyphs, is_tight=True)

    for entry in entries:
        match None if entry.move is None else model.read(entry.move):
            case model.Take(cell):
                took.append(tell(card(cell), entry))
            case model.PlayLaw(law):
                style = "$land_cards-law-ink on $land_cards-law-ground"
                laws.append(tell(Content.styled(render(panels.SHORT_LAWS[law]), style), entry))
            case model.GiveUp(None):
                lost.append(tell(Content(_("lost a stone")), entry))
            case model.GiveUp(int(cell)):
                lost.append(tell(Content.assemble(_("lost stone"), " ", card(cell)), entry))
            case model.PlaceStone(cell) | model.MoveStone(_, cell):
                stones.append(tell(Content.assemble(_("stone on"), " ", card(cell)), entry))
            case model.Skip():
                more.append(tell(Content(_("skipped")), entry))
        more += filter(None, [_revealed(scene, entry)])
    named = (_("took"), took), (_("law"), laws)
    return [*(Content(" ").join([Content(words), *of]) for words, of in named if of), *lost, *stones, *more]


def hint_words(scene: Scene[Observation], move: Move) -> Text:
    """Return a move as advice, with its cost in stones."""
    view = scene.observation
    match read(move):
        case Take(cell):
            card, row = notation.card_name(view.faces[cell]), notation.row_and_column(cell)[0]
            if (lies := view.board[cell]) < model.STONE:
                return text("take {card} from row {row}", card=card, row=row)
            owner = lies - model.STONE
            if owner == view.viewer:
                return text("take {card} from row {row}, under your own stone", card=card, row=row)
            return text(
                "take {card} from row {row}, under {name}'s stone, at the cost of one of yours",
                card=card, row=row, name=scene.name(owner),
            )  # fmt: skip
        case model.GiveUp(cell):
            if cell is None:
                return text("give up a stone from your supply")
            return text("give up your stone on {card}", card=notation.card_name(view.faces[cell]))
        case model.PlayLaw(law):
            return text("play the law card {law}", law=LAW_NAMES[law])
        case model.PlaceStone(cell):
            return text("place a stone on {card}", card=notation.card_name(view.faces[cell]))
        case model.MoveStone(start, target):
            start_card, card = (notation.card_name(view.faces[cell]) for cell in (start, target))
            return text("move your stone from {start} to {target}", start=start_card, target=card)
        case model.EndTaking():
            return text("take no more cards")
        case model.Pass():
            return text("leave the stones as they are")
    return text("skip the turn")


def tight_hint_words(scene: Scene[Observation], move: Move) -> Text:
    """Return a move as advice; a card to take by its country alone, as it is marked on the board."""
    view = scene.observation
    match read(move):
        case Take(cell):
            country = notation.COUNTRY_NAMES[model.country_of(view.faces[cell])]
            if (lies := view.board[cell]) < model.STONE:
                return text("take {country}", country=country)
            if (owner := lies - model.STONE) == view.viewer:
                return text("take {country} under your stone", country=country)
            return text(
                "take {country} under {name}'s stone, for one of yours",
                country=country, name=scene.name(owner),
            )  # fmt: skip
    return hint_words(scene, move)


def place_words(_scene: Scene[Observation], move: Move) -> Text | None:
    """Return the row of the card that gets a stone: another row may have a card of the same name."""
    match read(move):
        case model.PlaceStone(cell) | model.MoveStone(_, cell):
            return text("row {row}", row=notation.row_and_column(cell)[0])
    return None


_SECTIONS: Final = {
    model.TAKING: "taking-cards",
    model.GIVING_UP: "cards-under-stones",
    model.STONE_STEP: "placing-a-stone",
    model.OVER: "scoring",
}
_LAST_LINES: Final = (*CHAIN_NAMES, text("-2 points"))
_LAST_CODES: Final = (text_in("short", "Ship"), text_in("short", "Carr"), text("-2"))


def sheet_label(_scene: Scene[Observation], line: int) -> Text:
    """Return the label of a line of the score sheet."""
    country, is_symbols = divmod(line, 2)
    if country >= len(model.COUNTRIES):
        return _LAST_LINES[line - 2 * len(model.COUNTRIES)]
    name = COUNTRY_NAMES[country]
    return text("{country}, symbols", country=name) if is_symbols else text("{country}", country=name)


def line_words(scene: Scene[Observation], line: int) -> Text:
    """Return a line of the score sheet within a sentence of a hint."""
    country, is_symbols = divmod(line, 2)
    if line == _SHIPS:
        return text("ships")
    if line == _CARRIAGES:
        return text("carriages")
    if line == _LAWS:
        return text("“-2” law cards")
    if is_symbols:
        return text("symbols of {country}", country=COUNTRY_NAMES[country])
    return sheet_label(scene, line)


def sheet_entry(_scene: Scene[Observation], line: int) -> SheetEntry:
    """Return a country, or its symbols on a separate line."""
    country, is_symbols = divmod(line, 2)
    if country >= len(model.COUNTRIES):
        last = line - 2 * len(model.COUNTRIES)
        return SheetEntry(text("At the end"), _LAST_LINES[last], _LAST_CODES[last])
    name, code = COUNTRY_NAMES[country], COUNTRY_CODES[country]
    if is_symbols:
        name, code = text("{country} +", country=name), text("{country} +", country=code)
    colour = country_variable(country)
    return SheetEntry(text("Cards, + symbols"), name, code, adds=bool(is_symbols), colour=colour)


def holds_secrets(scene: Scene[Observation], seat: Seat) -> bool:
    """Return whether a seat holds law cards, which are secret."""
    return scene.observation.outcome is None and scene.observation.law_counts[seat] > 0


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """Return a move as a sentence."""
    return describe_move(scene.observation, scene.name(seat), move)


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """Return the log's words for a ply."""
    return notation.describe(scene.observation, scene.names, entry.seat, entry.move, entry.events)


def befell(entry: LogEntry) -> Sequence[Befell]:
    """Return the seats whose turns the rules skipped."""
    told = text("had to skip: no stone to give up")
    to_viewer = text("You had to skip your turn: you had no stone to give up for a card.")
    return [Befell(model.read_event(event).seat, told, to_viewer) for event in entry.events]


def help_section(scene: Scene[Observation]) -> str:
    """Return the rules for the current step of the turn."""
    return "skipping-a-turn" if model.Skip().move in scene.legal else _SECTIONS[scene.observation.phase]


STYLES: Final = {
    "builder": text("They like ships and carriages."),
    "courtier": text("They like countries where they have most."),
    "denier": text("They like the cards that others want."),
    "gambler": text("They like law cards."),
}
"""What bots like, by style."""


FACE: Final = Face(
    meta=META,
    has_start_player=False,  # it only takes the first turn
    observation=Observation,
    drawing=None,
    colours=COLOURS,
    samples=tuple(country_variable(country) for country in range(len(model.COUNTRIES))),
    glyphs=GLYPHS,
    board=LandCardsBoard,
    chart=LandCardsScoreChart,
    status=panels.status,
    explain_status=explain_status,
    person=panels.person_line,
    stock=panels.stock,
    scored_lines=lambda _scene: 0,
    collections=panels.collection_lines,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=move_words,
    describe=describe,
    brief=brief,
    gathered=gathered,
    befell=befell,
    help_section=help_section,
    keys=("end", "pass", "give"),
    holds_secrets=holds_secrets,
    scoring_animation=scoring_animation,
    motion=motion,
    announcements=announcements,
    cover=cover,
    drawn=DRAWN,
    hand=panels.hand,
    race=panels.race,
    counted=_SOURCES,
    merits=merits,
    in_vain=in_vain,
    hint_words=hint_words,
    tight_hint_words=tight_hint_words,
    place_words=place_words,
    has_lead=lambda _scene, line: line < _SHIPS,
    line_words=line_words,
    styles=STYLES,
)
