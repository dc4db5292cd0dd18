"""The meaning of every sign on and above the board, in one sentence with this match's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from kk_core.games.ku_ka_king.model import (
    ANIMALS,
    CHURCH,
    FIRST_SCORING_AT,
    KING,
    KNIGHT,
    LINES,
    POINTS2,
    POINTS4,
    Observation,
)
from kk_core.games.ku_ka_king.notation import CARD_NAMES
from kk_core.text import Text, text, texts
from kk_core.types import Move, Seat
from kk_tui.games.ku_ka_king.panels import Words, held
from kk_tui.games.ku_ka_king.picture import BoardLayout, RowLook
from kk_tui.games.ku_ka_king.reveal import Reveal
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, group, group_variable
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import figures
from kk_tui.widgets.explanation import Explanation

_CARDS, _CALLING, _SCORING, _PASSES, _ROUND = (
    "the-cards", "choosing-a-row", "scoring", "two-passes", "the-end-of-a-round",
)  # fmt: skip
"""Sections of the rules."""

_LINE_INKS: Final = {f"{group_variable(line)}{end}": line for line in LINES for end in ("-ink", "")}
"""The lines of the score sheet by ink and ground of their cards."""


_MARKED: Final = 3
"""Columns of a hint's mark on a number card."""

_LOW: Final = 2
"""Lines of a card that has its name and its mark on one of them."""


# -- rows ----------------------------------------------------------------------------------------------------


