"""The scoring chart at the end, in the form of the printed one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.containers import ScrollableContainer
from textual.content import Content
from textual.widgets import Static

from kk_core.games.land_cards.model import COUNTRIES, SHEET, Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES
from kk_tui.games.land_cards.theme import country_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

Widths: TypeAlias = tuple[int, int]
"""Columns of the screen for a seat's two figures: land and symbols."""

_ROOMY: Final[Widths] = (6, 9)
_NARROW: Final[Widths] = (6, 6)
_SEATS_WITH_ROOM: Final = 4


class ScoreChart(ScrollableContainer, can_focus=True):
    """Countries down, two columns for every seat across; scrolls where the terminal is too small."""

    DEFAULT_CSS = """
    ScoreChart { width: auto; height: auto; max-width: 100%; max-height: 100%; }
    ScoreChart > Static { width: auto; height: auto; }
    """

    def __init__(self, scene: Scene[Observation], glyphs: Glyphs) -> None:
        super().__init__()
        self._chart = chart(scene, glyphs)

    def compose(self) -> ComposeResult:
        """The chart never changes: one text."""
        yield Static(self._chart)


def chart(scene: Scene[Observation], glyphs: Glyphs) -> Content:
    """The chart as text: few enough lines to show the total at 80x24 without scrolling."""
    sheet = dict(zip(SHEET, scene.observation.sheet, strict=True))
    seats = len(scene.names)
    widths = _ROOMY if seats <= _SEATS_WITH_ROOM else _NARROW
    labels = [render(name) for name in COUNTRY_NAMES]
    last = [_("Subtotals"), _("Carried"), _("Chains"), _("-2 points"), _("Total")]
    wide = max(cell_len(label) for label in (*labels, *last)) + 1
    ruler = Content.styled(glyphs["h"] * (wide + (sum(widths) + 1) * seats), "$ink-line")

    land = [sheet[f"land:{country}"] for country in COUNTRIES]
    symbols = [sheet[f"symbols:{country}"] for country in COUNTRIES]
    subtotals = [_pairs(_sums(land), _sums(symbols))]
    carried = [sum(pair) for pair in zip(_sums(land), _sums(symbols), strict=True)]
    chains = [sum(pair) for pair in zip(sheet["ships"], sheet["carriages"], strict=True)]

    lines = _head(scene, glyphs, wide, widths)
    for country, label in enumerate(labels):
        name = (set_cell_size(label, wide - 1), f"$land_cards-open-ink on ${country_variable(country)}")
        lines.append(_line(name, _pairs(land[country], symbols[country]), widths, gap=True))
    lines += [ruler, _line((last[0].ljust(wide), "$ink"), subtotals[0], widths)]
    for label, figures in zip(last[1:4], (carried, chains, sheet["minus_two"]), strict=True):
        lines.append(_line((label.ljust(wide), "$ink"), _pairs(None, figures), widths))
    total = _line(
        (last[4].ljust(wide), "bold $gold"), _pairs(None, scene.observation.points), widths, strong=True
    )
    return Content("\n").join([*lines, total])


def _sums(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def _pairs(left: Sequence[int] | None, right: Sequence[int]) -> list[tuple[int | None, int]]:
    return [(None, n) for n in right] if left is None else list(zip(left, right, strict=True))


def _head(scene: Scene[Observation], glyphs: Glyphs, wide: int, widths: Widths) -> list[Content]:
    """Names, and under each what its two columns are."""
    names = [
        (_named(glyphs.owner(seat), name, sum(widths) + 1), f"bold $seat-{seat}")
        for seat, name in enumerate(scene.names)
    ]
    heads = (_("Land"), _("Symbols") if widths == _ROOMY else _("Symb."))
    columns = " " + "".join(
        set_cell_size(head.rjust(width - 1), width) for head, width in zip(heads, widths, strict=True)
    )
    return [
        Content.assemble(" " * wide, *names),
        Content.assemble(" " * wide, *((columns, "$ink-dim") for _name in names)),
    ]


def _named(sign: str, name: str, width: int) -> str:
    """Sign and name in so many columns; farther to the left where that saves the name, with no blank before
    the next one where it must be."""
    words = _(" {sign} {name}", sign=sign, name=name)
    if cell_len(words) > width:
        words = words.lstrip()
    if cell_len(words) <= width:
        return set_cell_size(words, width)
    return set_cell_size(f"{sign}{name}", width - 1) + " "


def _line(
    label: tuple[str, str],
    figures: Sequence[tuple[int | None, int]],
    widths: Widths,
    *,
    gap: bool = False,
    strong: bool = False,
) -> Content:
    """A label, and for every seat two figures; zeros stay faint."""
    parts: list[tuple[str, str]] = [label, (" ", "")] if gap else [label]
    for pair in figures:
        parts.append((" ", ""))
        for figure, width in zip(pair, widths, strict=True):
            words = "" if figure is None else str(figure)
            parts.append((words.rjust(width - 1) + " ", _figure_style(figure, strong=strong)))
    return Content.assemble(*parts)


def _figure_style(figure: int | None, *, strong: bool) -> str:
    if strong:
        return "bold $gold"
    return "$ink" if figure else "$ink-dim"
