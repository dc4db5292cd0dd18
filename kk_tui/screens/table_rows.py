"""How a table is written in the lobby: one row in columns, and the details of the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from kk_core.text import text_in
from kk_core.views import SeatView, TableLine, bare_name
from kk_tui.i18n import _, render, spelled
from kk_tui.screens.base import KkScreen
from kk_tui.screens.history import short_name
from kk_tui.table.ranks import OPEN, YOUR_TURN, YOURS, free_seats, progress_of, rank, way_of
from kk_tui.table_words import after_name, format_rule, kind_marks, opener_words
from kk_tui.theme.glyphs import SEATS, letter
from kk_tui.widgets.points import SCORED
from kk_tui.widgets.runs import Row, Run, columns_of, cut_runs, filled, packed_runs

_WAY: Final = 13
"""Columns for what the user can do at a table."""

_PROGRESS: Final = 10
"""Columns for the round or the free seats."""

_TITLE: Final = 18
"""Columns for a title where it has a column, at least."""

_LONGEST: Final = 42
"""Columns for the longest title that there may be."""

_TITLED: Final = 140
"""Columns of a row from which titles have a column, though most tables have none; each one more is theirs."""

_TOLD: Final = 110
"""Columns of a row from which everybody's points stand after their names."""

_SEAT: Final = 25
"""Columns of a row for a person and their points: on the widest screens each has a column."""

_GAP: Final = 2
"""Columns between two columns, at least."""

DETAILS: Final = 2
"""Rows for the details of a table."""


class _Columns(NamedTuple):
    """The columns of a row: of the game, the title and the people; 0 for those without one."""

    game: int
    title: int
    people: int
    seat: int
    """Columns for each person; 0 if their names stand close."""


def _columns(screen: KkScreen, width: int) -> _Columns:
    game = max(cell_len(short_name(screen.game_name(game))) for game in screen.kk.games) + _GAP
    room = width - _WAY - _PROGRESS - game
    if width < _TITLED:
        return _Columns(game, 0, room, 0)
    seats = max(game.meta.max_seats for game in screen.kk.games.values()) * _SEAT
    if room >= _TITLE + seats:
        title = min(_LONGEST, room - seats)
        return _Columns(game, title, room - title, _SEAT)
    title = min(_LONGEST, _TITLE + width - _TITLED)
    return _Columns(game, title, room - title, 0)


def heads(screen: KkScreen, width: int) -> str:
    """Return the names of the columns."""
    columns = _columns(screen, width)
    parts = (
        (render(text_in("heading", "state")), _WAY + _PROGRESS),
        (_("game"), columns.game),
        (render(text_in("heading", "title")), columns.title),
        (render(text_in("heading", "players")), columns.people),
    )
    return "".join(set_cell_size(words, width) for words, width in parts).rstrip()


def written(screen: KkScreen, table: TableLine, width: int) -> Row:
    """Return a table in one row of so many columns: what to do there, game, title, and people with points."""
    columns, user, sign = _columns(screen, width), screen.kk.user, screen.kk.glyphs["ellipsis"]
    place = rank(table, user)
    ink = "possible" if place == YOUR_TURN else "gold" if _is_for(table, place) else "ink-dim"
    row: list[Run] = [
        (set_cell_size(way_of(table, user), _WAY), ink, place == YOUR_TURN),
        (set_cell_size(progress_of(table), _PROGRESS), "ink-dim", False),
        (set_cell_size(short_name(screen.game_name(table.game)), columns.game), "ink", False),
    ]
    if columns.title:
        title = cut_runs([(_title(screen, table), "ink", False)], columns.title - _GAP, sign)
        row += filled(title, columns.title)
    if columns.seat:
        people = [run for part in _in_columns(screen, table) for run in part]
        return [*row, *_with_rules(people, table, columns.people)]
    names = _names(screen, table, is_titled=not columns.title, with_points=width >= _TOLD)
    return [*row, *_with_rules(cut_runs(names, columns.people, sign), table, columns.people)]


def _is_for(table: TableLine, place: int) -> bool:
    """Return whether a user has, or can have, a seat at a table."""
    return place == YOURS or (place == OPEN and bool(free_seats(table)))


def details(screen: KkScreen, table: TableLine, width: int) -> Sequence[Row]:
    """Return everything else about a table in a few rows, the less important left out if need be."""
    forms = ([*_people(screen, table, is_short=is_short), *_rules(table)] for is_short in (False, True))
    packed = [packed_runs(form, width) for each in forms for form in (each, _closer(each))]
    return next((rows for rows in packed if len(rows) <= DETAILS), packed[-1])[:DETAILS]


