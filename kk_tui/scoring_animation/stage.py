"""The overlay of a scoring animation: large letters over the board, a scoring over or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, product, zip_longest
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.strip import Strip

from kk_core.text import Text, text, text_in
from kk_core.types import Seat
from kk_tui.i18n import render
from kk_tui.pixels import gain, halves, large, quadrants
from kk_tui.pixels import number as digits
from kk_tui.scoring_animation import Banner, Bar, Pictogram, ScoringProgress, Step
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.canvas import Canvas

Words: TypeAlias = list[tuple[str, str, str | None, bool]]
"""Parts of a line: text, theme variables of ink and ground (None: that of the stage), whether bold."""

_TOTAL: Final = text_in("short", "Total")
# Translators: the points from before a scoring, in at most 6 columns
_BEFORE: Final = text_in("points", "before")

_FIGURES: Final = (5, 4, 3)
"""Columns of a seat's points in the table: the largest that leave room for labels, or the last."""

_UNIT: Final = 9
"""Columns for one of the things that a bar counts, and the blank after it; more only for pictures."""

_DIGITS: Final = ((2, 8), (1, 3))
"""Sizes of the points beside pictures, in digits of blocks, and the lines of the things that these need."""

_COUNT: Final = 4
"""Columns for the number of things before a bar."""

_NAMES: Final = 34
"""Columns from which everybody's bar has a name."""

_TWO: Final = 70
"""Columns from which the table of counted lines is beside the bars."""

_BARS: Final = 120
"""Maximum columns of the bars: wider ones cannot be read at a glance."""

_TICKS: Final = (5, 10, 20, 25, 50, 100, 200)
_TICK: Final = 8
"""Points between two marks of the axis, and the minimum columns between them."""

_APART: Final = (8, 3)
"""Columns between bars and table: if there is room, and at least."""

_THICK: Final = 4
_THICKEST: Final = 9
"""Maximum lines of a bar; and at the end, when there is only one for each seat."""

_FIGURED: Final = 4
"""Lines of a bar from which its points at the end are written in digits of blocks."""

_LARGEST: Final = 6
_WIDE: Final = 100
"""Lines of a bar, and columns of all bars, from which these digits are twice as large."""

_TALLEST: Final = 10
"""Maximum lines of the things that are counted, the last one half blank."""

_SHARE: Final = 5
"""Rows of a page for each line of these things."""

_AROUND: Final = 5
"""Lines of the bars beside or above the table that are neither bars nor things."""

_AROUND_TOTALS: Final = 3
"""Lines above and below the totals that stand alone: heading, axis, and a free one."""

_SCROLLED: Final = 3
"""Lines from which the table can be scrolled: one between two sums."""

_LEAST: Final = 4
"""Lines from which there is a table: seats, points before the scoring, a sum, and the newest line."""

_FOOT: Final = 2
"""Lines of the totals below the table, including the rule above them."""

_TOTALLED: Final = 14
"""Lines from which a table below the bars ends with the totals, though the bars have them too."""


class _Form(NamedTuple):
    """Columns and lines of a thing that is counted, and the size of the pictures on it; None for signs."""

    wide: int
    tall: int
    size: int | None = None


