"""The lines beside the map: cards, header, prompt and keys; and everything that is counted on the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, takewhile, zip_longest
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.chains import chains_of
from kk_core.games.web_of_power.model import (
    CLOISTER_OF,
    COUNTRY_NAMES,
    FREE,
    Exchange,
    Observation,
    PlaceAdvisor,
    PlaceCloister,
    Printed,
    cards_of,
    read,
)
from kk_core.games.web_of_power.notation import turn_limit
from kk_core.text import Text, text, text_in, texts
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games.web_of_power.choices import CREST, Selection, Target, country_of, target_of
from kk_tui.games.web_of_power.heraldry import in_ascii, shield
from kk_tui.games.web_of_power.land import MapScale
from kk_tui.games.web_of_power.theme import COUNTRY_CODES, SHORT_NAMES, kind_variable
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import KEYS, Action, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import PRESS
from kk_tui.widgets.explanation import explained

CLOISTERS: Final = model.SHEET.index(f"final:cloisters:{model.COUNTRIES[0]}")
ALLIANCES: Final = model.SHEET.index("alliance:1")
CHAINS: Final = model.SHEET.index("chains")
"""The first lines of the parts of the final scoring."""


def seats_of(view: Observation) -> range:
    """Return the seats of the match."""
    return range(len(view.hand_sizes))


def cloisters(view: Observation, country: int) -> tuple[int, ...]:
    """Return every seat's cloisters in a country."""
    lying = [view.board[space] for space in view.printed.spaces_of[country]]
    return tuple(lying.count(CLOISTER_OF + seat) for seat in seats_of(view))


def free_spaces(view: Observation, country: int) -> int:
    """Return the number of spaces of a country without a cloister."""
    return sum(view.board[space] == FREE for space in view.printed.spaces_of[country])


def advisors(view: Observation, country: int) -> tuple[int, ...]:
    """Return every seat's advisors in a country."""
    seats = len(view.hand_sizes)
    return tuple(view.advisors[country * seats : (country + 1) * seats])


def chains(view: Observation, seat: Seat) -> tuple[bytes, ...]:
    """Return the chains that would give a seat points now, each as the spaces along it."""
    return chains_of(view.printed, view.board, seat)


def chained_roads(view: Observation, chain: Sequence[int]) -> frozenset[int]:
    """Return the numbers of the roads along a chain."""
    steps = {tuple(sorted(step)) for step in pairwise(chain)}
    return frozenset(number for number, road in enumerate(view.printed.roads) if road in steps)


def blocked_chains(view: Observation, space: int) -> dict[Seat, int]:
    """Return how long a chain through a space would be for others, if the cloister there were theirs.

    These are only the seats that would have more cloisters in chains with it.
    """
    found, board = dict[Seat, int](), bytearray(view.board)
    for seat in seats_of(view):
        board[space] = CLOISTER_OF + seat
        if board[space] != view.board[space]:
            theirs, without = chains_of(view.printed, bytes(board), seat), chains(view, seat)
            if sum(map(len, theirs)) > sum(map(len, without)):
                found[seat] = next(len(chain) for chain in theirs if space in chain)
    return found


def played_cards(scene: Scene[Observation]) -> tuple[Seat, tuple[int, ...]] | None:
    """Return who played cards last, and all kinds that they played in that turn; None before the first."""
    seat, kinds = None, list[int]()
    for _ply, entry in reversed(scene.match.recent()):
        if seat not in (None, entry.seat):
            break
        found = _kinds(scene.observation, entry.move)
        if found:
            seat, kinds = entry.seat, [*found, *kinds]
    return None if seat is None else (seat, tuple(kinds))


def _kinds(view: Observation, move: Move | None) -> tuple[int, ...]:
    match None if move is None else read(view.printed, move):
        case PlaceCloister(space, payment):
            return cards_of(view.printed.country_of[space], payment)
        case PlaceAdvisor(country, payment):
            return cards_of(country, payment)
        case Exchange(kind):
            return (kind,)
        case _:
            return ()


