"""The race panel: everybody's count in each contest, as a bar or table, and points as things stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, TypeAlias

from rich.cells import cell_len
from textual.content import Content

from kk_core.text import Text, text
from kk_core.types import Seat, Sheet, Viewer
from kk_tui.games import Race
from kk_tui.i18n import render
from kk_tui.scene import Scene, gains
from kk_tui.theme.glyphs import Glyphs, figures
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.points import CHANGED, changed, in_table

FIGURE: Final = 4
"""Columns for one seat's points."""

_LABEL: Final = 13
"""Maximum columns of a label."""

_PADDING: Final = 3
"""Columns around a label, and one left free."""

_LEAST_BAR: Final = 8
"""Minimum columns of a bar."""

_COUNTED: Final = 2
"""Minimum columns of a seat's count and shape."""

_HUNDRED: Final = 100
"""From this on, a figure has three digits."""

_CODE: Final = 3
"""Minimum columns of a label in a table."""

_CELLS: Final = (9, 7, 5, 4)
"""Columns of a seat in a table: widely spaced, close, and without points, with two blanks or one."""

_POINTED: Final = 7
"""Columns of a seat in a table from which points stand beside the counts."""

_WIDEST: Final = 12
"""Maximum columns of a seat in a table."""

_BAR_STEP: Final = 8
"""Columns by which the space for bars grows, so that the points beside them do not move with every piece."""