class Ledger:
    """Draws scorings, and knows how far the table has been scrolled back.

    `hidden` is the number of lines of the table that are only shown in a sum, `back` how many of these are
    the newest ones.
    """

    def __init__(self, glyphs: Glyphs) -> None:
        self.glyphs = glyphs
        self.hidden = 0
        self.back = 0

    def scroll(self, lines: int) -> bool:
        """Scroll the table by `lines` lines; return False if there are none to scroll."""
        if not self.hidden:
            return False
        back = self.back - lines
        if back == 1:  # a sum of one line is that line itself
            back += 1 if lines < 0 else -1
        self.back = max(0, min(self.hidden, back))
        return True

    def lines(self, scoring: ScoringProgress, width: int, height: int) -> list[Words]:
        """Return the heading and everything below it, centred in two columns if there is room."""
        self.hidden = 0
        if width >= _TWO:
            return self._abreast(scoring, width, height)
        blank: Words = []
        now = blank if scoring.is_done else self._named(scoring, width)
        head: list[Words] = [[(render(scoring.title), "gold", None, True), _progress(scoring)], now]
        bars = [*self._totals(scoring, width, _thickness(scoring, height, has_table=True), has_axis=False)]
        if len(head) + len(bars) + _lines_of_all(scoring) + 2 <= height:
            head.append(blank)
        room = height - len(head) - len(bars) - 1
        table = self._table(scoring, width, room, has_total=room >= _TOTALLED)
        return [*head, *bars, *([blank, *table] if table else [])]

    def _abreast(self, scoring: ScoringProgress, width: int, height: int) -> list[Words]:
        """Return the table beside the bars, both no wider than what they show; the page has the title."""
        label, columns = self._columns(scoring, width - _NAMES - min(_APART))
        wide = label + columns * len(scoring.names)
        room = min(_BARS, width - wide - min(_APART))
        apart = min(max(_APART), width - wide - room)
        blank: Words = []
        thick = _thickness(scoring, height, has_table=False)
        bars = [
            *self._totals(scoring, room, thick, has_axis=True),
            *self._axis(scoring, room, thick),
            *(() if scoring.is_done else self._now(scoring, room, thick, _tall(scoring, height))),
        ]
        table = self._table(scoring, wide, height, has_total=True)
        # spaced out like the bars, if there will be room when all is turned over
        if 2 * (len(table) + len(_told_together(scoring))) <= height:
            table = [line for row in table for line in (row, blank)]
        both = [
            [*_padded(left, room + apart), *right]
            for left, right in zip_longest(bars, table, fillvalue=blank)
        ]
        margin = (" " * ((width - wide - room - apart) // 2), "ink", None, False)
        # the same in all steps, so that nothing jumps
        tallest = max(_most_lines(scoring, height), len(table))
        above: list[Words] = [[] for _line in range((height - tallest) // 2)]
        return [*above, *([margin, *line] for line in both)]

    # -- bars ------------------------------------------------------------------------------------------------

    def _totals(self, scoring: ScoringProgress, width: int, thick: int, *, has_axis: bool) -> Iterator[Words]:
        """Yield everybody's points, of which those that are being counted stand out.

        Without an axis, and bars of their own below it, these are told in figures too.
        """
        totals, gained, most = scoring.totals, scoring.now.points, scoring.most
        room = self._axis_room(scoring, width, thick, has_axis=has_axis)
        yield [(render(_TOTAL), "gold", None, True), *([_progress(scoring)] if has_axis else [])]
        for seat, points in enumerate(totals):
            head = self._head(scoring, seat, width, counted=has_axis)
            more = 0 if scoring.is_done else gained[seat]
            long = max(0, points) * room // most
            before = min(long, max(0, points - max(0, more)) * room // most)
            bar = [(self.glyphs["full"] * before, f"seat-{seat}")]
            bar += [(self.glyphs["full"] * (long - before), "possible")] * (long > before)
            is_most = scoring.is_done and points == max(totals)
            told = self._gain(scoring, seat, has_axis=has_axis)
            ink = "possible" if more and not told else "gold" if is_most else "ink"
            yield from self._gauge(head, bar, self._total(scoring, points, width, thick), ink, thick, told)

    def _named(self, scoring: ScoringProgress, width: int) -> Words:
        """Return the label of the line being counted, on its ground."""
        bar = scoring.now
        label = set_cell_size(f" {self._heading(bar, width - 1)}", width)
        return [(label, bar.ink if bar.colour else "gold", bar.colour, True)]

    def _now(self, scoring: ScoringProgress, width: int, thick: int, tall: int) -> Iterator[Words]:
        """Yield the line being counted: its label, and for everybody the things, or else a bar of points."""
        bar = scoring.now
        yield []
        yield self._named(scoring, width)
        if bar.counts:
            room = _room(self._head(scoring, 0, width, counted=True), width)
            form, figures = self._sizes(bar, room, tall)
            if form.wide > 0:
                yield []  # things have the colour of the label
                for seat, figure in enumerate(figures):
                    yield from self._things(scoring, seat, form, figure, width)
                return
        for seat, (size, points) in enumerate(zip(bar.counts or bar.points, bar.points, strict=True)):
            head = self._head(scoring, seat, width, counted=True)
            drawn = self.glyphs["full"] * (max(0, points) * _room(head, width) // scoring.most)
            if bar.counts and size:
                head = [*head[:-1], (f"{size:>{_COUNT - 1}} ", "ink", None, True)]
            parts = [(drawn, f"seat-{seat}")]
            yield from self._gauge(head, parts, [f"{points:+}" if points else ""], "ink", thick)

    def _sizes(self, bar: Bar, room: int, tall: int) -> tuple[_Form, list[Sequence[str]]]:
        """Return how things are drawn, and everybody's points beside them, which give way to pictures.

        What points are for is named where that leaves room for all signs.
        """
        blocks = [size for size, lines in _DIGITS if tall >= lines and bar.things]
        for size, is_named in product((*(() if self.glyphs.ascii_only else blocks), 0), (True, False)):
            if is_named and (not bar.sources or tall < _named_lines(size)):
                continue
            figures = [_figure(bar, seat, size, is_named=is_named) for seat in range(len(bar.points))]
            longest = max(cell_len(row) for figure in figures for row in figure)
            unit = (room - max(0, longest - _COUNT)) // max(1, *bar.counts)
            form = self._form(bar, unit, tall)
            if form.size is not None or (is_named and not size and self._shows_all(bar, form)):
                break
        return form, figures

    def _shows_all(self, bar: Bar, form: _Form) -> bool:
        """Return whether things have room for all their signs."""
        every = (signs for own in bar.things for signs in own)
        return all(sum(cell_len(self._sign(one)) for one in signs) <= form.wide for signs in every)

    def _form(self, bar: Bar, unit: int, tall: int) -> _Form:
        """Return how things are drawn that have `unit` columns, if all on them is to have the same size."""
        every = [signs for own in bar.things for signs in own]
        sizes = max((len(sign.pictures) for signs in every for sign in signs), default=0)
        # a smaller picture looks better than one that touches the upper edge
        tries = [] if self.glyphs.ascii_only else [*product((1, 0), reversed(range(sizes)))]
        for above, size in tries:
            form = _Form(unit - 1, tall, size)
            if all(_fits(signs, form, above) for signs in every):
                wide = max(_wide(row, form) for signs in every for row in _rows(signs, form))
                return form._replace(wide=min(form.wide, max(_UNIT - 1, wide + 2)))
        # no wider than its signs, or about as wide as high: most of it would be blank
        named = max((sum(2 + cell_len(self._sign(one)) for one in signs) for signs in every), default=_UNIT)
        return _Form(min(_UNIT, unit, 1 + max(named, 2 * tall)) - 1, tall)

    def _things(
        self, scoring: ScoringProgress, seat: Seat, form: _Form, figure: Sequence[str], width: int
    ) -> Iterator[Words]:
        """Yield what a seat has of what is counted, and the points for it."""
        bar = scoring.now
        head = self._head(scoring, seat, width, counted=True)
        if count := bar.counts[seat]:
            head = [*head[:-1], (f"{count:>{_COUNT - 1}} ", "ink", None, True)]
        blank, colour = " " * sum(cell_len(words) for words, *_style in head), bar.colour or f"seat-{seat}"
        things = bar.things[seat] if bar.things else ((),) * count
        shown = [self._signs(signs, form, colour) for signs in things]
        middle = (form.tall - 1) // 2
        above = (form.tall - len(figure)) // 2 if len(figure) > 1 else middle
        is_even = form.size is not None and _is_even(bar, form)
        for line in range(form.tall):
            is_last = 0 < line == form.tall - 1
            glyph = self.glyphs["upper" if is_last else "bar" if is_even and not line else "full"]
            drawn: Words = [*head] if line == middle else [(blank, "ink", None, False)]
            for signs in shown:
                drawn += _centred(signs.get(line, []), form.wide, (glyph, colour))
                drawn.append((" ", "ink", None, False))
            if above <= line < above + len(figure):
                drawn.append((figure[line - above], "possible", None, True))
            yield drawn

    def _signs(self, signs: Sequence[Pictogram], form: _Form, colour: str) -> Mapping[int, Words]:
        """Return by line what is on a thing: pictures, or in its middle as many signs as fit."""
        if form.size is not None:
            return dict(_pictured(signs, form, colour))
        named = [self._sign(one) for one in signs]
        gap = " " * (sum(2 + cell_len(name) for name in named) <= form.wide)
        shown: Words = []
        room = form.wide
        for one, name in zip(signs, named, strict=True):
            room -= cell_len(name) + 2 * len(gap)
            if room < 0:
                break
            shown.append((f"{gap}{name}{gap}", one.ink, one.ground, True))
        return {(form.tall - 1) // 2: shown}

    def _sign(self, of: Pictogram) -> str:
        return render(of.letters) if of.letters else self.glyphs[of.name]

    def _total(self, scoring: ScoringProgress, points: int, width: int, thick: int) -> Sequence[str]:
        """Return what follows a total's bar: at the end, if there is room, digits of blocks."""
        is_large = scoring.is_done and thick >= _FIGURED and points >= 0 and not self.glyphs.ascii_only
        return (
            halves(digits(points, scale=2 if thick >= _LARGEST and width >= _WIDE else 1))
            if is_large
            else [str(points)]
        )

    def _gain(self, scoring: ScoringProgress, seat: Seat, *, has_axis: bool) -> str:
        """Return what follows a total: the part of it that is being counted, unless things below tell it."""
        gained, points = scoring.now.points[seat], scoring.totals[seat]
        return f" {gained:+}" if gained not in (0, points) and not (has_axis or scoring.is_done) else ""

    def _axis_room(self, scoring: ScoringProgress, width: int, thick: int, *, has_axis: bool) -> int:
        """Return the columns of the longest bar that a total may have."""
        longest = max(
            len(self._total(scoring, points, width, thick)[0])
            + len(self._gain(scoring, seat, has_axis=has_axis))
            for seat, points in enumerate(scoring.totals)
        )
        head = self._head(scoring, 0, width, counted=has_axis)
        return max(1, _room(head, width) - max(0, longest + 1 - _COUNT))

    def _axis(self, scoring: ScoringProgress, width: int, thick: int) -> Iterator[Words]:
        """Yield the marks of the points that all bars are measured against."""
        most = scoring.most
        room = self._axis_room(scoring, width, thick, has_axis=True)
        start = sum(cell_len(words) for words, *_style in self._head(scoring, 0, width, counted=True))
        step = next((step for step in _TICKS if step * room // most >= _TICK), _TICKS[-1])
        marks = " " * start
        for points in range(0, most + 1, step):
            marks = f"{marks:<{start + points * room // most}}{points}"
        yield [(marks, "ink-dim", None, False)]

    def _head(self, scoring: ScoringProgress, seat: Seat, width: int, *, counted: bool = False) -> Words:
        """Return whose a bar is, by name if there is room; then columns for a count if `counted`."""
        sign: Words = [(f" {self.glyphs.owner(seat)} ", f"seat-{seat}", None, True)]
        count: Words = [(" " * _COUNT, "ink", None, False)] if counted else []
        if width < _NAMES:
            return [*sign, *count]
        column = min(width // 3, 1 + max(map(cell_len, scoring.names)))
        return [*sign, (set_cell_size(f"{scoring.names[seat]} ", column), "ink", None, False), *count]

    def _gauge(
        self,
        head: Words,
        bar: Sequence[tuple[str, str]],
        figure: Sequence[str],
        ink: str,
        thick: int,
        gained: str = "",
    ) -> Iterator[Words]:
        """Yield a bar of `thick` lines, in parts with their inks; head and figures are at half its height."""
        blank, middle = " " * sum(cell_len(part) for part, *_style in head), (thick - 1) // 2
        above, gap = max(0, (thick - len(figure)) // 2 if len(figure) > 1 else middle), " " * any(bar[0])
        for line in range(thick):
            is_last = 0 < line == thick - 1
            # half a line stays blank, so that bars do not touch
            full, upper = self.glyphs["full"], self.glyphs["upper"]
            drawn: Words = [
                (part.replace(full, upper) if is_last else part, colour, None, False) for part, colour in bar
            ]
            if above <= line < above + len(figure):
                drawn.append((f"{gap}{figure[line - above]}", ink, None, True))
            if gained and line == middle:
                drawn.append((gained, "possible", None, True))
            yield [*(head if line == middle else [(blank, "ink", None, False)]), *drawn]

    # -- the table -------------------------------------------------------------------------------------------

    def _table(
        self, scoring: ScoringProgress, width: int, height: int, *, has_total: bool = False
    ) -> list[Words]:
        """Return the counted lines, as many as fit between the sums of the others above and below.

        Together with the points before the scoring they add up to the totals. Below is what is still to come,
        as far as there is room, and the totals if all have room, or in any case if it `has_total`.
        """
        if height < _LEAST:
            return []
        room, columns = self._columns(scoring, width)
        has_total = has_total and height > _FOOT + _SCROLLED
        counted, coming = self._in_lines(scoring, height - 1 - _FOOT * has_total, room)
        shown = [*counted, *coming]
        signs = [self.glyphs.owner(seat) for seat in range(len(scoring.names))]
        lines = [_row((" " * room, "ink", None, False), signs, columns)]
        for number, bar in enumerate(shown):
            is_now = any(bar is each for each in scoring.newest) and not scoring.is_done
            is_lit = number < len(counted)
            label = self._alike(bar, scoring, room)
            lines.append(self._counted(bar, label, room, columns, is_now=is_now, is_lit=is_lit))
        breaks = [at for at, (one, other) in enumerate(pairwise(shown), 2) if _kind(one) != _kind(other)]
        is_close = len(lines) + len(breaks) + _FOOT > height or bool(self.hidden)
        if is_close and not has_total:
            return lines
        for at in () if is_close else reversed(breaks):
            lines.insert(at, [])
        total: Words = [(set_cell_size(" " + render(_TOTAL), room), "gold", None, True)]
        total += [(f"{n:>{columns}}", "gold", None, True) for n in scoring.totals]
        rule = self.glyphs["h"] * (room + columns * len(scoring.names))
        return [*lines, [(rule, "ink-line", None, False)], total]

    def _columns(self, scoring: ScoringProgress, width: int) -> tuple[int, int]:
        """Return the columns of the table's labels, and of everybody's points."""
        every = [*scoring.bars, *map(_uncounted, scoring.bars)]
        # a label on a ground has a blank on either side
        label = max(cell_len(self._label(bar)) + (2 if bar.owner is None else 1) for bar in every)
        seats = len(scoring.names)
        columns = next((each for each in _FIGURES if width - each * seats >= label), min(_FIGURES))
        return max(0, min(label, width - columns * seats)), columns

    def _in_lines(self, scoring: ScoringProgress, room: int, width: int) -> tuple[list[Bar], list[Bar]]:
        """Return the counted lines of the table as scrolled, and the lines to come.

        `room` are the lines for them, `width` the columns of a label.
        """
        done = scoring.bars[: scoring.counted]
        before = [Bar(_BEFORE, scoring.start)] if any(scoring.start) else []
        room -= len(before)
        too_many = max(0, len(done) - room)
        self.hidden = 1 + too_many if too_many and room >= _SCROLLED else 0
        self.back = min(self.back, self.hidden)
        end = len(done) - self.back
        first = max(0, end - max(0, room - 1 - bool(self.back))) if too_many else 0
        above, below = self._sum_of(done[:first], width), self._sum_of(done[end:], width)
        counted = [*before, *above, *done[first:end], *below]
        return counted, _to_come(scoring, room - len(done))

    def _sum_of(self, bars: Sequence[Bar], width: int) -> list[Bar]:
        """Return a line with the sums of `bars`; none if there are none, and a single one unchanged."""
        if len(bars) <= 1:
            return [*bars]
        # Translators: so many lines of a table have no room, but the sums of their points have
        label = text_in("points", "{n} more", n=len(bars))
        if cell_len(render(label)) > width:
            label = text("{n} {sign}", n=len(bars), sign=self.glyphs["ellipsis"])
        return [Bar(label, tuple(map(sum, zip(*(bar.points for bar in bars), strict=True))))]

    def _label(self, bar: Bar) -> str:
        sign = "" if bar.owner is None else f"{self.glyphs.owner(bar.owner)} "
        return f"{sign}{render(bar.label)}"

    def _forms(self, bar: Bar) -> list[str]:
        """Return the labels of a line, the longest first."""
        return [self._label(bar), *map(render, bar.shorter)]

    def _heading(self, bar: Bar, room: int) -> str:
        """Return the longest label of a line that has room."""
        forms = self._forms(bar)
        return next((form for form in forms if cell_len(form) <= room), forms[-1])

    def _alike(self, bar: Bar, scoring: ScoringProgress, room: int) -> str:
        """Return the longest label of a line for which all lines of its kind have room."""
        every = [self._forms(one) for one in scoring.bars if _kind(one) == _kind(bar)]
        forms = [max(map(cell_len, form)) <= room for form in zip(*every, strict=False)]
        own = self._forms(bar)
        return own[min(len(own) - 1, forms.index(True) if True in forms else len(own))]

    def _counted(self, bar: Bar, label: str, room: int, columns: int, *, is_now: bool, is_lit: bool) -> Words:
        """Return a line of the table, label and points; a label gets its colour once counted."""
        margin = " " if cell_len(label) < room else ""
        ink, ground = "ink-dim" if bar.owner is None else f"seat-{bar.owner}", None
        if is_lit and bar.colour is not None and bar.owner is None:
            ink, ground = bar.ink, bar.colour
        elif is_now:
            ink = "gold"
        words = set_cell_size(f"{margin}{label}", room)
        return _row((words, ink, ground, is_now), [str(n or "") for n in bar.points], columns)


def _row(label: tuple[str, str, str | None, bool], cells: Sequence[str], columns: int) -> Words:
    return [label, *((f"{cell:>{columns}}", f"seat-{seat}", None, True) for seat, cell in enumerate(cells))]


def _named_lines(size: int) -> int:
    """Return the lines of things beside which points of a size have room for what they are for."""
    return next((lines + 1 for each, lines in _DIGITS if each == size), 2)


def _figure(bar: Bar, seat: Seat, size: int, *, is_named: bool) -> Sequence[str]:
    """Return the points that a seat gets, one by one what they are made of; in digits of blocks of a size.

    What they are for, if it `is_named`, is under these digits, or else beside each in a line of its own.
    """
    parts = [points[seat] for points in bar.shares or (bar.points,)]
    while parts and not parts[-1]:
        parts.pop()
    names = [render(source) for source in bar.sources] if is_named else [""] * len(parts)
    told = [*zip(parts, names, strict=False)]
    if not size or not parts or min(parts) < 0:
        words = [f"{points:+} {name}".rstrip() for points, name in told]
        return words or [""] if is_named else [" ".join(words)]
    blocks = [[*halves(gain(points, scale=size)), *([name] if is_named else [])] for points, name in told]
    wide = [max(map(cell_len, block)) for block in blocks]
    return ["  ".join(map(set_cell_size, row, wide)) for row in zip(*blocks, strict=True)]


def _is_even(bar: Bar, form: _Form) -> bool:
    """Return whether the first line is half blank like the last, so that pictures are in the middle."""
    highest = max((_high(signs, form) for own in bar.things for signs in own if signs), default=0)
    return 0 < highest < form.tall and (form.tall - highest) % 2 == 0


def _rows(signs: Sequence[Pictogram], form: _Form) -> list[list[Pictogram]]:
    """Return signs in rows, each with as many pictures as fit side by side."""
    rows = list[list[Pictogram]]()
    for sign in signs:
        if rows and _wide([*rows[-1], sign], form) < form.wide:
            rows[-1].append(sign)
        else:
            rows.append([sign])
    return rows


def _picture(sign: Pictogram, form: _Form) -> Sequence[str]:
    return sign.pictures[min(form.size or 0, len(sign.pictures) - 1)]


def _wide(row: Sequence[Pictogram], form: _Form) -> int:
    """Return the columns of pictures in a row, with a blank between them."""
    return sum(1 + len(_picture(sign, form)[0]) for sign in row) - 1


def _high(signs: Sequence[Pictogram], form: _Form) -> int:
    """Return the lines of pictures of all of these signs, with a blank one between the rows of them."""
    return sum(1 + max(len(_picture(sign, form)) for sign in row) for row in _rows(signs, form)) - 1


def _fits(signs: Sequence[Pictogram], form: _Form, above: int) -> bool:
    """Return whether all of these signs have room on a thing, with lines above them and half a one below."""
    if not all(sign.pictures and len(_picture(sign, form)[0]) < form.wide for sign in signs):
        return False
    return _high(signs, form) + above < form.tall


def _pictured(signs: Sequence[Pictogram], form: _Form, colour: str) -> Iterator[tuple[int, Words]]:
    """Yield lines in the middle of a thing, and the pictures on them."""
    line = (form.tall - _high(signs, form)) // 2
    for row in _rows(signs, form):
        lines = max(len(_picture(sign, form)) for sign in row)
        for at in range(lines):
            parts: Words = []
            for sign in row:
                picture = _picture(sign, form)
                inside = at - (lines - len(picture)) // 2  # in the middle beside a higher one
                parts += [(" ", "ink", colour, False)] if parts else []
                if 0 <= inside < len(picture):
                    parts.append((picture[inside], sign.ink, sign.ground, True))
                else:
                    parts.append((" " * len(picture[0]), "ink", colour, False))
            yield line + at, parts
        line += lines + 1


def _centred(parts: Words, width: int, around: tuple[str, str]) -> Words:
    """Return parts of a line in the middle of a width, with a glyph of an ink around them."""
    glyph, ink = around
    free = width - sum(cell_len(words) for words, *_style in parts)
    return [(glyph * (free // 2), ink, None, False), *parts, (glyph * (free - free // 2), ink, None, False)]


def _kind(bar: Bar) -> tuple[bool, bool]:
    """Return the kind of a line: a country's, a seat's, or neither."""
    return bar.colour is None, bar.owner is None


def _room(head: Words, width: int) -> int:
    """Return the columns for a bar after its head and before its figure."""
    return max(1, width - sum(cell_len(words) for words, *_style in head) - 4)


def _to_come(scoring: ScoringProgress, room: int) -> list[Bar]:
    """Return the lines to come, without points, and with a sign for those that do not fit."""
    nothing, more = (0,) * len(scoring.names), text("...")
    together = _told_together(scoring)
    coming = (bar for bar in scoring.bars[scoring.counted :] if not any(bar is each for each in together))
    lines = [replace(_uncounted(bar), points=nothing) for bar in coming]
    if len(lines) > room > 0:
        lines[room - 1 :] = [Bar(more, nothing)]
    return lines[: max(0, room)]


def _told_together(scoring: ScoringProgress) -> Sequence[Bar]:
    """Return the lines to come of which that before them tells, too: what a seat has still to turn over."""
    coming = scoring.bars[scoring.counted :]
    return [
        bar for last, bar in pairwise(coming)
        if bar.uncounted is not None and last.uncounted is not None and bar.owner == last.owner
    ]  # fmt: skip


def _uncounted(bar: Bar) -> Bar:
    """Return a line before it is counted."""
    return bar if bar.uncounted is None else replace(bar, label=bar.uncounted)


def _lines_of_all(scoring: ScoringProgress) -> int:
    """Return the lines of a table that shows every line of a scoring."""
    return 1 + any(scoring.start) + len(scoring.bars)


def _thickness(scoring: ScoringProgress, height: int, *, has_table: bool) -> int:
    """Return the lines of a bar that leave room for all that follows; at the end, for one bar per seat."""
    seats = len(scoring.names)
    if has_table:
        return max(1, min(_THICK, (height - _AROUND - _lines_of_all(scoring) - _FOOT) // seats))
    if scoring.is_done:
        return max(1, min(_THICKEST, (height - _AROUND_TOTALS) // seats))
    # pictures need more room than bars
    parts = 3 if any(bar.things for bar in scoring.bars) else 2
    return max(1, min(_THICK, (height - _AROUND - 1) // (parts * seats)))


def _tall(scoring: ScoringProgress, height: int) -> int:
    """Return the lines of the things that are counted beside the table."""
    running = replace(scoring, is_done=False)
    room = (height - _AROUND) // len(scoring.names) - _thickness(running, height, has_table=False)
    return max(1, min(_TALLEST, height // _SHARE, room))


def _progress(scoring: ScoringProgress) -> tuple[str, str, str | None, bool]:
    """Return how far a scoring is."""
    at = "" if scoring.is_done else f"  {scoring.counted}/{len(scoring.bars)}"
    return at, "ink-dim", None, False


def _most_lines(scoring: ScoringProgress, height: int) -> int:
    """Return the lines of the bars beside the table while something is being counted."""
    running = replace(scoring, is_done=False)
    thick, tall = _thickness(running, height, has_table=False), _tall(scoring, height)
    return _AROUND + len(scoring.names) * (thick + max(thick, tall))


def _padded(words: Words, width: int) -> Words:
    gap = width - sum(cell_len(part) for part, *_style in words)
    return [*words, (" " * max(0, gap), "ink", None, False)]


_GROUND: Final = "ground-deep"


class Stage(Canvas[None]):
    """The overlay, hidden while a step has nothing to show there."""

    DEFAULT_CSS = """
    Stage { layer: stage; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id="stage")
        self._lines: list[Words] = []
        self._shown: tuple[Step | None, Region, Region, Region] = None, Region(), Region(), Region()

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.glyphs)

    @property
    def hidden(self) -> int:
        """The number of lines of the table that are only shown in a sum."""
        return self._ledger.hidden

    def play(self, step: Step | None, board: Region, side: Region, banner: Region | None = None) -> None:
        """Show a step's banner or scoring; the regions are those of the board and the side.

        A `banner` lies over the board unless it has a region of its own.
        """
        if step is not self._shown[0]:
            self._ledger.back = 0
        self._shown = step, board, side, banner or board
        self._lay_out(*self._shown)

    def scroll(self, lines: int) -> bool:
        """Scroll the table by `lines` lines; return False if there are none to scroll."""
        if not self._ledger.scroll(lines):
            return False
        self._lay_out(*self._shown)
        return True

    def on_mouse_scroll_down(self) -> None:
        """Scroll the table down."""
        self.scroll(1)

    def on_mouse_scroll_up(self) -> None:
        """Scroll the table up."""
        self.scroll(-1)

    def _lay_out(self, step: Step | None, board: Region, side: Region, banner: Region) -> None:
        shown = step and (step.banner or step.scoring)
        self._ledger.glyphs, self._ledger.hidden = self.glyphs, 0
        if not shown:
            self.display = False
            return
        has_margin = True
        if isinstance(shown, Banner):
            self._lines = banner_lines(shown, banner.size, ascii_only=self.glyphs.ascii_only)
            width = 4 + max(cell_len(words) for line in self._lines for words, *_rest in line)
            self._place(_middle(banner, width, len(self._lines) + 2))
            has_margin = banner.height > len(self._lines)
        elif shown.over_board:
            whole = board.union(side)
            self._lines = self._ledger.lines(shown, whole.width - 4, whole.height - 1)
            self._place(whole)
        else:
            self._lines = self._ledger.lines(shown, side.width - 3, side.height - 1)
            self._place(side)
        self._lines[:0] = [[]] * has_margin
        self.refresh()

    def _place(self, region: Region) -> None:
        self.styles.offset = region.offset
        self.styles.width, self.styles.height = region.width, region.height
        self.display = True

    def make_painter(self) -> None:
        """Make nothing: lines are laid out again for every step and size."""

    def render_line(self, y: int) -> Strip:
        """Draw a line with a margin around it."""
        ground = self.ink("ink", on=_GROUND)
        parts = [Segment("  ", ground)]
        for words, colour, on, bold in self._lines[y] if y < len(self._lines) else ():
            parts.append(Segment(words, self.ink(colour, on=on or _GROUND, bold=bold)))
        return Strip(parts).adjust_cell_length(self.size.width, ground)


def banner_lines(banner: Banner, room: Size, *, ascii_only: bool) -> list[Words]:
    """Return large letters, as large as there is room for with a margin; narrow ones for a long word."""
    letters = banner.letters if isinstance(banner.letters, str) else render(banner.letters)
    pixels = large(letters, room.width - 4, 2 * (room.height - 2))
    lines = halves(pixels, ascii_only=ascii_only)
    if len(lines[0]) > room.width - 2:
        lines = [letters] if ascii_only else quadrants(pixels)
    if isinstance(banner.letters, Text):  # a word has all the width, or would cut names beside it in two
        lines = [line.center(room.width - 4) for line in lines]
    return [[(line, banner.colour, None, True)] for line in lines]


def _middle(of: Region, width: int, height: int) -> Region:
    """Return a region of a given size in the middle of another."""
    width, height = min(width, of.width), min(height, of.height)
    return Region(of.x + (of.width - width) // 2, of.y + (of.height - height) // 2, width, height)
