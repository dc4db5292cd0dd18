"""The card game in lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kk_core.games.land_cards import model, notation
from kk_core.games.land_cards.model import COLUMNS, COUNTRIES, ROWS, STONE, TAKEN, Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES, PAIR_NAMES, ROUTE_NAMES, SYMBOL_NAMES
from kk_core.text import Text, as_text, listed, quoted, text, text_in, texts
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games.land_cards.panels import LAW_MEANINGS, collected, prompt, stones_on_cards
from kk_tui.games.land_cards.theme import GLYPHS
from kk_tui.games.plain import PlainFace, Topic, Verb
from kk_tui.matching import meant, words_of
from kk_tui.scene import Scene


def _cells(view: Observation, row: int) -> list[int]:
    """Return the cells of a row, from 0, whose cards are still there."""
    cells = range(row * COLUMNS, (row + 1) * COLUMNS)
    return [cell for cell in cells if view.board[cell] < TAKEN]


def _card(scene: Scene[Observation], cell: int) -> Text:
    """Return a card with what lies on it."""
    view = scene.observation
    card, lies = notation.card_name(view.faces[cell]), view.board[cell]
    has_law = cell in view.law_cells
    if STONE <= lies < TAKEN:
        name = scene.name(lies - STONE)
        if has_law:
            return text("{card}, {name}'s stone, law card", card=card, name=name)
        return text("{card}, {name}'s stone", card=card, name=name)
    return text("{card}, law card", card=card) if has_law else card


def board(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the rows with the cards at their ends, which can be taken."""
    for row in range(ROWS):
        cells = _cells(scene.observation, row)
        if not cells:
            yield text("Row {row}: empty.", row=row + 1)
        elif len(cells) == 1:
            yield text("Row {row}, last card: {card}.", row=row + 1, card=_card(scene, cells[0]))
        else:
            yield text(
                "Row {row}, {n} cards. Left: {left}. Right: {right}.",
                row=row + 1, n=len(cells), left=_card(scene, cells[0]), right=_card(scene, cells[-1]),
            )  # fmt: skip


def _row(scene: Scene[Observation], typed: str) -> Iterator[Text]:
    """Yield the cards of a row from left to right, with the numbers of their places."""
    if typed not in {str(row + 1) for row in range(ROWS)}:
        yield text("Which row? There are rows 1 to {n}.", n=ROWS)
        return
    row = int(typed) - 1
    cells = _cells(scene.observation, row)
    if not cells:
        yield text("Row {row}: empty.", row=row + 1)
    for cell in cells:
        place = cell % COLUMNS + 1
        yield text("{row} {place}: {card}.", row=row + 1, place=place, card=_card(scene, cell))


