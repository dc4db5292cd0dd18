"""The drawer of the analysis: the decisive moment of a match, and the costliest moves with better ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Final, NamedTuple

from textual.content import Content
from textual.style import Style

from kk_tui.i18n import _
from kk_tui.keymap import KEYS, choice
from kk_tui.table.advice import Coach, Verdict
from kk_tui.table.decisive import DecisiveMoment
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.board import BETTER, PLAYED, PRESS, mark_ground
from kk_tui.widgets.lines import wrapped_with_figures

COACH: Final = "coach"
"""The name of the coach's drawer."""


_ROOMY: Final = 20
"""Lines from which the decisive moment is told beside a move that is looked at."""


def coach_lines(
    coach: Coach,
    names: Sequence[str],
    glyphs: Glyphs,
    width: int,
    room: int,
    here: int | None = None,
    moment: DecisiveMoment | None = None,
) -> list[Content]:
    """Return the decisive moment and the costliest moves of the match, or those moves of one seat alone.

    `room` is the number of visible lines of a `width`, and `here` the ply that is looked at. Clicking the
    moment or a move goes there.
    """
    up = glyphs["up"]  # its sign on the line
    if moment is None or coach.seat is not None:
        return _costliest(coach, names, glyphs, width, room, here)
    is_of_move = here != moment.swing.ply and any(told.ply == here for told in coach.verdicts)
    if is_of_move and room < _ROOMY:
        # the key to the moment is told where the move leaves a row for it
        rest = _costliest(coach, names, glyphs, width, room, here, has_note=False)
        first = (
            [*_moment_lines([_("decisive moment")], up, width, 1, is_here=False)] if len(rest) < room else []
        )
    else:
        is_here = here == moment.swing.ply
        most = room // 2 if is_here else room // 4
        first = [*_moment_lines(moment.forms, up, width, most, is_here=is_here)][: max(0, room)]
        rest = _costliest(coach, names, glyphs, width, room - len(first), here, may_fold=bool(first))
    free = [Content()] * bool(first and len(first) + len(rest) < room)
    return [*first, *free, *rest]


def _moment_lines(
    forms: Sequence[str], sign_on_line: str, width: int, most: int, *, is_here: bool
) -> Iterator[Content]:
    """Yield the decisive moment in the first of its forms that takes at most so many lines, or the last."""
    told: Sequence[Content] = ()
    for words in forms:
        told = wrapped_with_figures(
            Content.assemble((f"{sign_on_line} ", "bold $happened"), (words, "$ink")), width - 2
        )
        if len(told) <= most:
            break
    first, *others = told
    sign = _sign("draw", is_here=is_here)
    yield sign.pressed(Content.assemble(sign.words, first))
    yield from (sign.pressed(Content.assemble("  ", line)) for line in others)


def _costliest(
    coach: Coach,
    names: Sequence[str],
    glyphs: Glyphs,
    width: int,
    room: int,
    here: int | None,
    *,
    may_fold: bool = False,
    has_note: bool = True,
) -> list[Content]:
    """Return the costliest moves.

    What would have been better follows only if all of it fits, spaced out if that fits too, or else only for
    the one at ply `here`; names, and then rounds, are left out if even the moves alone do not fit. Until all
    are found, they have no numbers. With `may_fold` they have a row each if not even that fits.
    """
    whole = _("Costliest moves") if coach.seat is None else _("What cost {name} most", name=names[coach.seat])
    plain = Content.styled(whole, "bold $gold")
    # costs that stand in a column have their unit above
    head, unit = Content.styled(_("Points lost"), "bold $gold"), Content.styled(_("points"), "$ink-dim")
    if (gap := width - plain.cell_length - unit.cell_length) > 0:
        head = Content.assemble(plain, unit.pad_left(gap))
    elif coach.seat is not None:  # whose they are is worth more than the unit
        head = plain
    if not coach.verdicts:
        meaning = [] if coach.share >= 1 else [_below_chart()]
        said = [
            line
            for words in (_nothing(coach), *meaning)
            for line in Content.styled(words, "$ink-dim").wrap(max(8, width))
        ]
        # that there are none needs no heading where only one of the two fits
        is_headed = coach.share < 1 or len(said) < room
        return ([plain, *said] if is_headed else said)[: max(0, room)]
    keys = [choice(number) for number in range(1, len(coach.numbered) + 1)]
    both = zip(keys or repeat(None), coach.verdicts, strict=False)
    signed = [(_sign(key, is_here=told.ply == here), told) for key, told in both]
    long, medium, short = (
        [_head(sign, told, who(told), glyphs, width) for sign, told in signed]
        for who in (partial(_named, names), _in_round, lambda _told: "")
    )
    least = 1 + (len(_note(coach, width, 0)) if has_note else 0)
    heads = next((each for each in (long, medium) if sum(map(len, each)) + least <= room), short)
    if may_fold and 1 + sum(map(len, heads)) > room:
        heads = [[_folded(sign, told, glyphs, width)] for sign, told in signed]
    top = plain if heads in (long, medium) else head
    note = _note(coach, width, room - sum(map(len, heads)) - 1) if has_note else []
    blocks = [[*lines, *_words(told, width)] for lines, (_s, told) in zip(heads, signed, strict=True)]
    told = sum(map(len, blocks)) + 1 + len(note)
    # showing what happened comes before text that would be cut off, and before explaining the figures
    if told > room:
        happened = [top, *chain.from_iterable(heads)]
        # the others in a row each where that shows what would have been better, or all of them
        rows = [
            lines if len(lines) == 1 else [_folded(sign, told, glyphs, width)]
            for lines, (sign, told) in zip(short, signed, strict=True)
        ]
        ways = [(top, blocks, heads), (head, blocks, rows)]
        ways += [(head, short, rows)] if len(happened) > room else []
        for over, chosen, others in ways if any(verdict.ply == here for verdict in coach.verdicts) else ():
            looked_at = [over, *chain.from_iterable(
                lines if verdict.ply == here else rest
                for lines, rest, verdict in zip(chosen, others, coach.verdicts, strict=True)
            )]  # fmt: skip
            if len(looked_at) <= room:
                happened = looked_at
                break
        return [*happened, *note] if len(happened) + len(note) <= room else happened
    free = [Content()] * (told + len(blocks) <= room)
    return [top, *chain.from_iterable([*lines, *free] for lines in blocks), *note]