def recent_targets(scene: Scene[Observation]) -> frozenset[Target]:
    """Return the targets where pieces have just been placed."""
    placed = (target_of(scene.observation.printed, entry.move) for entry in scene.just_happened())
    return frozenset(target for target, _payment in filter(None, placed))


def newest_target(scene: Scene[Observation]) -> Target | None:
    """Return the target where a piece has just been placed, the last one of several."""
    placed = (target_of(scene.observation.printed, entry.move) for entry in scene.just_happened())
    return next((found[0] for found in placed if found is not None), None)


def brief(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content:
    """Return a piece's place and the cards that paid for it; cards discarded or drawn; scorings."""
    parts = [*_move(scene, entry, glyphs), *_events(entry)]
    return Content.styled(", ", "$ink-dim").join(parts)


def tight(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content:
    """Return the same with signs for cards that come and go; a question mark is one that nobody else saw."""
    match None if entry.move is None else model.read(scene.observation.printed, entry.move):
        case model.DrawFaceUp(kind):
            parts = [Content.assemble(("+", "bold $ink"), chip(kind))]
        case model.DrawFromPile():
            parts = [Content.assemble(("+", "bold $ink"), ("?", "$ink-dim"))]
        case model.Exchange(kind):
            parts = [Content.assemble((glyphs["dash"], "bold $ink"), chip(kind))]
        case _:
            parts = [*_move(scene, entry, glyphs)]
    return Content.styled(", ", "$ink-dim").join([*parts, *_events(entry)])


def bare(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Content:
    """Return a piece's sign and place without the cards that paid for it, or a discarded card.

    Both pieces of a turn stand in one country, which is named after the second. What a move leads to is left
    out, too: the title tells it.
    """
    printed = scene.observation.printed
    if placed := target_of(printed, entry.move):
        return _piece(printed, placed[0], glyphs, has_name=not _goes_on(scene, entry))
    match None if entry.move is None else model.read(printed, entry.move):
        case model.Exchange(kind):
            return Content.assemble((glyphs["dash"], "bold $ink"), chip(kind))
    return Content()


def _piece(printed: Printed, target: Target, glyphs: Glyphs, *, has_name: bool = True) -> Content:
    """Return the sign of such pieces beside the names, and the country, since the map names no spaces."""
    sign = glyphs["web_of_power-advisor" if target >= CREST else "web_of_power-free"]
    name = f" {render(COUNTRY_NAMES[country_of(printed, target)])}" if has_name else ""
    return Content.styled(f"{sign}{name}", "bold $ink")


def _goes_on(scene: Scene[Observation], entry: LogEntry) -> bool:
    """Return whether a seat has placed another piece since, among what has just happened."""
    since = takewhile(lambda each: each is not entry, scene.just_happened())  # the newest comes first
    own = (each.move for each in since if each.seat == entry.seat)
    return any(target_of(scene.observation.printed, move) is not None for move in own)


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """Return the viewer's cards."""
    return [chip(kind) for kind in scene.observation.hand]


def stock(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> Content:
    """Return the cloisters and advisors that a seat has left, each after its sign."""
    view, name, ink = scene.observation, scene.name(seat), f"$seat-{seat}"
    built, sent = view.cloisters_left[seat], view.advisors_left[seat]
    left = texts(
        "{name} has {n} cloister left to build.", "{name} has {n} cloisters left to build.", built, name=name
    )
    kept = texts(
        "{name} has {n} advisor left to send.", "{name} has {n} advisors left to send.", sent, name=name
    )
    return Content.assemble(
        explained(
            Content.assemble((glyphs["web_of_power-free"], ink), (f"{built:<2} ", "$ink")), left, _PIECES
        ),
        explained(
            Content.assemble((glyphs["web_of_power-advisor"], ink), (f"{sent}", "$ink")), kept, _PIECES
        ),
    )


_PIECES: Final = "where-pieces-stand"


def chips(kinds: Sequence[int]) -> Content:
    """Return cards as the codes of their countries, on their colours."""
    return Content(" ").join([chip(kind) for kind in kinds])


def chip(kind: int, names: Sequence[Text] = COUNTRY_CODES) -> Content:
    """Return a card as the codes, or other names, of its countries."""
    codes = "/".join(render(names[country]) for country in model.CARD_COUNTRIES[kind])
    return Content.styled(codes, f"bold $country-ink on ${kind_variable(kind)}")


def _move(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Iterator[Content]:
    printed = scene.observation.printed
    if placed := target_of(printed, entry.move):
        target, payment = placed
        paid = chips(cards_of(country_of(printed, target), payment))
        yield Content.assemble(_piece(printed, target, glyphs), " ", paid)
        return
    match None if entry.move is None else model.read(printed, entry.move):
        case model.Exchange(kind):
            yield Content.assemble((_("discarded"), "$ink"), " ", chips((kind,)))
        case model.DrawFaceUp(kind):
            yield Content.assemble((_("took"), "$ink"), " ", chips((kind,)))
        case model.DrawFromPile():
            yield Content.styled(render(text_in("short", "drew from the pile")), "$ink-dim")
        case _:
            return


def _events(entry: LogEntry) -> Iterator[Content]:
    for event in map(model.read_event, entry.events):
        match event:
            case model.InterimScored():
                yield Content.styled(_("interim scoring"), "bold $gold")
            case model.LastRound():
                yield Content.styled(_("last round"), "bold $gold")
            case model.NobodyCanPlace():
                yield Content.styled(_("nobody can place"), "bold $gold")
            case _:
                continue


_WIDTHS: Final = ((140, 16), (110, 12), (80, 10))
"""Columns of a card by columns of the board; narrower boards have cards of one line."""

_WITH_ARMS: Final = 12
"""Columns of a card from which it shows the arms of its countries."""


_NARROW: Final = 21
"""Columns of the narrowest panel."""


@dataclass(frozen=True)
class _Card:
    """A card as drawn: its action, key, kind and sign, whether it is chosen, and what it means."""

    action: str
    key: str
    kind: int
    sign: str
    is_chosen: bool
    told: Callable[[], Text]


def card_lines(
    scene: Scene[Observation], selection: Selection, glyphs: Glyphs, width: int, *, has_hand: bool = True,
    is_crowded: bool = False,
) -> list[Content]:  # fmt: skip
    """Return all visible cards; `width` is that of the board beside them.

    If the hand is shown elsewhere because all hands are open, there is only one line for the rest beside a
    small board; if it `is_crowded` there, one or two for the hand and one for the rest.
    """
    view = scene.observation
    columns = next((card for board, card in _WIDTHS if width >= board), 0)
    if columns == 0 and not has_hand:
        return [explained(_on_the_table(view), _OPEN_CARDS, "drawing-cards")]
    if columns == 0 and is_crowded:
        return list(_in_short(view, selection, glyphs))
    draw = _lines if columns == 0 else _pictures
    lines = list[Content]()
    if has_hand and view.viewer is not None and view.hand:
        is_own, name = not scene.is_through_other_eyes, scene.name(view.viewer)
        words = _("Your cards") if is_own else _("{name}'s cards", name=name)
        lines.append(explained((words, "bold $gold"), _HAND_CARDS, "placing-pieces"))
        lines += draw(list(_hand(view, selection, glyphs)), columns, glyphs)
    lines.append(explained((_("Face up"), "bold $gold"), _OPEN_CARDS, "drawing-cards"))
    opened = list(_open(view, selection, glyphs))
    if columns == 0:
        lines += [*_lines(opened, columns, glyphs), _pile(view, selection.draw, glyphs)]
    else:
        lines += _beside(
            _pictures(opened, columns, glyphs), _pile_picture(view, selection.draw, columns, glyphs)
        )
    return [*lines, *_played(scene, glyphs, is_roomy=columns > 0)]


def _on_the_table(view: Observation) -> Content:
    """Return the face-up cards as codes, and the number of cards in the pile."""
    opened = chips([kind for kind in view.face_up if kind != model.NO_CARD])
    return Content.assemble(opened, ("  " + _("pile") + f" {view.pile}", "$ink-dim"))


def _hand(view: Observation, selection: Selection, glyphs: Glyphs) -> Iterator[_Card]:
    for position, kind in enumerate(view.hand):
        chosen = position in selection.chosen
        sign = glyphs["chosen" if chosen else "unchosen"]
        told = partial(_card_words, view, kind)
        yield _Card(choice(position + 1), str(position + 1), kind, sign, chosen, told)


def _open(view: Observation, selection: Selection, glyphs: Glyphs) -> Iterator[_Card]:
    for place, kind in enumerate(view.face_up):
        number = model.HAND + 1 + place
        here = kind != model.NO_CARD and selection.draw == model.DrawFaceUp(kind).move
        told = partial(_card_words, view, kind)
        yield _Card(choice(number), str(number), kind, glyphs["cursor"] if here else " ", here, told)


def _played(scene: Scene[Observation], glyphs: Glyphs, *, is_roomy: bool) -> Iterator[Content]:
    """Yield the cards that were played last, which lie on the table for all to see."""
    found = played_cards(scene)
    if found is not None:
        seat, kinds = found
        cards, sign = chips(kinds), Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
        line = Content.assemble(sign, (render(text_in("cards", "played")) + " ", "$ink-dim"), cards)
        if not is_roomy and line.cell_length > _NARROW:
            line = Content.assemble(sign, cards)
        told = text("The cards {name} played last; they go to the discard pile.", name=scene.name(seat))
        yield explained(line, told, "placing-pieces")


# -- meanings ------------------------------------------------------------------------------------------------

_HAND_CARDS: Final = text("The cards in hand, hidden from the others: each pays for a piece.")
_OPEN_CARDS: Final = text("To draw, take a face-up card or the top card of the draw pile.")
_TAKEN: Final = text("This face-up card has been taken; it is replaced after the draw.")


def _card_words(view: Observation, kind: int) -> Text:
    """Return how many such cards there are, and what one pays for."""
    deck = view.printed.deck_for(len(view.hand_sizes))
    said: dict[str, int | Text] = {"card": model.CARD_NAMES[kind], "n": deck[kind], "all": sum(deck)}
    if len(model.CARD_COUNTRIES[kind]) == 1:
        return text("{card} ({n} of {all} cards): pays for a piece there; two alike pay anywhere.", **said)
    return text("{card} ({n} of {all} cards): pays in either; two alike pay anywhere.", **said)


def _pile_words(view: Observation) -> Text:
    """Return what happens when the pile runs out."""
    if view.pile_runs == 0:
        return texts(
            "{n} card left: taking the last one triggers interim scoring of cloisters.",
            "{n} cards left: taking the last one triggers interim scoring of cloisters.",
            view.pile,
        )
    if view.pile_runs == 1:
        return texts(
            "{n} card left: taking the last one makes this round the last.",
            "{n} cards left: taking the last one makes this round the last.",
            view.pile,
        )
    return text("The pile has run out twice: this is the last round, then all is scored.")


# -- cards of one line ---------------------------------------------------------------------------------------


def _lines(cards: Iterable[_Card], _columns: int, _glyphs: Glyphs) -> list[Content]:
    return [_line(card) for card in cards]


def _line(card: _Card) -> Content:
    if card.kind == model.NO_CARD:
        return explained((f"{card.key} {card.sign} " + _("taken"), "$ink-dim"), _TAKEN, "drawing-cards")
    name = Content.styled(
        render(model.CARD_NAMES[card.kind]), f"bold $country-ink on ${kind_variable(card.kind)}"
    )
    style = "bold $possible" if card.is_chosen else "$ink-dim"
    key = Content.assemble((card.key, "bold $gold"), " ", (card.sign, style), " ")
    if key.cell_length + name.cell_length > _NARROW:
        name = chip(card.kind, SHORT_NAMES)
    is_long = key.cell_length + name.cell_length > _NARROW
    line = Content.assemble(key, chip(card.kind) if is_long else name)
    return explained(_clickable(line, card.action), card.told, "placing-pieces")


def _pile(view: Observation, source: Move | None, glyphs: Glyphs) -> Content:
    words = ngettext("Pile: {n} card", "Pile: {n} cards", view.pile)
    here = source == model.DRAW_PILE
    sign = (glyphs["cursor"], "bold $possible") if here else " "
    key = (KEYS["draw"].shown, _key_style(view, source))
    line = _clickable(Content.assemble(key, " ", sign, " ", (words, "$ink")), "draw")
    return explained(line, partial(_pile_words, view), "the-pile-runs-out")


def _key_style(view: Observation, source: Move | None) -> str:
    can_draw = view.phase == model.DRAWING and source is not None
    return "bold $gold" if can_draw else "$ink-dim"


def _in_short(view: Observation, selection: Selection, glyphs: Glyphs) -> Iterator[Content]:
    """Yield the hand, and below it the face-up cards and the pile, on as few lines as possible."""
    if view.viewer is not None and view.hand:
        yield from _in_rows([_keyed(card) for card in _hand(view, selection, glyphs)])
    key, told = (KEYS["draw"].shown, _key_style(view, selection.draw)), partial(_pile_words, view)
    pile = _clickable(Content.assemble(key, " ", (str(view.pile), "$ink")), "draw")
    opened = [_keyed(card) for card in _open(view, selection, glyphs) if card.kind != model.NO_CARD]
    yield from _in_rows([*opened, explained(pile, told, "the-pile-runs-out")])


def _in_rows(parts: Iterable[Content]) -> Iterator[Content]:
    """Yield rows of parts with blanks between them, filled as far as the narrowest panel has room."""
    row = Content()
    for part in parts:
        longer = Content.assemble(row, " ", part) if row else part
        if longer.cell_length > _NARROW:
            yield row
            longer = part
        row = longer
    yield row


def _keyed(card: _Card) -> Content:
    """Return a card as the codes of its countries after its key."""
    style = "bold $ground on $possible" if card.is_chosen else "bold $gold"
    line = _clickable(Content.assemble((card.key, style), " ", chip(card.kind)), card.action)
    return explained(line, card.told, "placing-pieces")


# -- cards of several lines ----------------------------------------------------------------------------------


def _pictures(cards: Sequence[_Card], columns: int, glyphs: Glyphs) -> list[Content]:
    lines: list[Content] = []
    for number, card in enumerate(cards):
        picture = _picture(card, columns, glyphs)
        lines = picture if number == 0 else _beside(lines, picture)
    return lines


def _beside(left: Sequence[Content], right: Sequence[Content]) -> list[Content]:
    """Return two pictures of the same height side by side with a column between them."""
    rows = zip_longest(left, right, fillvalue=Content())
    return [Content.assemble(first, " ", second) for first, second in rows]


def _picture(card: _Card, columns: int, glyphs: Glyphs) -> list[Content]:
    """Return key and sign, countries, their arms if there is room, and a bar if the card is chosen."""
    if card.kind == model.NO_CARD:
        blank, taken = Content.styled(" " * columns, "on $ground-deep"), _("taken")
        words = Content.styled(f"{taken:^{columns}}", "$ink-dim on $ground-deep")
        rows = [blank, words, *[blank] * (1 + _arms_lines(columns))]
        return [*(explained(row, _TAKEN, "drawing-cards") for row in rows), Content(" " * columns)]
    ground = f"bold $country-ink on ${kind_variable(card.kind)}"
    countries = model.CARD_COUNTRIES[card.kind]
    names = [_short_name(country, columns - 2) for country in countries] + [""]
    rows = [Content.styled(f" {card.key}{card.sign:>{columns - 3}} ", ground)]
    # in the middle, names of even and of odd length would stand beside each other as if by mistake
    rows += [
        Content.styled(f"{' ' * (len(name) < columns)}{name:<{columns}}"[:columns], ground)
        for name in names[:2]
    ]
    if _arms_lines(columns):
        rows += _arms(countries, columns, kind_variable(card.kind), glyphs)
    rows.append(_bar(columns, glyphs, is_chosen=card.is_chosen))
    return [explained(_clickable(row, card.action), card.told, "placing-pieces") for row in rows]


def _arms_lines(columns: int) -> int:
    """Return the lines of the arms on a card."""
    return MapScale.MEDIUM.shield[1] if columns >= _WITH_ARMS else 0


def _short_name(country: int, room: int) -> str:
    """Return the name of a country, abbreviated where it has no room."""
    name = render(model.COUNTRY_NAMES[country])
    return name if cell_len(name) <= room else render(SHORT_NAMES[country])


def _bar(columns: int, glyphs: Glyphs, *, is_chosen: bool) -> Content:
    """Return the line below a card."""
    return Content.styled((glyphs["web_of_power-chosen"] if is_chosen else " ") * columns, "bold $possible")


def _arms(countries: Sequence[int], columns: int, ground: str, glyphs: Glyphs) -> list[Content]:
    """Return the arms of a card's countries side by side, on lines of the variable of its ground."""
    width, height = MapScale.MEDIUM.shield
    room = columns - (width + 2) * len(countries)
    left, blank, right = (Content.styled(" " * n, f"on ${ground}") for n in (room // 2, 1, room - room // 2))
    rows = [left] * height
    for country in countries:
        rows = [Content.assemble(row, blank) for row in rows]
        for (_x, y), sign, ink, field in shield(country, MapScale.MEDIUM):
            drawn = in_ascii(sign) if glyphs.ascii_only else sign
            rows[y] = Content.assemble(rows[y], (drawn, f"bold ${ink} on ${field or ground}"))
        rows = [Content.assemble(row, blank) for row in rows]
    return [Content.assemble(row, right) for row in rows]


def _pile_picture(view: Observation, source: Move | None, columns: int, glyphs: Glyphs) -> list[Content]:
    """Return the pile, its top card face down, with the number of its cards."""
    ground, here = "on $ground-deep", source == model.DRAW_PILE
    pile = _("pile")[:columns]
    sign = glyphs["cursor"] if here else " "
    key = Content.assemble((f" {KEYS['draw'].shown}", f"{_key_style(view, source)} {ground}"))
    rows = [
        Content.assemble(key, Content.styled(f"{sign:>{columns - 3}} ", f"bold $possible {ground}")),
        Content.styled(f"{view.pile:^{columns}}", f"bold $ink {ground}"),
        Content.styled(f"{pile:^{columns}}", f"$ink-dim {ground}"),
    ]
    rows += [Content.styled(glyphs["shade"] * columns, f"$ink-line {ground}")] * _arms_lines(columns)
    rows.append(_bar(columns, glyphs, is_chosen=here))
    told = partial(_pile_words, view)
    return [explained(_clickable(row, "draw"), told, "the-pile-runs-out") for row in rows]


def _clickable(line: Content, action: str) -> Content:
    return line.stylize(Style.from_meta({PRESS: action}))


def only_end(view: Observation, *, may_undo: bool = False) -> Text:
    """Return why nothing more can be placed in this turn, and what to do then."""
    limit = turn_limit(view)
    if view.pile_runs > 1 and not view.pile and all(kind == model.NO_CARD for kind in view.face_up):
        if not may_undo:
            return text("No card is left to draw: Enter ends your turn.")
        undo = KEYS["undo"].shown
        return text("No card is left to draw: Enter ends your turn, {undo} takes a step back.", undo=undo)
    if limit is None:
        return text("Nothing you have left can be placed: Enter ends placing.")
    return text("{limit}: Enter ends placing; then you draw.", limit=limit)


def other_cards(country: int) -> Text:
    """Return which cards pay in a country, for a player who has chosen others."""
    card = model.CARD_NAMES[model.KIND_OF_COUNTRY[country]]
    name = model.COUNTRY_NAMES[country]
    return text("{country} takes one {card} card, or two alike: choose others.", country=name, card=card)


def status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return round and phase for the header."""
    view = scene.observation
    if view.phase == model.OVER:
        return (text("Round {round}: over", round=view.round),)
    if view.phase == model.DRAWING:
        phase = text("drawing")
    elif view.begun != model.NO_COUNTRY:
        phase = text("placing in {country}", country=model.COUNTRY_NAMES[view.begun])
    else:
        phase = text("placing")
    half = (text("first half"), text("second half"), text("last round"))[view.pile_runs]
    if may_be_last(view):
        half = text("maybe the last")
    return (text("Round {round}, {half}: {phase}", round=view.round, half=half, phase=phase),)


def may_be_last(view: Observation) -> bool:
    """Return whether the pile may run out for the second time in this round, which then is the last.

    Every card drawn in a turn leaves the pile, be it in place of a face-up card.
    """
    seats = len(view.hand_sizes)
    turns = seats - view.turn % seats
    return view.pile_runs == 1 and view.phase != model.OVER and view.pile <= model.HAND * turns


def explain_status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return what the half means, and when it ends."""
    view = scene.observation
    if view.phase == model.OVER:
        return (text("The match is over after {round} rounds.", round=view.round),)
    return (_pile_words(view),)


def prompt(scene: Scene[Observation], selection: Selection, *, is_final: bool = False) -> Text:
    """Return what the viewer, who may act, can do now; `is_final` if Enter is known to end something."""
    view = scene.observation
    if selection.is_in_score:
        return text("Enter shows the next line of the score, Esc returns to the match.")
    if selection.draw is not None:
        return _drawing(view, selection.draw)
    if scene.legal == {model.END_PLACING}:
        return only_end(view, may_undo=scene.match.may_undo)
    payment = selection.payment if selection.is_pointing else None
    if payment is not None:
        said = _placing(view, selection.cursor, payment)
        return text("{said} (no undo).", said=said) if is_final else text("{said}.", said=said)
    if selection.is_led:
        return text("Enter or Tab goes to the marked place; or click it.")
    if selection.open and selection.is_pointing:
        return text("These cards place nothing here; Tab goes to where they do.")
    if selection.open:
        return text("These cards pay for the lit places: Enter goes to the nearest; or click.")
    if selection.chosen:
        if any(model.Exchange(kind).move in scene.legal for kind in view.hand):
            return text("You can't place anything with these cards: choose others, or discard one.")
        return text("You can't place anything with these cards: choose others, or end placing.")
    if view.begun != model.NO_COUNTRY and selection.is_payable:
        return text(
            "Enter chooses cards for a second piece in {country}; {end} ends placing.",
            country=model.COUNTRY_NAMES[view.begun], end=KEYS["end"].shown,
        )  # fmt: skip
    if view.begun == model.NO_COUNTRY and may_be_last(view) and selection.is_payable:
        return text("If the pile runs out now, this round is the last. Enter chooses cards.")
    if selection.is_payable:
        return text("Enter chooses cards for this place; or choose them with 1, 2, 3 or a click.")
    return pointing(scene)


def unpointed(scene: Scene[Observation]) -> Text:
    """Return why Enter does nothing before anything is pointed at."""
    if _has_places(scene):
        return text("Enter needs a place: Tab shows where you can place; or click.")
    return pointing(scene)


def _has_places(scene: Scene[Observation]) -> bool:
    """Return whether the viewer can place anything."""
    return any(target_of(scene.observation.printed, move) is not None for move in scene.legal)


def pointing(scene: Scene[Observation]) -> Text:
    """Return how to point at something that can be done."""
    view, end, exchange = scene.observation, KEYS["end"].shown, KEYS["exchange"].shown
    if view.begun != model.NO_COUNTRY:
        country = model.COUNTRY_NAMES[view.begun]
        return text(
            "Tab shows places for a second piece in {country}; {end} ends placing.", country=country, end=end
        )
    if not _has_places(scene):
        return text("You can place nothing: choose a card with 1, 2, 3; {key} discards it.", key=exchange)
    if may_be_last(view):
        return text("If the pile runs out now, this round is the last. Tab shows places.")
    return text("Tab shows where you can place; 1, 2, 3 choose cards; or click.")


def discarding(view: Observation, kind: int, chosen: Sequence[int]) -> Text:
    """Return how to discard a card that a lesson asks for, with what is still to be pressed."""
    key, card = KEYS["exchange"].shown, model.CARD_NAMES[kind]
    if [view.hand[position] for position in chosen] == [kind]:
        return text("{key} discards the chosen card {card}; Esc deselects it.", key=key, card=card)
    if chosen:
        return text("Esc deselects the chosen cards; then choose one card to discard.")
    number = 1 + view.hand.index(kind)
    return text(
        "{number} chooses the card {card}, then {key} discards it.", number=number, card=card, key=key
    )


def _drawing(view: Observation, source: Move) -> Text:
    missing, limit = model.HAND - len(view.hand), turn_limit(view)
    drawn = model.read(view.printed, source)
    if limit is not None:  # nothing more could be placed, so the step ended by itself
        if not isinstance(drawn, model.DrawFaceUp):
            return text("{limit}. Draw {n}: Enter draws from the pile.", limit=limit, n=missing)
        card = model.CARD_NAMES[drawn.kind]
        return text("{limit}. Draw {n}: Enter takes {card}.", limit=limit, n=missing, card=card)
    if not isinstance(drawn, model.DrawFaceUp):
        return texts(
            "Draw {n} card: Enter takes it from the pile; arrows choose a face-up card.",
            "Draw {n} cards: Enter takes one from the pile; arrows choose a face-up card.",
            missing,
        )
    return texts(
        "Draw {n} card: Enter takes the face-up card {card}.",
        "Draw {n} cards: Enter takes the face-up card {card}.",
        missing,
        card=model.CARD_NAMES[drawn.kind],
    )


def _placing(view: Observation, target: Target, payment: int) -> Text:
    country = country_of(view.printed, target)
    cards = model.cards_of(country, payment)
    name, card = model.COUNTRY_NAMES[country], model.CARD_NAMES[cards[0]]
    if target >= CREST:
        if len(cards) == 1:
            return text("Enter sends an advisor to {country} with {card}", country=name, card=card)
        return text("Enter sends an advisor to {country} with two {card}", country=name, card=card)
    if len(cards) == 1:
        return text("Enter places a cloister in {country} with {card}", country=name, card=card)
    return text("Enter places a cloister in {country} with two {card}", country=name, card=card)


def actions(scene: Scene[Observation], selection: Selection) -> Iterator[Action]:
    """Yield the keys that count, the most important first."""
    view = scene.observation
    if not selection.is_idle:
        yield Action("do", _enter(scene, selection))
    if view.phase == model.PLACING:
        yield from _placing_actions(scene, selection)
    else:
        yield from _drawing_actions(scene)
    yield Action("influence", text("show points"), minor=True)


def _drawing_actions(scene: Scene[Observation]) -> Iterator[Action]:
    for place, kind in enumerate(scene.observation.face_up):
        if model.DrawFaceUp(kind).move in scene.legal:
            whole = text("face-up card {card}", card=model.CARD_NAMES[kind])
            yield Action(choice(model.HAND + 1 + place), text("face-up"), whole=whole)
    if model.DRAW_PILE in scene.legal:
        yield Action("draw", text("pile"))


def _placing_actions(scene: Scene[Observation], selection: Selection) -> Iterator[Action]:
    if scene.legal != {model.END_PLACING}:
        for position, kind in enumerate(scene.observation.hand, 1):
            whole = text("card {card}", card=model.CARD_NAMES[kind])
            yield Action(choice(position), text("card"), whole=whole)
    if model.END_PLACING in scene.legal:
        yield Action("end", text_in("key", "end placing"))
    if any(model.Exchange(kind).move in scene.legal for kind in scene.observation.hand):
        yield Action("exchange", text("discard"))
    if len(selection.open.get(selection.cursor, ())) > 1:
        yield Action("mode", text("single card") if selection.prefers_pair else text("joker"))


def _enter(scene: Scene[Observation], selection: Selection) -> Text:
    """Return the label of Enter: the printed game's term if the chosen cards allow a piece."""
    if selection.is_in_score:
        return text("next")
    if selection.draw is not None:
        return text("draw")
    if scene.legal == {model.END_PLACING}:
        return text_in("key", "end placing")
    if selection.is_pointing and selection.cursor in selection.open:
        return text("place")
    goes_on = selection.is_led or (selection.open and not selection.is_pointing)
    return text("go there") if goes_on else text("choose")
