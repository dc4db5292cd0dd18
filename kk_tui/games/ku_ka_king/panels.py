"""Collections and points as lines and tables, and the words above the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias

from rich.cells import cell_len
from textual.content import Content

from kk_core.games.ku_ka_king import model
from kk_core.games.ku_ka_king.model import CARDS, LINES, Observation, with_cards
from kk_core.games.ku_ka_king.notation import CARD_NAMES, first_points
from kk_core.text import Text, joined, text
from kk_core.types import Move, Seat, Sheet
from kk_tui.games import Race
from kk_tui.games.ku_ka_king.reveal import Reveal, notices, standing
from kk_tui.games.ku_ka_king.theme import (
    LINE_NAMES,
    SHEET_CODES,
    SHORT_NAMES,
    group,
    group_variable,
    sign,
    signed_name,
)
from kk_tui.i18n import _, render
from kk_tui.keymap import Action, choice
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.glyphs import figures as seat_figures
from kk_tui.widgets.explanation import explained

_LABEL: Final = 8
"""Columns of a label; beside it each of four seats has a column of `_FIGURE` also in a narrow panel."""

_FIGURE: Final = 3

_APART: Final = "  "
_WORTH: Final = 10
"""Columns for what a card scores, in which it says so in words."""


def race(scene: Scene[Observation]) -> Sequence[Race]:
    """Return everybody's number of cards of each group, and the points for them."""
    view = scene.observation
    first = view.standing_from
    return [
        Race(
            SHEET_CODES[index],
            group_variable(line),
            held(view.collections, line),
            view.sheet[first + index],
            line=(first + index,),
            why=why,
        )
        for index, (line, why) in enumerate(zip(LINES, rules(view.printed.scale), strict=True))
    ]


def rules(scale: model.CardValues) -> tuple[Text, ...]:
    """Return what gives points in each line of a scoring, as a sentence."""
    return (
        text("1, 2, 3 ... kings give {points}.", points=_in_a_row(scale.kings)),
        text("Churches: {points} for the most, ties included.", points=scale.churches),
        text("Point cards: the number on each card."),
        text(
            "Knights: {one} each, or {most} each if nobody has more.",
            one=scale.knight,
            most=scale.most_knights,
        ),
        text("1, 2, 3 ... animals of a kind give {points}.", points=_in_a_row(scale.animals)),
        text("Farmer and wife: {pair}; with a house: {trio}.", pair=scale.pair, trio=scale.trio),
    )


def _in_a_row(points: Sequence[int]) -> str:
    """Return points for 1, 2, 3 ... cards; more cards give the same as the last."""
    return ", ".join(map(str, points[1:]))


def held(collections: Sequence[bytes], line: str) -> tuple[int, ...]:
    """Return every seat's number of cards that count for a line."""
    types = [card for card in range(len(CARDS)) if group(card) == line]
    return tuple(sum(cards[card] for card in types) for cards in collections)


def merits(scene: Scene[Observation], row: Move) -> str:
    """Return the viewer's cards of each type in a row, if they got it; some score only later."""
    view = scene.observation
    if view.viewer is None:
        return ""
    cards = view.rows[row - 1]
    then = with_cards(view.collections[view.viewer], cards)
    words = (
        render(SHORT_NAMES[card]) + (f" ×{then[card]}" if then[card] > 1 else "")
        for card in sorted(set(cards))
    )
    return _("Of its cards you would then have: {cards}.", cards=", ".join(words))


def promises(scene: Scene[Observation], row: Move, other: Move) -> str:
    """Return why a row may bring more than another in the long run: by what stays, grows, or may be lost."""
    view = scene.observation
    cards, others = view.rows[row - 1], view.rows[other - 1]
    kept, kept_others = (sorted(card for card in each if view.printed.kept[card]) for each in (cards, others))
    if not (view.second_pass or view.last_round) and len(kept) > len(kept_others):
        names = joined([render(CARD_NAMES[card]) for card in dict.fromkeys(kept)])
        return _("Cards that stay count twice: {cards}.", cards=names)
    if cards.count(model.KING) > others.count(model.KING):
        return _("Each further king is worth more than the last.")
    is_settled = view.last_round or view.is_first_scoring_due
    farm, farm_of_other = (sum(group(card) == "farm" for card in each) for each in (cards, others))
    if farm > farm_of_other and not is_settled:
        return _("Farmers, wives and houses may still become pairs and trios.")
    built = [collection[model.CHURCH] for collection in view.collections]
    own = built[view.viewer or 0] + others.count(model.CHURCH)
    leads = model.CHURCH in others and own >= max(built)
    if leads and model.CHURCH not in cards and not is_settled:
        return _("The lead in churches from row {row} can still be lost.", row=other)
    return ""


