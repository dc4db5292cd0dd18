"""The board game's face: the single value that the app uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from kk_core.games.web_of_power import model, notation
from kk_core.games.web_of_power.model import (
    COUNTRIES,
    COUNTRY_NAMES,
    META,
    DrawFaceUp,
    DrawFromPile,
    Drawing,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    read,
)
from kk_core.games.web_of_power.notation import describe_move
from kk_core.text import Text, text, text_in
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games import Face, SheetEntry
from kk_tui.games.web_of_power import panels
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.chart import (
    INTERIM,
    ChartLine,
    MapScoreChart,
    alliance_name,
    in_groups,
    score_lines,
    together,
)
from kk_tui.games.web_of_power.cover import DRAWN, cover
from kk_tui.games.web_of_power.mapview import races
from kk_tui.games.web_of_power.meaning import country_words
from kk_tui.games.web_of_power.merits import merits, promises
from kk_tui.games.web_of_power.motion import announcements, motion
from kk_tui.games.web_of_power.panels import (
    ALLIANCES,
    CHAINS,
    CLOISTERS,
    advisors,
    bare,
    brief,
    cloisters,
    hand,
    seats_of,
    tight,
)
from kk_tui.games.web_of_power.theme import (
    COLOURS,
    COUNTRY_CODES,
    GLYPHS,
    SHORT_NAMES,
    kind_variable,
    label_variable,
)
from kk_tui.i18n import _, is_on_screen, render
from kk_tui.scene import Scene
from kk_tui.scoring_animation import Bar, LineGroup, Step, last_look, scoring_steps
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import code_lines


def scoring_animation(before: Scene[Observation], after: Scene[Observation]) -> Sequence[Step]:
    """Return the scorings that were held between two scenes, over the map as it is after them.

    Each step marks the lines of the score that it counts, which the board shows on the map.
    """
    return list(_steps(before, after))


def _steps(before: Scene[Observation], after: Scene[Observation]) -> Iterator[Step]:
    lines, first = score_lines(after), after.observation.sheet[: len(COUNTRIES)]
    nothing = (0,) * len(after.names)
    interim = tuple(sum(column) for column in zip(*first, strict=True))
    if after.observation.interim_scored and not before.observation.interim_scored:
        counted = [line for line in lines if line.part == INTERIM]
        yield last_look(after, text("Interim scoring"), describe)
        yield from _scoring_steps(after, text("Interim scoring"), counted, nothing)
    if after.is_over and not before.is_over:
        counted = [line for line in lines if line.part != INTERIM]
        yield last_look(after, text("Final scoring"), describe)
        yield from _scoring_steps(after, text("Final scoring"), counted, interim)


def _scoring_steps(
    scene: Scene[Observation], title: Text, lines: Sequence[ChartLine], start: tuple[int, ...]
) -> list[Step]:
    bars, groups = [_bar(line) for line in lines], list[LineGroup]()
    for group, leader in in_groups(lines, start):
        line = together(scene, group, leader)
        groups.append(LineGroup(len(group), _bar(line), line))
    return scoring_steps(scene, title, bars, lines, start=start, groups=groups)


def _bar(line: ChartLine) -> Bar:
    """Return a bar: a country in the colour of its cards, with its cloisters; other lines have no colour."""
    return Bar(line.label, line.points, line.built, line.colour, why=line.why, shorter=line.shorter)


_CELL: Final = 4
"""Columns of a seat in the collections: a blank, and cloisters, plus and advisors."""

_WIDEST: Final = 12
"""Columns of a seat at most."""


def collection_lines(scene: Scene[Observation], glyphs: Glyphs, width: int) -> Iterator[Content]:
    """Yield countries where somebody has pieces, seats across: cloisters and, after the plus, advisors.

    Countries have their names, or where there are more seats than fit beside these, short ones. Yields
    nothing before anybody has a piece.
    """
    view = scene.observation
    if all(space == model.FREE for space in view.board):
        return
    seats = seats_of(view)
    words = Content.styled(_("Cloisters + advisors"), "$ink-dim")
    cell = max(
        _CELL,
        min(_WIDEST, (width - max(2 * _longest(model.COUNTRY_NAMES), words.cell_length + 1)) // len(seats)),
    )
    room = width - cell * len(seats)
    forms = (model.COUNTRY_NAMES, SHORT_NAMES, COUNTRY_CODES)
    names = next((form for form in forms if _longest(form) <= room), COUNTRY_CODES)
    room = max(room, _longest(COUNTRY_CODES))
    has_advisors = any(view.advisors)
    heads = Content.assemble(
        *((f"{glyphs.owner(seat)}{' ' * has_advisors}".rjust(cell), f"bold $seat-{seat}") for seat in seats)
    )
    told = text("A column for each player: cloisters, then advisors after the plus.")
    if words.cell_length < room:
        yield explained(Content.assemble(words.pad_right(room - words.cell_length), heads), told)
    else:
        yield from (explained(line, told) for line in words.wrap(width))
        yield explained(heads.pad_left(room), told)
    for country in range(len(model.COUNTRIES)):
        built, sent = cloisters(view, country), advisors(view, country)
        if not any(built):
            continue
        cells = [
            (_cell(built[seat], sent[seat], has_advisors=has_advisors).rjust(cell), f"$seat-{seat}")
            for seat in seats
        ]
        label = (set_cell_size(render(names[country]), room), f"bold ${label_variable(country)}")
        yield explained(Content.assemble(label, *cells), partial(country_words, scene, country), "scoring")
    if names is COUNTRY_CODES:
        yield from code_lines(COUNTRY_CODES, model.COUNTRY_NAMES)


def _longest(names: Sequence[Text]) -> int:
    return max(cell_len(render(name)) for name in names)


def _cell(cloisters_there: int, advisors_there: int, *, has_advisors: bool) -> str:
    if not cloisters_there and not advisors_there:
        return ""
    more = f"+{advisors_there}" if advisors_there else "  " * has_advisors
    return f"{cloisters_there}{more}"


_SECTIONS: Final = {model.PLACING: "placing-pieces", model.DRAWING: "drawing-cards", model.OVER: "scoring"}


def sheet_label(scene: Scene[Observation], line: int) -> Text:
    """Return the label of a line of the score sheet."""
    if line < CLOISTERS:
        return text("Interim: {country}", country=model.COUNTRY_NAMES[line])
    if line < ALLIANCES:
        return text("Final: {country}", country=model.COUNTRY_NAMES[line - CLOISTERS])
    if line == CHAINS:
        return text("Chains")
    number = line - ALLIANCES
    return text("Alliance {number} {countries}", number=number + 1, countries=_alliance(scene, number))


def line_words(scene: Scene[Observation], line: int) -> Text:
    """Return a line's part of the board within a sentence, whichever scoring comes next."""
    if line < ALLIANCES:
        return model.COUNTRY_NAMES[line % CLOISTERS]
    if line == CHAINS:
        return text("chains")
    number = line - ALLIANCES
    return text("alliance {number} {countries}", number=number + 1, countries=_alliance(scene, number))