def _title(screen: KkScreen, table: TableLine) -> str:
    return spelled(table.title) if table.title and table.title != screen.game_name(table.game) else ""


def _names(screen: KkScreen, table: TableLine, *, is_titled: bool, with_points: bool) -> Sequence[Run]:
    """Return the names of those at a table, after its title if it is not called after one of them."""
    runs = list[Run]()
    title = _title(screen, table)
    if is_titled and title and bare_name(title) not in {bare_name(seat.name) for seat in table.seats}:
        runs.append((f"{title}: ", "ink", False))
    for seat, holder in enumerate(table.seats):
        if not holder.name:
            continue
        if runs and not runs[-1][0].endswith(": "):
            runs.append((", ", "ink-dim", False))
        is_active = seat in table.active
        runs.append((spelled(holder.name), _ink_of(holder, is_active=is_active), is_active))
        if marks := kind_marks(holder):
            runs.append((marks[min(1, len(marks) - 1)], "ink-dim", False))
        if with_points:
            points, look = _points_of(screen, table, seat)
            runs.append((points, _points_ink(look), False))
    return runs


def _ink_of(holder: SeatView, *, is_active: bool) -> str:
    is_away = holder.owner is not None and not holder.online
    return "ink" if is_active or not (holder.bot or is_away) else "ink-dim"


def _points_of(screen: KkScreen, table: TableLine, seat: int) -> tuple[str, str]:
    return ("", "") if table.lesson else screen.points_of(table, seat, is_wide=False)


def _points_ink(look: str) -> str:
    return "gold" if look == SCORED else "ink"


def _in_columns(screen: KkScreen, table: TableLine) -> Iterator[Sequence[Run]]:
    """Yield people in a column each."""
    for part in _closer([*_people(screen, table, is_short=True)]):
        yield filled(cut_runs(part, _SEAT - 1, screen.kk.glyphs["ellipsis"]), _SEAT)


def _with_rules(people: Sequence[Run], table: TableLine, width: int) -> Sequence[Run]:
    """Return people, and at the end of so many columns the rules of their table if they fit."""
    runs = [*people]
    while runs and not runs[-1][0].strip():
        runs.pop()
    rules = ", ".join(_rule_words(table))
    free = width - columns_of(runs) - cell_len(rules)
    return [*runs, (" " * free + rules, "ink-dim", False)] if rules and free >= _GAP else runs


def _people(screen: KkScreen, table: TableLine, *, is_short: bool = False) -> Iterator[Sequence[Run]]:
    """Yield the seats with sign, name, points, and who plays there; `is_short` leaves out who is away."""
    for seat, holder in enumerate(table.seats):
        points, look = _points_of(screen, table, seat)
        is_active, colour = seat in table.active, holder.colour % SEATS
        marks = kind_marks(holder)[1:2] if is_short else (after_name(holder),)
        yield [
            (f"{letter(seat)}{screen.kk.glyphs[f'owner-{colour}']}", f"seat-{colour}", True),
            (" ", "ink", False),
            (spelled(holder.name or _("free")), "ink" if is_active else "ink-dim", is_active),
            ("".join(marks), "ink-dim", False),
            (points, _points_ink(look), False),
            ("   ", "ink", False),
        ]


def _rule_words(table: TableLine) -> Iterator[str]:
    """Yield who opened a table, and its special rules."""
    opener = spelled(opener_words(table))
    special = (
        (bool(opener), opener),
        (table.rated, _("rated")),
        (table.private and not table.lesson, _("by invitation")),
        (table.clock is not None, "" if table.clock is None else format_rule(table.clock)),
    )
    for is_so, words in special:
        if is_so:
            yield words


def _rules(table: TableLine) -> Iterator[Sequence[Run]]:
    """Yield the special rules of a table, and why it cannot be played."""
    for words in _rule_words(table):
        yield [(f"{words}   ", "ink-dim", False)]
    if table.unplayable is not None:
        # word by word, so that a long reason wraps
        for word in render(table.unplayable).split():
            yield [(f"{word} ", "ink", False)]


def _closer(parts: Sequence[Sequence[Run]]) -> Sequence[Sequence[Run]]:
    """Return parts with a column less between any two; words of a sentence keep their only one."""
    return [
        [*runs, (words[:-1] if words.endswith("  ") else words, ink, bold)]
        for *runs, (words, ink, bold) in parts
    ]