def _below_chart() -> str:
    """Return what the figures under the line mean, which says so itself once the coach is done."""
    return _("Under the chart: everybody's chance to win in %, and their lead over the best other.")


def _nothing(coach: Coach) -> str:
    if coach.share < 1:
        return _("Looking for them...")
    return _("No costly mistakes found.") if coach.seat is None else _("No costly mistake was found.")


def _note(coach: Coach, width: int, room: int) -> list[Content]:
    """Explain the figures and, if there is room, how to see those of one player."""
    if not coach.numbered:
        looking = _("Still looking; costlier moves may follow.")
        short, longer = (
            Content.styled(words, "$ink-dim").wrap(max(8, width))
            for words in (looking, f"{looking} {_below_chart()}")
        )
        return longer if len(longer) <= room else short
    said = _("Points lost by the move. 1 or a click goes there.")
    if len(coach.verdicts) > 1:
        said = _("The costliest moves: press 1-{last} or click to go there.", last=len(coach.verdicts))
    more = _("{key} shows each player's.", key=KEYS["view"].shown)
    forms = [said] if coach.seat is not None else [f"{said} {more}", said]
    told = [Content.styled(words, "$ink-dim").wrap(max(8, width)) for words in forms]
    return next((lines for lines in told if len(lines) <= room), told[-1])


def _named(names: Sequence[str], told: Verdict) -> str:
    return _("{name} (round {n})", name=names[told.point.seat], n=told.round)


def _in_round(told: Verdict) -> str:
    return _("round {n}:", n=told.round)


class _Sign(NamedTuple):
    """The key that leads to a moment or a move, lit for the one that the board shows.

    There is none as long as others may still come.
    """

    action: str | None
    style: str

    @property
    def words(self) -> Content:
        """The key with a blank behind it."""
        return Content.assemble((" " if self.action is None else KEYS[self.action].shown, self.style), " ")

    def pressed(self, line: Content) -> Content:
        """Return a line that a click on goes there."""
        return line if self.action is None else line.stylize(Style.from_meta({PRESS: self.action}))


def _sign(action: str | None, *, is_here: bool) -> _Sign:
    is_lit = is_here and action is not None
    return _Sign(action, "bold $cursor-ink on $cursor" if is_lit else "bold $happened")


def _head(sign: _Sign, told: Verdict, who: str, glyphs: Glyphs, width: int) -> list[Content]:
    """Return a move's digit, player, words and cost, in lines of a width.

    Without `who`, what it cost stands on the right, in a column for all moves, and there is no room for the
    mark that the board has.
    """
    seat, played, room = told.point.seat, told.played.rstrip("."), max(8, width - 2)
    owner = (glyphs.owner(seat), f"bold $seat-{seat}")
    if who:
        cost = (_(": {cost} points lost", cost=told.cost), "bold $refused")
        said = Content.assemble(owner, " ", _mark(PLAYED), " ", (f"{who} {played}", "$ink"), cost)
        lines = wrapped_with_figures(said, room)
    else:
        # a figure alone would be taken for what it cost
        lines = wrapped_with_figures(Content.assemble(owner, " ", (played, "$ink")), room)
        # beside the end of a sentence, a figure would seem to belong to it
        if len(lines) > 1 or lines[0].cell_length + 2 + _cost(told).cell_length > room:
            lines = [*lines, Content()]
        lines = [*lines[:-1], _with_cost(lines[-1], told, room)]
    first, *others = lines
    lines = [Content.assemble(sign.words, first), *(Content.assemble("  ", part) for part in others)]
    return [*map(sign.pressed, lines)]


def _folded(sign: _Sign, told: Verdict, glyphs: Glyphs, width: int) -> Content:
    """Return a move in one row: when it was, and what it cost."""
    seat = told.point.seat
    line = Content.assemble(
        sign.words, (glyphs.owner(seat), f"bold $seat-{seat}"), " ", (_("round {n}", n=told.round), "$ink"),
    )  # fmt: skip
    return sign.pressed(_with_cost(line, told, width))


def _with_cost(line: Content, told: Verdict, width: int) -> Content:
    """Return a line with what a move cost on the right."""
    cost = _cost(told)
    gap = width - line.cell_length - cost.cell_length
    return Content.assemble(line, " " * max(1, gap), cost)


def _cost(told: Verdict) -> Content:
    return Content.styled(told.cost, "bold $refused")


def _words(told: Verdict, width: int) -> Iterator[Content]:
    # what it cost stands above
    better = Content.assemble(_mark(BETTER), " ", (_("Better: {move}.", move=told.better), "$ink"))
    for words in (better, Content.styled(told.why, "$ink-dim")):
        lines = wrapped_with_figures(words, width - 2) if words else ()
        yield from (Content.assemble("  ", line) for line in lines)


def _mark(mark: str) -> Content:
    """Return the mark of a move as the board has it."""
    return Content.styled(mark, f"bold $cursor-ink on ${mark_ground(mark)}")
