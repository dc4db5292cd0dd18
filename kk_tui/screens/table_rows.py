"""How a table is written in the lobby: in two rows, or in one with columns if the screen is wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.geometry import Size

from kk_core.protocol.messages import MOST_LINES
from kk_core.text import text_in
from kk_core.views import TableLine
from kk_tui.i18n import _, render, spelled
from kk_tui.screens.base import KkScreen
from kk_tui.screens.history import short_name
from kk_tui.table.ranks import YOUR_TURN, rank, state_of
from kk_tui.table_words import after_name, format_rule, opener_words
from kk_tui.theme.glyphs import SEATS, letter
from kk_tui.widgets.points import SCORED
from kk_tui.widgets.table_list import Rows, Run, packed_runs

_WIDE: Final = 160
"""Screen columns from which a table has one row."""

_STATE: Final = 23
"""Columns for the state of a table."""

_INDENT: Final = 2
"""Columns before people who have no room on a line below the game of their table."""

_TITLE: Final = 20
"""Columns for a title beside the people; a longer one may take more if a row is saved by that."""

_SEAT: Final = 27
"""Columns for a person."""

_GAP: Final = 2
"""Columns between two columns, at least."""


def usual_rows(screen: Size) -> int:
    """Return how many rows most tables have on a screen of this size."""
    # if more tables were in sight than can be requested at once, some would stay unknown
    return 1 if screen.width >= _WIDE and screen.height <= MOST_LINES else 2


def written(screen: KkScreen, table: TableLine, width: int) -> Rows:
    """Return everything about a table in so many columns."""
    make = _in_one_row if usual_rows(screen.app.size) == 1 else _in_two_rows
    return make(screen, table, width)


def heads(screen: KkScreen) -> str:
    """Return the names of the columns, for tables in one row."""
    state, game, title, players = (
        set_cell_size(words, width)
        for words, width in (
            (render(text_in("heading", "state")), _STATE),
            (_("game"), _game_columns(screen)),
            (render(text_in("heading", "title")), _TITLE),
            (render(text_in("heading", "players")), _SEAT),
        )
    )
    return f"{state}{game}{title}{players}".rstrip()


def _in_two_rows(screen: KkScreen, table: TableLine, width: int) -> Rows:
    """Return state, game and title in columns, with the people and their points below."""
    game, title = screen.game_name(table.game), _title(screen, table)
    head: list[Run] = [_state(screen, table), (game, "ink", True)]
    rows = [head]
    if title:
        names = map(screen.game_name, {*screen.kk.games, table.game})
        gap = max(map(cell_len, names)) + _GAP - cell_len(game)
        if cell_len(game) + gap + cell_len(title) <= width - _STATE:
            head.append((f"{' ' * gap}{title}", "ink", False))
        else:
            rows.append([(f"{' ' * _STATE}{title}", "ink", False)])
    parts = [*_people(screen, table), *_rules(table)]
    forms = (parts, _STATE), (_closer(parts), _STATE), (_closer(parts), _INDENT)
    # the first of those with the fewest rows
    return [*rows, *min((packed_runs(form, width, indent) for form, indent in forms), key=len)]


def _in_one_row(screen: KkScreen, table: TableLine, width: int) -> Rows:
    """Return state, game, title and people in columns, with the rules at the end of the row."""
    title, games = _title(screen, table), _game_columns(screen)
    game = short_name(screen.game_name(table.game))
    head: list[Run] = [
        _state(screen, table),
        (f"{game}{' ' * max(_GAP, games - cell_len(game))}", "ink", True),
    ]
    begin = _STATE + games
    people, rules = _closer([*_people(screen, table)]), _closer([*_rules(table)])

    def beside(title: str) -> Rows:
        columns = max(_TITLE, cell_len(title) + _GAP)
        at = begin + columns
        forms = (
            [*parts, *_at_end(rules, width - at - _width(parts))]
            for parts in (_aligned(people, columns - _TITLE), people)
        )
        # the first of those with the fewest rows
        first, *others = min((packed_runs(form, width, at) for form in forms), key=len)
        return [[*head, (set_cell_size(title, columns), "ink", False), *first[1:]], *others]

    if cell_len(title) + _GAP <= _TITLE:
        return beside(title)
    first, *others = beside("")
    below = [first, [(" " * begin + title, "ink", False)], *others]
    return min(below, beside(title), key=len)


def _aligned(people: Sequence[list[Run]], at: int) -> Sequence[list[Run]]:
    """Return people each in a column of their own, or as near to it as the words before allow.

    The first one is `at` columns further to the right.
    """
    aligned = list[list[Run]]()
    for number, (*runs, (last, ink, bold)) in enumerate(people, 1):
        at += _width([[*runs, (last, ink, bold)]])
        gap = max(0, number * _SEAT - at)
        aligned.append([*runs, (last + " " * gap, ink, bold)])
        at += gap
    return aligned


def _at_end(rules: Sequence[list[Run]], room: int) -> Sequence[list[Run]]:
    """Return rules at the end of so many columns, if they fit there."""
    if not rules:
        return rules
    last = rules[-1][-1][0]
    free = room - _width(rules) + cell_len(last) - cell_len(last.rstrip())
    return [[(" " * max(0, free), "ink", False)], *rules]


def _width(parts: Sequence[Sequence[Run]]) -> int:
    return sum(cell_len(words) for runs in parts for words, _ink, _bold in runs)


def _game_columns(screen: KkScreen) -> int:
    """Return the columns for the short name of a game."""
    return max(cell_len(short_name(screen.game_name(game))) for game in screen.kk.games) + _GAP


def _title(screen: KkScreen, table: TableLine) -> str:
    return spelled(table.title) if table.title and table.title != screen.game_name(table.game) else ""


def _state(screen: KkScreen, table: TableLine) -> Run:
    is_called = rank(table, screen.kk.user) == YOUR_TURN
    state = set_cell_size(state_of(table, screen.kk.user), _STATE - 1)
    return f"{state} ", "possible" if is_called else "gold", is_called


def _people(screen: KkScreen, table: TableLine) -> Iterator[list[Run]]:
    """Yield the seats with sign, name and points."""
    for seat, holder in enumerate(table.seats):
        points, look = ("", "") if table.lesson else screen.points_of(table, seat, is_wide=False)
        is_active, colour = seat in table.active, holder.colour % SEATS
        yield [
            (f"{letter(seat)}{screen.kk.glyphs[f'owner-{colour}']}", f"seat-{colour}", True),
            (" ", "ink", False),
            (spelled(holder.name or _("free")), "ink" if is_active else "ink-dim", is_active),
            (after_name(holder), "ink-dim", False),
            (points, "gold" if look == SCORED else "ink", False),
            ("   ", "ink", False),
        ]


def _rules(table: TableLine) -> Iterator[list[Run]]:
    """Yield who opened a table, its special rules, and why it cannot be played."""
    opener = spelled(opener_words(table))
    special = (
        (bool(opener), opener),
        (table.rated, _("rated")),
        (table.private and not table.lesson, _("by invitation")),
        (table.clock is not None, "" if table.clock is None else format_rule(table.clock)),
    )
    for is_so, words in special:
        if is_so:
            yield [(f"{words}   ", "ink-dim", False)]
    if table.unplayable is not None:
        # word by word, so that a long reason wraps
        for word in render(table.unplayable).split():
            yield [(f"{word} ", "ink", False)]


def _closer(parts: Sequence[list[Run]]) -> Sequence[list[Run]]:
    """Return parts with a column less between any two; words of a sentence keep their only one."""
    return [
        [*runs, (words[:-1] if words.endswith("  ") else words, ink, bold)]
        for *runs, (words, ink, bold) in parts
    ]