def due(scene: Scene[Observation]) -> str:
    """Return which scoring follows the round that goes on, if one does."""
    view = scene.observation
    if scene.is_over:
        return ""
    if view.last_round:
        return _("The last round, then all is scored.")
    if not view.is_first_scoring_due:
        return ""
    # whole rows are taken, so somebody may have more than it needs
    if view.most_cards >= model.FIRST_SCORING_AT:
        return _("The first scoring follows this round: somebody has {most} cards.", most=view.most_cards)
    return _(
        "The first scoring follows this round: {most} of {at} cards.",
        most=view.most_cards, at=model.FIRST_SCORING_AT,
    )  # fmt: skip


def clash(scene: Scene[Observation], row: Move) -> str:
    """Return what a clash costs."""
    lost = render(SHORT_NAMES[scene.observation.rows[row - 1][-1]])
    return _(
        "If you clash, the outermost card ({card}) is lost, and you call again.",
        card=lost,
    )


def collection_lines(scene: Scene[Observation], glyphs: Glyphs, width: int) -> Iterable[Content]:
    """Yield everybody's number of cards of each type, in scoring order, under a heading.

    Beside it is what the cards score, if there is room. Yields nothing before anybody has a card.
    """
    view = scene.observation
    room = width - _LABEL - _FIGURE * len(scene.names) - len(_APART)
    if any(map(any, view.collections)):
        told = text("A column for each player: how many cards of each type they have.")
        yield explained(_row("", [glyphs.owner(seat) for seat in range(len(scene.names))], "$gold"), told)
    for line in LINES:
        for card in (card for card in range(len(CARDS)) if group(card) == line):
            counts = [cards[card] for cards in view.collections]
            if any(counts):
                figures = [str(n or "") for n in counts]
                signed = signed_name(card, glyphs)
                name = signed if cell_len(signed) <= _LABEL else render(SHORT_NAMES[card])
                row = _row(name, figures, f"${group_variable(line)}-ink")
                if room >= _WORTH:
                    worth = scoring(card, view.printed.scale, room, glyphs["ellipsis"])
                    row = Content.assemble(row, _APART, (worth, "$ink-dim"))
                yield explained(row, partial(_held_words, card, counts), "the-cards")


def _held_words(card: int, counts: Sequence[int]) -> Text:
    return text("Cards of this type, {card}: {counts}.", card=CARD_NAMES[card], counts=seat_figures(counts))


def _row(label: str, cells: Sequence[str], style: str) -> Content:
    parts = [(f"{cell:>{_FIGURE}}", f"$seat-{seat}") for seat, cell in enumerate(cells)]
    return Content.assemble((f"{label[:_LABEL]:<{_LABEL}}", style), *parts)


