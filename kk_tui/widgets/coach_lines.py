"""The drawer of a replay with the turning points: which moves cost most, and what would have been better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textual.content import Content
from textual.style import Style

from kk_tui.coach import Coach, Verdict
from kk_tui.i18n import _
from kk_tui.keymap import KEYS, choice
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import PRESS

COACH: Final = "coach"
"""What the drawer is called."""


def coach_lines(coach: Coach, names: Sequence[str], glyphs: Glyphs, width: int, room: int) -> list[Content]:
    """The turning points of the match or of one seat; a click goes there. What they were is said where there
    is room for it, with free lines between them where there is more.

    `room` is how many lines of a `width` are in view.
    """
    whole = _("Turning points") if coach.seat is None else _("What cost {name} most", name=names[coach.seat])
    head = Content.styled(whole, "bold $gold")
    if not coach.verdicts:
        return [head, Content.styled(_nothing(coach), "$ink-dim")]
    heads = [_head(number, told, glyphs) for number, told in enumerate(coach.verdicts, 1)]
    note = _note(coach, width, room - len(heads) - 1)
    words_of = [list(_words(told, width)) for told in coach.verdicts]
    told = sum(map(len, words_of)) + len(heads) + 1 + len(note)
    if told > room:
        return [head, *heads, *note]
    free = [Content()] * (told + len(heads) <= room)
    lines = [head]
    for line, words_here in zip(heads, words_of, strict=True):
        lines += [line, *words_here, *free]
    return [*lines, *note]


def _nothing(coach: Coach) -> str:
    if coach.share < 1:
        return _("An expert looks for them.")
    return _("Nobody made a costly mistake.") if coach.seat is None else _("No costly mistake was found.")


def _note(coach: Coach, width: int, room: int) -> list[Content]:
    """What the figures are; and where there is room for it, how to come to those of one player."""
    said = _("Points that the move lost. 1 or a click goes there.")
    if len(coach.verdicts) > 1:
        said = _("Points that each move lost. 1-{last} or a click goes there.", last=len(coach.verdicts))
    more = _("{key} tells those of each player.", key=KEYS["view"].shown)
    short, longer = (
        Content.styled(words, "$ink-dim").wrap(max(8, width)) for words in (said, f"{said} {more}")
    )
    return longer if coach.seat is None and len(longer) <= room else short


def _head(number: int, told: Verdict, glyphs: Glyphs) -> Content:
    """Its digit, who made the move, and what it cost."""
    seat = told.point.seat
    line = Content.assemble(
        (str(number), "bold $happened"), " ", (glyphs.owner(seat), f"bold $seat-{seat}"), " ",
        (_("move {ply}", ply=told.number), "$ink"), (f"  {glyphs['dash']}{told.cost}", "bold $refused"),
    )  # fmt: skip
    return line.stylize(Style.from_meta({PRESS: choice(number)}))


def _words(told: Verdict, width: int) -> Iterator[Content]:
    for words, style in ((told.played, "$ink-dim"), *((part, "$ink") for part in better_words(told))):
        lines = Content.styled(words, style).wrap(max(8, width - 2))
        yield from (Content.assemble("  ", line) for line in lines)


def better_words(told: Verdict) -> tuple[str, ...]:
    """What would have been better, and why."""
    better = _("Better by {cost} points: {move}", cost=told.cost, move=told.better)
    return better, f"({told.why})"