def explain_row(
    scene: Scene[Observation], looks: Sequence[RowLook], layout: BoardLayout, x: int, y: int
) -> Explanation | None:
    """Return the meaning of a place between the lines above the rows and those below them."""
    row, inside = layout.row_at(x, y), (y - layout.top) % layout.pitch
    if row is None:
        return None
    look, x = looks[row - 1], x - layout.region(row).x
    if look.hint and not inside and x in (range(1, 1 + _MARKED) if layout.is_upright else (0,)):
        return Explanation(
            text("Marks a row from the hint, or in an analysis the better and the played one."), _CALLING
        )
    if x in (0, layout.left + layout.fan):
        bars = text("The bars show where the cursor is: Enter calls row {row}.", row=row)
        return Explanation(bars, _CALLING, gives_way=True) if look.cursor or look.hovered else None
    if x < layout.left:
        return Explanation(_number(look), _CALLING, gives_way=row in scene.legal)
    if look.taker is not None:
        took = text("{name} took row {row} and its cards in this round.", name=look.taker.name, row=row)
        return Explanation(took, _CALLING)
    if not look.cards:
        return Explanation(_empty(look), _CALLING)
    place = min((x - layout.left) // layout.inner, len(look.cards) - 1)
    is_outer, column = place == len(look.cards) - 1, x - layout.left - place * layout.inner
    if column >= (layout.outer if is_outer else layout.inner):
        return Explanation(_empty(look), _CALLING)
    if inside >= layout.full:
        return _falls_first(look) if is_outer else None
    count = scene.observation.printed.counts[look.cards[place]]
    left = (layout.outer if is_outer else layout.inner) - column
    marks = 0 if scene.observation.second_pass else 1
    if _tells_fate(count, layout, left, inside, marks=marks, is_outer=is_outer):
        return Explanation(fate(scene.observation, look.cards[place]), _PASSES)
    return _card(scene, look, place, is_last=inside == layout.full - 1)


def _tells_fate(
    count: int, layout: BoardLayout, left: int, inside: int, *, marks: int, is_outer: bool
) -> bool:
    """Return whether a card's number and whether it stays are shown `left` columns before its right end.

    There are no `marks` of whether it stays once the first scoring is over.
    """
    if layout.is_upright:
        return inside == 0
    if layout.full > _LOW:
        return inside == layout.full // 2
    # on low cards both end the first line: of the outermost card both, of the others only the mark
    return inside == 0 and left <= (len(f"{count}") + 1 + marks if is_outer else marks)


def _number(look: RowLook) -> Text:
    """Return what the number card of a row says."""
    if look.own is not None:
        return text("Your call: row {row}. Nobody else can see it yet.", row=look.row)
    if look.callers:
        return text("Row {row}, with the signs of the players who called it.", row=look.row)
    if look.taker is not None:
        return text("Row {row}: taken by {name} in this round.", row=look.row, name=look.taker.name)
    if not look.bright:
        return text("Row {row} can't be called until the rows are refilled.", row=look.row)
    cards = len(look.cards)
    return texts(
        "Row {row}: its only caller gets {n} card; a clash costs the outermost one.",
        "Row {row}: its only caller gets {n} cards; a clash costs the outermost one.",
        cards, row=look.row,
    )  # fmt: skip


def _empty(look: RowLook) -> Text:
    if look.lost is not None:
        return text("A clash: several players called row {row}, and it lost this card.", row=look.row)
    if look.cards:
        return text("Row {row} has lost a card; it is refilled after the round.", row=look.row)
    return text("Row {row} is empty; it is refilled after the round.", row=look.row)


def _falls_first(look: RowLook) -> Explanation:
    card = CARD_NAMES[look.cards[-1]]
    said = text("The outermost card, drawn lighter, is the first lost in a clash: {card}.", card=card)
    return Explanation(said, _CALLING)


def _card(scene: Scene[Observation], look: RowLook, place: int, *, is_last: bool) -> Explanation:
    """Return the meaning of a card: of its last line, which has its points, or of its name and figure."""
    card = look.cards[place]
    if is_last:
        return Explanation(values(scene.observation, card), _SCORING)
    if place == len(look.cards) - 1:
        return _falls_first(look)
    return Explanation(standing_words(scene, group(card), CARD_NAMES[card]), _SCORING)


def fate(view: Observation, card: int) -> Text:
    """Return how many cards of a type there are, and what happens to them after the first scoring."""
    count, name = view.printed.counts[card], CARD_NAMES[card]
    if view.second_pass:
        return text("{card}: {n} in the game.", card=name, n=count)
    if view.printed.kept[card]:
        return text(
            "{card}: {n} in the game. Tick: it stays, and counts in both scorings.", card=name, n=count
        )
    return text(
        "{card}: {n} in the game. Cross: it counts once, then goes into the box.",
        card=name,
        n=count,
    )


def values(view: Observation, card: int) -> Text:
    """Return what a card scores, with the figures printed on it."""
    scale = view.printed.scale
    if card < ANIMALS:
        listed = " ".join(map(str, scale.animals[1:]))
        return text("Points for 1, 2, 3 ... animals of a kind: {points}.", points=listed)
    if card == KING:
        return text("Points for 1, 2, 3 ... kings: {points}.", points=" ".join(map(str, scale.kings[1:])))
    if card == CHURCH:
        return text("{points} points for having the most churches, ties included.", points=scale.churches)
    if card == KNIGHT:
        one, most = scale.knight, scale.most_knights
        return text(
            "Each knight: {most} points for whoever has the most, {one} for everybody else.",
            one=one,
            most=most,
        )
    if POINTS2 <= card <= POINTS4:
        return text("Worth {points} points at the next scoring.", points=scale.points[card - POINTS2])
    return text(
        "Farmer and wife: {pair} points; with a house: {trio}.",
        pair=scale.pair,
        trio=scale.trio,
    )


def standing_words(scene: Scene[Observation], line: str, what: Text) -> Text:
    """Return who has how many cards that count together, and the points for them as things stand."""
    view = scene.observation
    counts, points = held(view.collections, line), view.sheet[view.standing_from + LINES.index(line)]
    name = LINE_NAMES[LINES.index(line)]
    if not any(counts):
        return text("{card} counts for {line}. Nobody has any cards for it yet.", card=what, line=name)
    return text(
        "{card}. Cards for {line}: {counts}; points now: {points}.",
        card=what, line=name, counts=figures(counts), points=figures(points),
    )  # fmt: skip


# -- lines above and below the rows --------------------------------------------------------------------------


def explain_head(
    scene: Scene[Observation], reveal: Reveal | None, lines: Sequence[Words], x: int, y: int
) -> Explanation | None:
    """Return the meaning of a place above the rows: of a call, or of what it brought."""
    if y >= len(lines) or x >= _wide(lines[y]):
        return None
    seat = _seat(lines[y], x)
    words, colour, _bold = _before(lines[y], x)[-1]
    is_bad, sign = colour == "ku_ka_king-bad" and not words.isdigit(), words.strip()
    is_triangle = len(sign) == 1 and not sign.isdigit()
    if (is_bad and (y or is_triangle)) or (not y and colour in _LINE_INKS):
        fell = text("A clash in this row: the card after the triangle went into the box.")
        return Explanation(fell, _CALLING)
    if is_bad:
        met = text("These players called the same row: nobody gets it, and they call again.")
        return Explanation(met, _CALLING)
    if reveal is None:
        return Explanation(text("Who has called and who is still choosing. Calls are secret."), _CALLING)
    if seat is None:
        if reveal.scored or reveal.ended_round:
            return Explanation(text("What the last round brought, and what happens next."), _ROUND)
        return Explanation(text("Ku, Ka, King: everybody's calls, all revealed at once."), _CALLING)
    row = {**reveal.earlier, **reveal.calls}.get(seat)
    if row is None or reveal.scored:
        return Explanation(text("{name}'s points in the first scoring.", name=scene.name(seat)), _SCORING)
    if row in reveal.clashed and seat in reveal.calls:
        return Explanation(
            text(
                "A clash: {name} and others called row {row}, so nobody gets it.",
                name=scene.name(seat),
                row=row,
            ),
            _CALLING,
        )
    return Explanation(
        text("Only {name} called row {row}, and took its cards.", name=scene.name(seat), row=row), _CALLING
    )


_NUMBERS: Final = text("How many cards of each kind are in the game, and how many are in the rows now.")


def explain_notes(scene: Scene[Observation], lines: Sequence[Words], x: int, y: int) -> Explanation | None:
    """Return the meaning of a place in the collections below the rows."""
    if y >= len(lines) or x >= _wide(lines[y]):
        return None
    owners = (_seat(lines[above], cell_len(_plain(lines[above]))) for above in range(y, -1, -1))
    seat = _seat(lines[y], x)
    seat = next((owner for owner in owners if owner is not None), None) if seat is None else seat
    inks = [colour for _words, colour, _bold in _before(lines[y], x) if colour in _LINE_INKS]
    if seat is None:
        if not inks:
            is_blank = not _plain(lines[y])[: x + 1].strip()
            return None if is_blank else Explanation(_NUMBERS, _CARDS)
        line = LINE_NAMES[LINES.index(_LINE_INKS[inks[-1]])]
        return Explanation(text("Cards for {line}: each player's number is below.", line=line), _CARDS)
    if not inks:
        return Explanation(
            text("What {name} has collected; c shows everybody's cards.", name=scene.name(seat)), _CARDS
        )
    return Explanation(_collected(scene, seat, _LINE_INKS[inks[-1]]), _SCORING)


def _collected(scene: Scene[Observation], seat: Seat, line: str) -> Text:
    view = scene.observation
    index = LINES.index(line)
    return text(
        "{name}'s cards for {line}: {n}, worth {points} as things stand.",
        name=scene.name(seat), n=held(view.collections, line)[seat], line=LINE_NAMES[index],
        points=view.sheet[view.standing_from + index][seat],
    )  # fmt: skip


def _plain(line: Words) -> str:
    return "".join(words for words, _colour, _bold in line)


def _wide(line: Words) -> int:
    return cell_len(_plain(line).rstrip())


def _before(line: Words, x: int) -> Words:
    """Return the parts of a line up to the one in a column."""
    found: Words = []
    for part in line:
        if x < 0:
            break
        found.append(part)
        x -= cell_len(part[0])
    return found


def _seat(line: Words, x: int) -> Seat | None:
    """Return the seat of the last sign up to a column."""
    seats = [colour for _words, colour, _bold in _before(line, x) if colour.startswith("seat-")]
    return int(seats[-1].removeprefix("seat-")) if seats else None


# -- header and side -----------------------------------------------------------------------------------------


def explain_status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return what the pass, and pile and box mean."""
    view = scene.observation
    if view.last_round:
        which = text("The pile is empty: this is the last round, then all is scored once more.")
    elif view.second_pass:
        which = text("Pass 2: the last round starts when the pile is empty; then all is scored.")
    else:
        which = text(
            "Pass 1 ends with a scoring once somebody has {at} cards; most now: {most}.",
            at=FIRST_SCORING_AT, most=view.most_cards,
        )  # fmt: skip
    box = text(
        "Rows are filled from the pile ({pile}); the box ({box}) is out of play.",
        pile=view.pile,
        box=view.box,
    )
    return which, box


def call_of(row: Move) -> Text:
    """Return what a call is."""
    return text("Row {row}: everybody calls at the same moment; its only caller takes it.", row=row)