def status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return round and pass, and what is left, for the header."""
    view = scene.observation
    return _round(view), text("pile {pile}, box {box}", pile=view.pile, box=view.box)


def _round(view: Observation) -> Text:
    if view.last_round:
        return text("Last round ({round})", round=view.round)
    if view.second_pass:
        return text("Round {round}, pass 2", round=view.round)
    if view.most_cards >= model.FIRST_SCORING_AT:
        return text("Round {round}, the last of pass 1", round=view.round)
    return text(
        "Round {round}, pass 1: {most} of {at} cards",
        round=view.round, most=view.most_cards, at=model.FIRST_SCORING_AT,
    )  # fmt: skip


def prompt(scene: Scene[Observation], cursor: Move | None) -> Text:
    """Return what to do and what Enter does, with a reminder to look away if several share a screen."""
    if cursor is not None and cursor in scene.legal:
        return text("Enter calls row {row}.", row=cursor)
    lesson = scene.table.lesson
    if lesson is not None and lesson.wanted and cursor is None and lesson.wanted[0] in scene.legal:
        return text("Enter calls the marked row; {row} chooses it, too.", row=lesson.wanted[0])
    view, name = scene.observation, scene.name(scene.viewer or 0)
    rows = len(view.rows)
    last = standing(scene)
    again = last is not None and not last.ended_round
    if scene.shares_screen:
        if again:
            return text("{name}, call again (others look away): 1-{rows} or arrows.", name=name, rows=rows)
        return text("{name}, call a row (others look away): 1-{rows} or arrows.", name=name, rows=rows)
    if again:
        return text(
            "Call again: {rows}, arrows or a click.",
            rows=joined([*map(str, sorted(scene.legal))], is_choice=True),
        )
    if view.is_first_scoring_due and not view.last_round:
        return text("The first scoring follows this round. Call a row: 1-{rows} or arrows.", rows=rows)
    return text("Call a row: 1-{rows}, arrows or a click.", rows=rows)


def foretold(
    scene: Scene[Observation], row: Move, sheet: Sheet, wanted: Sequence[int], glyphs: Glyphs
) -> Iterator[Text]:
    """Yield what a row would bring to a sole caller, in ever fewer words.

    `sheet` is the viewer's then, `wanted` what each seat would gain by it.
    """
    view, viewer = scene.observation, scene.viewer
    assert viewer is not None, "only those who may call a row point at one"
    first = view.standing_from
    changed = [
        (name, sheet[first + line][viewer] - view.sheet[first + line][viewer])
        for line, name in enumerate(LINE_NAMES)
    ]
    parts = ", ".join(f"{render(name)} {change:+}" for name, change in changed if change)
    others = "  ".join(
        f"{glyphs.owner(seat)} {wanted[seat]:+}" for seat in view.affected if seat != viewer and wanted
    )
    gain = f"{sum(change for _name, change in changed):+}"
    alone = text("Row {row}, alone: {gain}", row=row, gain=gain)
    why = text("{alone} ({parts})", alone=alone, parts=parts) if parts else alone
    calls = text("Enter calls row {row}.", row=row)
    if others:
        yield text("{calls}  {why}; to others: {others}", calls=calls, why=why, others=others)
        yield text("{why}; to others: {others}", why=why, others=others)
    yield text("{calls}  {why}", calls=calls, why=why)
    yield why
    yield alone


def told_row(scene: Scene[Observation], row: Move, glyphs: Glyphs, *, with_points: bool = False) -> Text:
    """Return the cards of a row with signs and names, which explains the signs used elsewhere.

    With points, what they score follows the last of those that score alike.
    """
    cards, scale = scene.observation.rows[row - 1], scene.observation.printed.scale
    named = [signed_name(card, glyphs) for card in cards]
    if not with_points:
        return text("Row {row}: {cards}", row=row, cards=", ".join(named))
    points = {
        name: "" if group(card) == "points" else scoring(card, scale, _IN_WORDS, glyphs["ellipsis"])
        for name, card in zip(named, cards, strict=True)
    }
    alike = {said: [name for name in named if points[name] == said] for said in points.values()}
    parts = (" ".join(filter(None, (", ".join(names), said))) for said, names in alike.items())
    return text("Row {row}: {cards}", row=row, cards="; ".join(parts))


_IN_WORDS: Final = 16
"""Columns for what a card scores, in which every scale fits completely."""


def actions(scene: Scene[Observation], cursor: Move | None) -> Iterator[Action]:
    """Yield what Enter does, and the digits, which the prompt explains."""
    if cursor in scene.legal:
        yield Action("do", text("call {row}", row=cursor))
    for row in sorted(scene.legal):
        yield Action(choice(row), text("call {row}", row=row), in_footer=False)


Words: TypeAlias = list[tuple[str, str, bool]]
"""Parts of a line: words, theme variable of their colour, whether they are bold."""


def clip(line: Words, columns: int, ellipsis: str) -> Words:
    """Return as much of a line as fits, with an ellipsis if not all does."""
    if sum(cell_len(words) for words, _colour, _bold in line) <= columns:
        return line
    kept, room = list[tuple[str, str, bool]](), columns - cell_len(ellipsis)
    for words, colour, bold in line:
        fitting = Content(words).truncate(room).plain
        kept.append((fitting, colour, bold))
        room -= cell_len(fitting)
        if fitting != words:
            return [*kept, (ellipsis, colour, bold)]
    return kept


def head_lines(
    scene: Scene[Observation], reveal: Reveal | None, glyphs: Glyphs, width: int, room: int = 2
) -> list[Words]:
    """Return two lines above the rows: who has called, or what everybody called and what that brought.

    Without `room` for the second, the first tells which cards clashes have cost, if it can tell all of them.
    Where it is narrow, it says no more than the calls.
    """
    if reveal is None:
        return [_progress(scene, glyphs)]
    forms = [_notices(scene, reveal, glyphs, width)]
    if not forms[0]:
        head = _past(scene, reveal)
        forms = [calls_line(reveal, glyphs, head, has_cards=has_cards) for has_cards in (room < 2, False)]
        forms += [calls_line(reveal, glyphs, head or "", gap=gap) for gap in ("  ", " ")]
    fitting = (line for line in forms if sum(cell_len(words) for words, *_ in line) <= width)
    first = next(fitting, forms[-1])
    return [clip(first, width, glyphs["ellipsis"]), brought(reveal, glyphs, width)]


def _notices(scene: Scene[Observation], reveal: Reveal, glyphs: Glyphs, width: int) -> Words:
    """Return events that happen once in a match, after the points of the first scoring.

    They are shortened if there is no room for all.
    """
    line: Words = []
    if reveal.scored:
        line = [(" " + _("First scoring:"), "happened", True)]
        for seat, points in enumerate(first_points(scene.observation)):
            line += [(f"  {glyphs.owner(seat)} ", f"seat-{seat}", True), (str(points), "ink", True)]
        line.append((" ", "ink", False))
    for is_short in (False, True):
        whole = [*line, *((f" {render(words)}", "happened", True) for words in notices(reveal, is_short))]
        if sum(cell_len(words) for words, *_rest in whole) <= width:
            return whole
    return line or whole


def _past(scene: Scene[Observation], reveal: Reveal) -> str | None:
    """Return the round of a reveal, if another one has begun."""
    is_past = reveal.ended_round and not scene.is_over
    return _("Round {round}:", round=scene.observation.round - 1) if is_past else None


def calls_line(
    reveal: Reveal, glyphs: Glyphs, head: str | None = None, *, has_cards: bool = False, gap: str = "  "
) -> Words:
    """Return Ku, Ka, King, or another head, and everybody's calls, also those earlier in the round.

    If it `has_cards`, those that clashes have cost follow these. There is a `gap` before each call.
    """
    calls = {**reveal.earlier, **reveal.calls}
    clashed = [seat for seat, row in sorted(reveal.calls.items()) if row in reveal.clashed]

    def called(seats: Iterable[Seat], *, is_bad: bool = False) -> Iterator[tuple[str, str, bool]]:
        for seat in seats:
            newest = seat in reveal.calls
            yield f"{gap}{glyphs.owner(seat)} ", f"seat-{seat}", newest
            yield str(calls[seat]), "ku_ka_king-bad" if is_bad else "ink" if newest else "ink-dim", newest

    def lost(cards: Iterable[int]) -> Iterator[tuple[str, str, bool]]:
        for card in cards if has_cards else ():
            yield f" {glyphs['down']} ", "ku_ka_king-bad", False
            yield render(SHORT_NAMES[card]), f"{group_variable(group(card))}-ink", True

    words = _("Ku .. Ka .. King!") if head is None else head
    line: Words = [(f" {words}", "gold", True)] if words else []
    line += called(seat for seat in sorted(calls) if seat not in clashed)
    if clashed:
        line += [(gap + _("clash:"), "ku_ka_king-bad", True), *called(clashed, is_bad=True)]
        line += lost(card for _row, (_seats, card) in sorted(reveal.clashed.items()))
    if reveal.earlier_clashes:
        line.append((gap + (_("before:") if clashed else _("clash:")), "ku_ka_king-bad", False))
    for number, clash in enumerate(reveal.earlier_clashes):
        line.append((", " if number else " ", "ink-dim", False))
        line += [(glyphs.owner(seat), f"seat-{seat}", False) for seat in clash.seats]
        line.append((f" {clash.row}", "ku_ka_king-bad", False))
        line += lost([clash.card])
    return line


_BRIEFLY: Final = ((True, "  "), (True, " "), (False, " "))
"""Forms of what a reveal has brought, the best first: whether cards have names, and the gap after each."""


def brought(reveal: Reveal, glyphs: Glyphs, width: int) -> Words:
    """Return the cards that everybody has taken and that clashes have cost; by signs where it is narrow."""
    for is_named, gap in _BRIEFLY:
        line: Words = []
        for took in sorted(reveal.taken.values(), key=lambda took: took.seat):
            newest = took.seat in reveal.calls
            line.append((f" {glyphs.owner(took.seat)} ", f"seat-{took.seat}", newest))
            line += _cards(took.cards, glyphs, gap, named=is_named)
        lost = [(clash.row, clash.card) for clash in reveal.earlier_clashes]
        lost += [(row, card) for row, (_seats, card) in sorted(reveal.clashed.items())]
        for row, card in lost:
            line.append((f" {row} {glyphs['down']} ", "ku_ka_king-bad", True))
            line += _cards(bytes([card]), glyphs, gap, named=is_named)
        if sum(cell_len(words) for words, *_rest in line) <= width:
            break
    return clip(line, width, glyphs["ellipsis"])


def _cards(cards: bytes, glyphs: Glyphs, gap: str, *, named: bool) -> Iterator[tuple[str, str, bool]]:
    """Yield some cards by name or by sign, with a gap after each."""
    for card in cards:
        words = render(SHORT_NAMES[card]) if named else sign(card, glyphs)
        yield f"{words}{gap}", f"{group_variable(group(card))}-ink", True


def _progress(scene: Scene[Observation], glyphs: Glyphs) -> Words:
    """Return who has called, but not what, except for the viewer's own call."""
    view = scene.observation
    line: Words = []
    # through other eyes, the lit row and the words below say what was called
    if view.own_call != model.NO_CALL and not scene.is_through_other_eyes:
        line = [(" " + _("Your call: row {row}.", row=view.own_call), "possible", True)]
    elif not view.called:
        return [(" " + _("Everybody calls a row, all at the same moment."), "ink-dim", False)]
    line += _seats(_("Called:"), view.called, glyphs)
    return line + _seats(_("Choosing:"), view.active, glyphs)