def sheet_entry(scene: Scene[Observation], line: int) -> SheetEntry:
    """Return a country below its scoring, which may be still to come, or an alliance by the number that the
    map has, and its countries.
    """
    if line < ALLIANCES:
        final = text("Final scoring") if scene.is_over else text("Final scoring so far")
        part = text("Interim scoring") if line < CLOISTERS else final
        country = line % CLOISTERS
        colour = kind_variable(model.KIND_OF_COUNTRY[country])
        return SheetEntry(part, model.COUNTRY_NAMES[country], COUNTRY_CODES[country], colour=colour)
    part, name = text("Alliances, chains"), text("Chains")
    if line == CHAINS:
        return SheetEntry(part, name, name, source=(name, text_in("short", "Chains")))
    number = line - ALLIANCES
    name = alliance_name(number + 1, scene.observation.printed.alliances[number], COUNTRY_CODES)
    # Translators: alliances, in at most 6 columns, as are chains above
    return SheetEntry(part, name, name, source=(text("Alliances"), text_in("short", "Allies")))


def _alliance(scene: Scene[Observation], number: int) -> Text:
    first, second = scene.observation.printed.alliances[number]
    return text("{first}-{second}", first=COUNTRY_CODES[first], second=COUNTRY_CODES[second])


def holds_secrets(scene: Scene[Observation], _seat: Seat) -> bool:
    """Return whether hands are still secret, which they are until the match is over."""
    return not scene.is_over


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """Return a move as a sentence; only lines of text name the space, which the map shows."""
    printed, name = scene.observation.printed, scene.name(seat)
    match read(printed, move):
        case PlaceCloister(space, payment) if is_on_screen():
            country = printed.country_of[space]
            return text(
                "{name} places a cloister in {country} with {cards}.",
                name=name, country=COUNTRY_NAMES[country], cards=_paid(country, payment),
            )  # fmt: skip
    return describe_move(printed, move, name)


