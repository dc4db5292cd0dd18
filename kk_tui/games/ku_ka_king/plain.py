"""Ku-Ka-King in lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kk_core.games.ku_ka_king.model import NO_CALL, Observation, read
from kk_core.games.ku_ka_king.notation import CARD_NAMES, list_cards
from kk_core.text import Text, as_text, joined, listed, quoted, text, text_in
from kk_core.types import Move, Seat
from kk_tui.games import Race
from kk_tui.games.ku_ka_king.face import sheet_entry
from kk_tui.games.ku_ka_king.meaning import values
from kk_tui.games.ku_ka_king.reveal import standing, takers
from kk_tui.games.ku_ka_king.theme import LINE_NAMES, line_name
from kk_tui.games.plain import PlainFace, Topic, Verb
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.scene import Scene


def board(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the rows; the last card of each is the first lost in a clash."""
    for row, cards in enumerate(scene.observation.rows, 1):
        if cards:
            yield text("Row {row}: {cards}.", row=row, cards=list_cards(cards))
        else:
            yield text("Row {row}: empty.", row=row)


def news(before: Scene[Observation], after: Scene[Observation]) -> Iterator[Text]:
    """Yield the rows that were filled up."""
    rows = zip(before.observation.rows, after.observation.rows, strict=True)
    for row, (was, now) in enumerate(rows, 1):
        # a clash takes the last card, and whoever is alone all of them
        if now and not was.startswith(now):
            yield text("Row {row}: {cards}.", row=row, cards=list_cards(now))


def hand(scene: Scene[Observation]) -> Iterator[Text]:
    """Yield the row that the viewer has called."""
    if scene.observation.own_call != NO_CALL:
        yield text("You have called row {row}.", row=scene.observation.own_call)


def holdings(scene: Scene[Observation], seat: Seat) -> Text | None:
    """Return the cards that a player has collected."""
    counts = scene.observation.collections[seat]
    held = [
        CARD_NAMES[card] if n == 1 else text("{n} times {card}", n=n, card=CARD_NAMES[card])
        for card, n in enumerate(counts)
        if n
    ]
    return text("cards: {cards}", cards=listed(list(held))) if held else text("no cards")


def score_label(scene: Scene[Observation], line: int) -> Text:
    """Return a line of the score sheet with its scoring, which may be still to come."""
    scoring = sheet_entry(scene, line).part
    return text("{scoring}, {line}", scoring=scoring, line=line_name(line % len(LINE_NAMES)))


def contest_label(_scene: Scene[Observation], race: Race) -> Text:
    """Return a contest by its cards in whole words."""
    (line,) = race.line
    return line_name(line % len(LINE_NAMES))


def _row(scene: Scene[Observation], typed: str) -> Iterator[Text]:
    """Yield the cards of a row with what they score."""
    rows = scene.observation.rows
    if typed not in {str(row + 1) for row in range(len(rows))}:
        yield text("Which row? There are rows 1 to {n}.", n=len(rows))
        return
    cards = rows[int(typed) - 1]
    if not cards:
        yield text("Row {row}: empty.", row=typed)
    for card in cards:
        yield text("{card}. {points}", card=CARD_NAMES[card], points=values(scene.observation, card))


def _card(scene: Scene[Observation], typed: str) -> Iterator[Text]:
    """Yield what there is to know of a type of card."""
    if not typed:
        yield text("Which card? There are {cards}.", cards=listed(list(CARD_NAMES)))
        return
    _how, found = meant(words_of(typed), ((card, ways_of(name)) for card, name in enumerate(CARD_NAMES)))
    if not found:
        yield text("{line} is no card of this game.", line=quoted(typed))
    printed = scene.observation.printed
    for card in found:
        name, n = CARD_NAMES[card], printed.counts[card]
        if scene.observation.second_pass:
            yield text("{card}: {n} in the game.", card=name, n=n)
        elif printed.kept[card]:
            yield text("{card}: {n} in the game. It stays, and counts in both scorings.", card=name, n=n)
        else:
            yield text("{card}: {n} in the game. It counts once, then goes into the box.", card=name, n=n)
        yield values(scene.observation, card)


def typed(_scene: Scene[Observation], move: Move) -> Sequence[Text]:
    """Return the ways to type a call: with its verb, or the number of the row alone."""
    row = read(move).row
    return (text_in("typed", "call {row}", row=row), Text(str(row)))


def detail(scene: Scene[Observation], move: Move) -> Text | None:
    """Return the cards of the row."""
    return as_text(list_cards(scene.observation.rows[read(move).row - 1]))


def number(_scene: Scene[Observation], move: Move) -> int:
    """Return the number of the row that is called."""
    return read(move).row


def gone(scene: Scene[Observation], move: Move) -> Text | None:
    """Return who has taken a row in this round."""
    taken = takers(scene).get(move)
    return None if taken is None else text("{name} has its cards.", name=scene.name(taken.seat))


def prompt(scene: Scene[Observation]) -> Text | None:
    """Return which rows can be called."""
    rows = joined([*map(str, sorted(scene.legal))], is_choice=True)
    last, view = standing(scene), scene.observation
    if last is not None and not last.ended_round:
        return text("Call again: {rows}.", rows=rows)
    if view.is_first_scoring_due and not view.last_round:
        return text("The first scoring follows this round. Call a row: {rows}.", rows=rows)
    return text("Call a row: {rows}.", rows=rows)


PLAIN: Final = PlainFace(
    board=board,
    hand=hand,
    holdings=holdings,
    typed=typed,
    detail=detail,
    number=number,
    gone=gone,
    verbs=(
        Verb(text_in("typed", "call"), text("call a row; its number alone will do"), text_in("typed", "N")),
    ),
    news=news,
    score_label=score_label,
    contest_label=contest_label,
    prompt=prompt,
    topics=(
        Topic(
            text_in("typed", "row"), text("the cards of a row, and what they score"), _row,
            text_in("typed", "N"), lambda _scene: "1",
        ),
        Topic(
            text_in("typed", "card"), text("what a card scores, and how many there are"), _card,
            text_in("typed", "CARD"), lambda _scene: CARD_NAMES[0],
        ),
    ),
)  # fmt: skip