def race_lines(
    scene: Scene[Any], races: Sequence[Race], glyphs: Glyphs, width: int, preview: Sheet | None = None
) -> Iterator[Content]:
    """Yield a heading with the seats' signs, then a line per contest: points, and a bar if there is room.

    Contests with a second figure that counts are a table: everybody's count, that figure, and points if
    there is room.
    """
    seats = len(scene.names)
    if is_table(races, seats, width):
        yield from _table(scene, races, glyphs, width, preview)
        return
    longest, columns = _longest_label(races), _figure_columns(races, seats, width)
    label, points = min(_LABEL, longest), columns * seats
    has_bars = width - label - points > _LEAST_BAR
    code = 0 if has_bars else _code_beside_counts(races, seats, width - points)
    if code:
        label, has_bars = code, True
    elif has_bars:
        spaced = max((len("".join(_numbers(race, glyphs)).rstrip()) for race in races), default=0)
        if width - label - points < spaced:
            label = min(label, longest - _PADDING + 1)  # so that counts need not lose their spaces
        most = max((sum(race.counts) for race in races), default=0)
        width = min(width, label + points + _BAR_STEP * (2 + most // _BAR_STEP))
    else:
        label = width - points
    heads = [
        explained(
            (f"{glyphs.owner(seat):>{columns}}", f"bold $seat-{seat}"), partial(_column_words, scene, seat)
        )
        for seat in range(seats)
    ]
    yield Content.assemble(" " * (width - points), *heads)
    # beside figures of two digits there is a gap anyway
    gap = int(has_bars or any(figure >= _HUNDRED for race in races for figure in race.points))
    for race, name in zip(races, _labels(races, glyphs, label, gap=gap), strict=True):
        if code and race.colour is None:  # needs no more room than its own label
            (name,) = _labels([race], glyphs, 1 + cell_len(_name(race, _CODES)), gap=gap)
        room = width - name.cell_length - points
        told = _figures(scene, race, columns, preview, has_bar=has_bars)
        free = int(not told.plain.startswith(" "))  # a space between the bar and the points
        bar = _bar(race, glyphs, room - free) if has_bars else Content()
        line = Content.assemble(name, _fitted(bar, glyphs, room, free) if room else bar, told)
        yield explained(line, partial(_contest_words, scene, race), "scoring")


def is_table(races: Sequence[Race], seats: int, width: int) -> bool:
    """Return whether contests are a table: they have a second figure that counts, and it has room."""
    return any(race.best for race in races) and (width - _CODE) // seats >= _CELLS[-1]


def has_points(seats: int, width: int) -> bool:
    """Return whether points stand beside the counts in a table of contests."""
    return _cell_columns(seats, width) >= _POINTED


def _cell_columns(seats: int, width: int) -> int:
    return next(cell for cell in _CELLS if cell * seats <= width - _CODE)


def _longest_label(races: Sequence[Race]) -> int:
    return max((cell_len(render(race.label)) + _PADDING for race in races), default=0)


def _figure_columns(races: Sequence[Race], seats: int, width: int) -> int:
    """Return the columns of a seat's points: one fewer still fits two figures and a space, and leaves more
    room for bars.
    """
    label = min(_LABEL, _longest_label(races))
    return FIGURE if width - label - FIGURE * seats > _LEAST_BAR else FIGURE - 1


def _code_beside_counts(races: Sequence[Race], seats: int, width: int) -> int:
    """Return the columns of the shortest labels on a ground if counts have room beside these; otherwise 0."""
    coded = (cell_len(_name(race, _CODES)) for race in races if race.colour and any(race.counts))
    label = 1 + max(coded, default=width)
    return label if width - label >= _COUNTED * seats else 0


def count_lines(scene: Scene[Any], races: Sequence[Race], glyphs: Glyphs, width: int) -> Sequence[Content]:
    """Return a line for each contest with everybody's count, empty for one in which nobody has anything.

    There are none where the lines of the contests show that themselves.
    """
    seats = len(scene.names)
    label = min(_LABEL, _longest_label(races))
    room = width - seats * _figure_columns(races, seats, width)
    has_bars = room - label > _LEAST_BAR or _code_beside_counts(races, seats, room) > 0
    if has_bars or any(race.best for race in races):
        return ()
    return [
        explained(_bar(race, glyphs, width - 1).pad_left(1), partial(_contest_words, scene, race), "scoring")
        if any(race.counts) else Content()
        for race in races
    ]  # fmt: skip


def _column_words(scene: Scene[Any], seat: Seat) -> Text:
    return text("{name}'s points in each contest, as things stand.", name=scene.name(seat))


def _contest_words(scene: Scene[Any], race: Race) -> Text:
    """Return who has what in a contest, and the points for it as things stand."""
    said: dict[str, str | Text] = {
        "label": race.label,
        "counts": figures(race.counts),
        "points": figures(race.points),
    }
    if not any(race.points):
        return text("{label}: no points for anybody as things stand.", label=race.label)
    if not any(race.counts):
        return text("{label}: points as things stand: {points}.", **said)
    if scene.is_over:
        return text("{label}: {counts} there; points scored: {points}.", **said)
    return text("{label}: {counts} there; points as things stand: {points}.", **said)


def _table(
    scene: Scene[Any], races: Sequence[Race], glyphs: Glyphs, width: int, preview: Sheet | None
) -> Iterator[Content]:
    """Yield the seats' signs above their figures, then a line per contest; the largest counts are bold."""
    seats = range(len(scene.names))
    cell = _cell_columns(len(seats), width)
    longest = max(cell_len(render(race.label)) + _PADDING for race in races)
    if cell == _CELLS[0]:
        cell = max(cell, min(_WIDEST, (width - longest) // len(seats)))
    label = max(_CODE, min(width - cell * len(seats), longest))
    heads = (
        explained(
            (f"{glyphs.owner(seat):>{cell}}", f"bold $seat-{seat}"), partial(_column_words, scene, seat)
        )
        for seat in seats
    )
    stands = not scene.is_over
    yield Content.assemble(" " * label, *heads)
    for race, name in zip(races, _labels(races, glyphs, label), strict=True):
        added = _gains(scene, race, preview)
        cells = [[*_cell(race, seat, cell, added[seat], glyphs, stands=stands)] for seat in seats]
        if cell < _POINTED:
            cells = _with_counts(cells, race, added, scene.viewer, glyphs)
        line = Content.assemble(name, *chain.from_iterable(cells))
        yield explained(line, partial(_contest_words, scene, race), "scoring")


Cell: TypeAlias = list[tuple[str, str]]
"""A seat's part of a line in a table: words and their styles."""


def _with_counts(
    cells: list[Cell], race: Race, added: Sequence[int], viewer: Viewer, glyphs: Glyphs
) -> list[Cell]:
    """Return narrow cells that show what a seat has before what the move would change of it.

    Where not all have room for that, only the viewer's does, or none.
    """
    width = sum(cell_len(words) for words, _style in cells[0])
    whole = list(cells)
    for seat, gain in enumerate(added):
        if gain and race.counts[seat]:
            held = _stripped([*_cell(race, seat, width, 0, glyphs, stands=True)])
            apart = " " * (not race.best or race.best[seat] is None)
            whole[seat] = [*held, (f"{apart}{gain:+}", CHANGED)]
    own = [whole[seat] if seat == viewer else cell for seat, cell in enumerate(cells)]
    return next(filter(None, (_spread(form, width) for form in (whole, own) if form != cells)), cells)


def _stripped(cell: Cell) -> Cell:
    """Return a cell without the blanks around its words."""
    parts = [(words, style) for words, style in cell if words.strip()]
    first, last = parts[:1], parts[1:]
    return [*((words.lstrip(), style) for words, style in first), *last]


def _spread(cells: Sequence[Cell], width: int) -> list[Cell] | None:
    """Return cells with a blank between any two, each as far right in its columns as it goes.

    Those that fill their columns take one of the next cell. None if there is no room.
    """
    found, limit = list[Cell](), len(cells) * width
    for place in reversed(range(len(cells))):
        parts = _stripped(cells[place])
        long = sum(cell_len(words) for words, _style in parts)
        end = min(limit, (place + 1) * width + (long >= width))
        if end < long:
            return None
        found.append([*parts, (" " * (limit - end), "")])
        limit = end - long
        if long and place:
            limit -= 1
            found.append([(" ", "")])
    return [[(" " * limit, "")], *reversed(found)]


def _cell(
    race: Race, seat: Seat, width: int, gain: int, glyphs: Glyphs, *, stands: bool
) -> Iterator[tuple[str, str]]:
    """Yield a seat's count, its second figure, and its points if there is room.

    Where there is none, what the previewed move would change stands alone.
    """
    count, points = race.counts[seat], race.points[seat]
    best = race.best[seat] if race.best else None
    style = CHANGED if gain else in_table(f"$seat-{seat}", stands=stands)
    shown = f"{points}" if points else ""
    if gain:
        shown = f"{gain:+}"
    marked, _style = changed(gain, glyphs) if gain else (shown, style)
    if width < _POINTED and gain:
        yield f"{marked:>{width}}", style
        return
    figure = 0 if width < _POINTED else 3  # columns of the points, with a blank before them
    if width >= _CELLS[0]:
        figure = max(figure, 1 + len(marked))
    leads = "bold " if count == max(race.counts) else ""
    apart = " " * (width >= _CELLS[0])
    yield f"{count or '':>{width - len(apart) - 2 - figure}}{apart}", f"{leads}$seat-{seat}"
    if best is not None:
        yield f"{glyphs[best.sign]}{best.count}", best.style
    else:
        yield "  ", style
    if figure:
        # a sign that would touch what is before it is left out: the colour says the same
        yield f"{marked if len(marked) < figure or best is None else shown:>{figure}}", style


def _labels(races: Sequence[Race], glyphs: Glyphs, width: int, *, gap: int = 1) -> Iterator[Content]:
    """Yield the names, all in the same width, of which the last columns are a gap."""
    room = width - gap
    form, lead = _form([race for race in races if race.colour is not None], room)
    signed = any(cell_len(render(race.label)) > width for race in races if race.sign)
    for race in races:
        by_length = _CODES if cell_len(render(race.label)) > width else _LABELS
        words = _name(race, form if race.colour is not None else by_length)
        if race.sign and signed:
            words = glyphs[race.sign]
        words = f"{lead}{words}" if cell_len(lead + words) <= room else words
        shown = Content(words).truncate(max(room, cell_len(words)), pad=True)
        style = "$ink" if race.colour is None else f"$country-ink on ${race.colour}"
        yield shown.stylize(style).truncate(width, ellipsis=not glyphs.ascii_only, pad=True)


_LABELS, _SHORT, _CODES = range(3)
"""Forms of names, from the longest on."""


def _form(races: Sequence[Race], room: int) -> tuple[int, str]:
    """Return the form of the names on colours, and what stands before them.

    Names that have a short form are not to touch the end of their colour; others become codes if one is too
    long. Both begin with a space if all have room for it.
    """
    has_short = any(race.short is not None for race in races)
    forms = [(_LABELS, " ", 1), (_SHORT, " ", 1)] if has_short else []
    forms += [(form, lead, 0) for form in (_LABELS, _CODES) for lead in (" ", "")]
    fitting = (
        (form, lead) for form, lead, behind in forms if _longest(races, form) + len(lead) + behind <= room
    )
    return next(fitting, (_CODES, ""))


def _longest(races: Iterable[Race], form: int) -> int:
    return max((cell_len(_name(race, form)) for race in races), default=0)


def _name(race: Race, form: int) -> str:
    name = (race.label, race.short, race.code)[form]
    return render(race.label if name is None else name)


def _there(race: Race) -> list[Seat]:
    """Return the seats that have something, those with most first."""
    order = sorted(range(len(race.counts)), key=lambda seat: (-race.counts[seat], seat))
    return [seat for seat in order if race.counts[seat]]


def _numbers(race: Race, glyphs: Glyphs) -> list[str]:
    """Return everybody's count with their shape and a space."""
    return [f"{race.counts[seat]}{glyphs[f'owner-{seat}']} " for seat in _there(race)]


def _bar(race: Race, glyphs: Glyphs, width: int) -> Content:
    """Return everybody's shapes in the first form that fits, or else the shortest.

    The forms: all shapes; counts with shapes; the same without a count of 1; the same without spaces.
    """
    there = _there(race)
    signs = [glyphs[f"owner-{seat}"] for seat in there]
    counts = [race.counts[seat] for seat in there]
    counted = [f"{count if count > 1 else ''}{sign}" for sign, count in zip(signs, counts, strict=True)]
    forms = (
        [sign * count for sign, count in zip(signs, counts, strict=True)],
        _numbers(race, glyphs),
        [f"{words} " for words in counted],
        counted,
    )
    words = next((form for form in forms if len("".join(form).rstrip()) <= width), forms[-1])
    return Content.assemble(
        *((part, f"$seat-{seat}") for part, seat in zip(words, there, strict=True))
    ).rstrip()


def _fitted(line: Content, glyphs: Glyphs, width: int, free: int) -> Content:
    """Cut or pad a line to a width, with some of the last columns left free."""
    cut = line.truncate(width - free, ellipsis=not glyphs.ascii_only)
    return Content.assemble(cut, " " * (width - cut.cell_length))


def _figures(scene: Scene[Any], race: Race, columns: int, preview: Sheet | None, *, has_bar: bool) -> Content:
    """Return everybody's points, with those that the previewed move would change emphasised.

    Where a table of the counts has no room, the points of whoever has most there are lit instead.
    """
    most = max(race.counts)
    inks = [
        f"bold $seat-{seat}" if race.best and count == most else "$ink-dim" if race.best else f"$seat-{seat}"
        for seat, count in enumerate(race.counts)
    ]
    added, stands = _gains(scene, race, preview), not scene.is_over
    sums = [points + gain for points, gain in zip(race.points, added, strict=True)]
    # a bar already shows whether a seat has something there, so beside one a 0 adds nothing
    is_in = [bool(figure or (count and not has_bar)) for figure, count in zip(sums, race.counts, strict=True)]
    return Content.assemble(
        *(
            (
                f"{figure if shown else '':>{columns}}",
                CHANGED if gain else in_table(ink, stands=stands),
            )
            for figure, gain, shown, ink in zip(sums, added, is_in, inks, strict=True)
        )
    )


def _gains(scene: Scene[Any], race: Race, preview: Sheet | None) -> tuple[int, ...]:
    """Return the change of each seat's points by the previewed move."""
    if preview is None or not race.line:
        return (0,) * len(race.points)
    return gains(scene.standing, preview, race.line)