def hint_words(scene: Scene[Observation], move: Move) -> Text:
    """Return a move without the name of its space, which is not on the map (see `place_words`)."""
    printed = scene.observation.printed
    match read(printed, move):
        case PlaceCloister(space, payment):
            country = printed.country_of[space]
            return text(
                "build in {country} with {cards}",
                country=COUNTRY_NAMES[country],
                cards=_paid(country, payment),
            )
        case PlaceAdvisor(country, payment):
            return text(
                "send an advisor to {country} with {cards}",
                country=COUNTRY_NAMES[country],
                cards=_paid(country, payment),
            )
        case DrawFaceUp(kind):
            return text("take the face-up card {card}", card=model.CARD_NAMES[kind])
        case DrawFromPile():
            return text("draw from the pile")
        case model.Exchange(kind):
            return text("discard {card}", card=model.CARD_NAMES[kind])
    return text("end placing")


def _paid(country: int, payment: int) -> Text:
    cards = model.cards_of(country, payment)
    card = model.CARD_NAMES[cards[0]]
    return text("two {card}", card=card) if len(cards) > 1 else card


def place_words(scene: Scene[Observation], move: Move) -> Text | None:
    """Return the name of the space where a move places a cloister, which only lines of text have."""
    match read(scene.observation.printed, move):
        case PlaceCloister(space, _payment) if not is_on_screen():
            return text("{space}", space=scene.observation.printed.spaces[space])
    return None


def describe(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """Return the log's words for a ply."""
    said = [] if entry.move is None else [move_words(scene, entry.seat, entry.move)]
    events = notation.describe(scene.observation, scene.names, entry.seat, None, entry.events)
    return (*said, *events)


def help_section(scene: Scene[Observation]) -> str:
    """Return the rules for the current step of the turn."""
    return _SECTIONS[scene.observation.phase]


STYLES: Final = {
    "builder": text("They like to build chains."),
    "courtier": text("They like to place advisors."),
    "denier": text("They like the places that others want."),
    "gambler": text("They like the pile and empty countries."),
}
"""What bots like, by style."""


FACE: Final = Face(
    meta=META,
    observation=Observation,
    drawing=Drawing,
    colours=COLOURS,
    samples=(),
    glyphs=GLYPHS,
    board=MapBoard,
    chart=MapScoreChart,
    status=panels.status,
    explain_status=panels.explain_status,
    person=panels.stock,
    collections=collection_lines,
    collections_label=text("pieces"),
    collections_title=text("Pieces"),
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=move_words,
    describe=describe,
    brief=brief,
    tight=tight,
    bare=bare,
    scores_rarely=True,
    scored_lines=lambda _scene: CLOISTERS,
    stock=panels.stock,
    help_section=help_section,
    keys=("draw", "end", "exchange", "mode", "influence"),
    holds_secrets=holds_secrets,
    scoring_animation=scoring_animation,
    motion=motion,
    announcements=announcements,
    cover=cover,
    drawn=DRAWN,
    hand=hand,
    race=races,
    line_words=line_words,
    merits=merits,
    promises=promises,
    hint_words=hint_words,
    place_words=place_words,
    has_lead=lambda scene, line: line != 2 * len(model.COUNTRIES) + len(scene.observation.printed.alliances),
    styles=STYLES,
)