def hand(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the viewer's law cards."""
    view = scene.observation
    for law in () if view.viewer is None else sorted(view.hands[view.viewer]):
        yield text("Law card: {meaning}", meaning=LAW_MEANINGS[law])


def described(
    before: Scene[Observation] | None, scene: Scene[Observation], ply: int, entry: LogEntry
) -> Iterator[Text]:
    """Yield where a stone has been placed, and what lay on a card that was taken."""
    match None if entry.move is None else model.read(entry.move):
        case model.PlaceStone(cell) | model.MoveStone(_, cell):
            row, place = notation.row_and_column(cell)
            name = scene.name(entry.seat)
            yield text("{name}'s stone lies in row {row} on card {place}.", name=name, row=row, place=place)
        case model.Take(cell):
            owner = _stone_on(cell, before, scene, ply)
            if owner is not None:
                yield text("{name}'s stone lay on it; {name} gets it back.", name=scene.name(owner))
            yield from _law_taken(scene, entry.seat, cell)


def _stone_on(
    cell: int, before: Scene[Observation] | None, scene: Scene[Observation], ply: int
) -> Seat | None:
    """Return whose stone lay on a card at a ply, as far as the log or the position before it tells."""
    since = 0 if before is None else before.match.ply
    for at, entry in reversed(scene.match.recent()):
        match None if entry.move is None or not since <= at < ply else model.read(entry.move):
            case model.PlaceStone(target) | model.MoveStone(_, target) if target == cell:
                return entry.seat
            case model.GiveUp(start) | model.MoveStone(start, _) if start == cell:
                return None
    lies = model.FREE if before is None else before.observation.board[cell]
    return lies - STONE if STONE <= lies < TAKEN else None


def _law_taken(scene: Scene[Observation], seat: Seat, cell: int) -> Iterator[Text]:
    """Yield that there was a law card on a card that was taken; the viewer alone learns which one."""
    view = scene.observation
    taken = [what for who, what in model.law_entries(view.law_log) if who == seat and what < model.CELLS]
    if cell not in taken:
        return
    if seat == scene.viewer and not scene.is_through_other_eyes:
        yield text(
            "You have got a law card. {meaning}", meaning=LAW_MEANINGS[view.laws_taken[taken.index(cell)]]
        )
    else:
        yield text("{name} gets the law card on it.", name=scene.name(seat))


def holdings(scene: Scene[Observation], seat: Seat) -> Text:
    """Return a player's stones and numbers of cards."""
    view = scene.observation
    return as_text(
        listed(
            [
                texts("{n} card", "{n} cards", sum(collected(view, seat).cards)),
                texts("{n} stone in hand", "{n} stones in hand", view.supply[seat]),
                texts("{n} stone on cards", "{n} stones on cards", stones_on_cards(view, seat)),
                texts("{n} law card", "{n} law cards", view.law_counts[seat]),
            ]
        )
    )


def _cards(scene: Scene[Observation], typed: str) -> Iterator[Text]:
    """Yield what everybody has taken, or one whose name begins like that."""
    _how, seats = meant(words_of(typed), ((seat, (name,)) for seat, name in enumerate(scene.names)))
    if not typed:
        seats = list(range(len(scene.names)))
    if not seats:
        yield text("Nobody here is called {name}.", name=quoted(typed))
    for seat in seats:
        held = collected(scene.observation, seat)
        parts = [
            text(
                "{country} {n} ({symbol} {symbols})",
                country=COUNTRY_NAMES[country], n=held.cards[country],
                symbol=SYMBOL_NAMES[held.best_symbol[country]], symbols=held.best[country],
            )
            if held.best[country]
            else text("{country} {n}", country=COUNTRY_NAMES[country], n=held.cards[country])
            for country in range(len(COUNTRIES))
            if held.cards[country]
        ]  # fmt: skip
        routes = text("ships {ships}, carriages {carriages}", ships=held.ships, carriages=held.carriages)
        yield text("{name}: {things}.", name=scene.name(seat), things=_semicolons([*parts, routes]))


def _semicolons(items: Sequence[Text]) -> Text:
    *before, last = items
    for item in reversed(before):
        last = text("{first}; {others}", first=item, others=last)
    return last


def typed(scene: Scene[Observation], move: Move) -> Sequence[Text]:
    """Return the ways to type a move: a card at an end by its row and side, others by row and place."""
    ways = list(_ways(scene.observation, move))
    return [*ways, Text(notation.format_move(move))]


def _ways(view: Observation, move: Move) -> Iterator[Text]:
    match model.read(move):
        case model.Take(cell):
            row, place = notation.row_and_column(cell)
            # the end of an empty row is asked for, too
            cells = _cells(view, row - 1) or range((row - 1) * COLUMNS, row * COLUMNS)
            if cell == cells[0]:
                yield text_in("typed", "take {row} left", row=row)
            if cell == cells[-1]:
                yield text_in("typed", "take {row} right", row=row)
            yield text_in("typed", "take {row} {place}", row=row, place=place)
        case model.GiveUp(None):
            yield text_in("typed", "give supply")
        case model.GiveUp(int(cell)):
            row, place = notation.row_and_column(cell)
            yield text_in("typed", "give {row} {place}", row=row, place=place)
        case model.PlaceStone(cell):
            row, place = notation.row_and_column(cell)
            yield text_in("typed", "place {row} {place}", row=row, place=place)
        case model.MoveStone(start, target):
            row, place = notation.row_and_column(start)
            to_row, to_place = notation.row_and_column(target)
            yield text_in(
                "typed", "move {row} {place} to {to_row} {to_place}",
                row=row, place=place, to_row=to_row, to_place=to_place,
            )  # fmt: skip
        case model.PlayLaw(law):
            yield text_in("typed", "law {law}", law=LAW_NAMES[law])
        case model.EndTaking():
            yield text_in("typed", "end")
            yield text_in("typed", "continue")
        case model.Pass():
            yield text_in("typed", "pass")
            yield text_in("typed", "continue")
        case model.Skip():
            yield text_in("typed", "skip")


def detail(scene: Scene[Observation], move: Move) -> Text | None:
    """Return the card that a move is about."""
    match model.read(move):
        case model.Take(cell) | model.PlaceStone(cell) | model.GiveUp(int(cell)):
            return _card(scene, cell)
        case model.MoveStone(start, target):
            card = notation.card_name(scene.observation.faces[start])
            return text("{start} to {target}", start=card, target=_card(scene, target))
        case model.EndTaking():
            return text("take no more cards")
        case model.Pass():
            return text("leave the stones as they are")
    return None


def gone(scene: Scene[Observation], move: Move) -> Text | None:
    """Return who has the card that a move is about, or that none is left at the ends of its row."""
    view = scene.observation
    match model.read(move):
        case model.Take(cell) if cell % COLUMNS in (0, COLUMNS - 1) and not _cells(view, cell // COLUMNS):
            return text("Row {row}: empty.", row=cell // COLUMNS + 1)
        case model.Take(cell) | model.PlaceStone(cell) | model.MoveStone(_, cell):
            taker = view.board[cell] - TAKEN
        case _:
            return None
    card = notation.card_name(view.faces[cell])
    return None if taker < 0 else text("{name} has it: {card}.", name=scene.name(taker), card=card)


def choices(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield where stones can go, row by row, and what else can be done."""
    places, starts, targets = set[int](), set[int](), set[int]()
    others = list[Text | str]()
    for move in sorted(scene.legal):
        match model.read(move):
            case model.PlaceStone(cell):
                places.add(cell)
            case model.MoveStone(start, target):
                starts.add(start)
                targets.add(target)
            case _:
                others.append(next(_ways(scene.observation, move)))
    if places:
        yield text("Place a stone on a card of {places}.", places=_ranges(places))
    if starts:
        yield text(
            "Move a stone from a card of {starts}, to one of {places}.",
            starts=_ranges(starts), places=_ranges(targets),
        )  # fmt: skip
    if others:
        yield text("Or: {moves}.", moves=listed(others))


def _ranges(cells: set[int]) -> Text:
    """Return cells in as few words as possible: "row 1: 2-12; row 2: 4"."""
    rows = dict[int, list[list[int]]]()
    for cell in sorted(cells):
        row, place = notation.row_and_column(cell)
        ranges = rows.setdefault(row, [])
        if ranges and place == ranges[-1][-1] + 1:
            ranges[-1].append(place)
        else:
            ranges.append([place])
    return _semicolons(
        [
            text(
                "row {row}: {places}",
                row=row,
                places=", ".join(f"{one[0]}-{one[-1]}" if len(one) > 1 else f"{one[0]}" for one in ranges),
            )
            for row, ranges in rows.items()
        ]
    )


def _prompt(scene: Scene[Observation]) -> Text | None:
    """Return what can be done in this step of the turn, in the words that are typed for it."""
    if scene.observation.phase == model.STONE_STEP:
        kinds = {type(model.read(move)) for move in scene.legal}
        if model.PlaceStone in kinds:
            return text("Place a stone on a card in the rows, or pass.")
        if model.MoveStone in kinds:
            return text("All your stones are on cards: move one to another card, or pass.")
        return text("You can't place or move a stone: pass.")
    # who owes the one stone that there is has no choice
    is_forced = scene.observation.phase == model.GIVING_UP and len(scene.legal) == 1
    return None if is_forced else prompt(scene, None)


def _considered(scene: Scene[Observation]) -> Iterator[Move]:
    """Yield all moves but those of stones that are not the viewer's own."""
    view = scene.observation
    yield from range(model.TAKE)
    for cell in range(model.CELLS):
        yield from (model.Take(cell).move, model.GiveUp(cell).move, model.PlaceStone(cell).move)
        if view.viewer is not None and view.board[cell] == STONE + view.viewer:
            yield from (model.MoveStone(cell, target).move for target in range(model.CELLS))


_PLACE: Final = text_in("typed", "ROW CARD")

_VERBS: Final = (
    Verb(text_in("typed", "take"),
         text("take the card at that end of a row; the number of its place will do, too"),
         text_in("typed", "ROW left|right")),
    Verb(text_in("typed", "give"), text("give up a stone: one from your supply, or the one on a card"),
         text_in("typed", "supply|ROW CARD")),
    Verb(text_in("typed", "place"), text("place a stone on a card: its row, and its place there"), _PLACE),
    Verb(text_in("typed", "move"), text("move one of your stones from a card to another"),
         text_in("typed", "ROW CARD to ROW CARD")),
    Verb(text_in("typed", "law"), text("play one of your law cards"), text_in("typed", "LAW")),
    Verb(text_in("typed", "end"), text("take no more cards")),
    Verb(text_in("typed", "pass"), text("leave the stones as they are")),
    Verb(text_in("typed", "skip"), text("skip the turn")),
)  # fmt: skip

_SYNONYMS: Final = tuple(
    zip(
        (text("France"), text("Saxony"), text("Hungary"), text("Castile"), text("Franconia"), text("Bavaria"),
         text("Italy"), text_in("usual", "England"), text("Denmark")),
        COUNTRY_NAMES, strict=True,
    )
)  # fmt: skip
"""What the countries are called in the reader's language; the cards have their German names."""


def _signs() -> Iterator[tuple[str, Text]]:
    """Yield the signs of the rules with their names: symbols, two of them on a card, and routes."""
    for letter, name, pair in zip(model.SYMBOLS, SYMBOL_NAMES, PAIR_NAMES, strict=True):
        sign, _ascii = GLYPHS[f"land_cards-symbol-{letter}"]
        yield sign, name
        yield sign * 2, pair
    for route, name in zip(model.ROUTES[1:], ROUTE_NAMES[1:], strict=True):
        yield GLYPHS[f"land_cards-route-{route}"][0], name


PLAIN: Final = PlainFace(
    board=board,
    hand=hand,
    holdings=holdings,
    typed=typed,
    verbs=_VERBS,
    synonyms=_SYNONYMS,
    detail=detail,
    gone=gone,
    choices=choices,
    described=described,
    prompt=_prompt,
    considered=_considered,
    signs=dict(_signs()),
    topics=(
        Topic(
            text_in("typed", "row"), text("the cards of a row, from left to right"), _row,
            text_in("typed", "N"), lambda _scene: "1",
        ),
        Topic(
            text_in("typed", "cards"),
            text("what everybody has taken, or one player; in brackets the symbol they have most of"), _cards,
            text_in("typed", "[NAME]"), lambda scene: scene.names[-1],
        ),
    ),
)  # fmt: skip