def _seats(words: str, seats: tuple[Seat, ...], glyphs: Glyphs) -> Words:
    if not seats:
        return []
    owners: Words = [(f" {glyphs.owner(seat)}", f"seat-{seat}", True) for seat in seats]
    return [(f" {words}", "ink-dim", False), *owners, (" ", "ink", False)]


def figures(points: Sequence[int], room: int, ellipsis: str) -> str:
    """Return points for 1, 2, 3 ... cards; those before the last are left out if there is no room."""
    every = [str(figure) for figure in points]
    full = " ".join(every)
    for shown in range(len(every) - 1, 0, -1):
        if len(full) <= room:
            break
        full = f"{' '.join(every[: shown - 1])}{ellipsis}{every[-1]}"
    return full


def scoring(card: int, scale: model.CardValues, room: int, ellipsis: str) -> str:
    """Return a card's score, in the words at the bottom of the card; in full if `room` allows."""
    if card < model.ANIMALS:
        return figures(scale.animals[1:], room, ellipsis)
    if card == model.KING:
        return figures(scale.kings[1:], room, ellipsis)
    every = _words(card, scale)
    return next((words for words in every if len(words) <= room), every[-1])


def _words(card: int, scale: model.CardValues) -> tuple[str, ...]:
    """Return a card's score in full, in about 10 columns, and in ever fewer."""
    if card == model.KNIGHT:
        one, most = scale.knight, scale.most_knights
        return (
            _("{one} each, {most} for the most", one=one, most=most),
            _("{one} ({most} if most)", one=one, most=most),
            _("{one}, most {most}", one=one, most=most),
            _("{one}-{most} each", one=one, most=most),
            f"{one}/{most}",
        )
    if card == model.CHURCH:
        points = scale.churches
        return (
            _("{points} for the most", points=points),
            _("{points} if most", points=points),
            _("most {points}", points=points),
            str(points),
        )
    if model.POINTS2 <= card <= model.POINTS4:
        points = scale.points[card - model.POINTS2]
        return _("worth {points} points", points=points), _("worth {points}", points=points), str(points)
    full, least = (
        _("pair {pair}, with house {trio}", pair=scale.pair, trio=scale.trio),
        f"{scale.pair}/{scale.trio}",
    )
    if card == model.FARMHOUSE:
        return full, _("trio {points}", points=scale.trio), least
    return full, _("pair {points}", points=scale.pair), least
