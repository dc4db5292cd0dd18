"""The cards left of each country and who leads there, written where rows have run out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, zip_longest
from typing import Final

from textual.content import Content

from kk_core.games.land_cards import model
from kk_core.games.land_cards.model import COLUMNS, ROWS, Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, SYMBOL_NAMES
from kk_core.text import text
from kk_core.types import Seat
from kk_tui.games.land_cards.meaning import country_words, route_words
from kk_tui.games.land_cards.panels import badge_words, collected
from kk_tui.games.land_cards.picture import CellLook
from kk_tui.games.land_cards.theme import CHAIN_NAMES, COUNTRY_CODES, country_variable
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explained

_GAP: Final = 3
"""Columns between the parts of a contest, and between contests side by side."""


def free_rows(looks: Sequence[CellLook]) -> range:
    """Return the most rows one below the other that have run out, of several the last ones."""
    rows = [row for row in range(ROWS) if all(look.is_gone for look in looks[row * COLUMNS :][:COLUMNS])]
    found = range(0)
    for _start, run in groupby(enumerate(rows), key=lambda at: at[1] - at[0]):
        numbers = [row for _place, row in run]
        if len(numbers) >= len(found):
            found = range(numbers[0], numbers[-1] + 1)
    return found


@dataclass(frozen=True)
class Outlook:
    """The words in some lines of a board, and what they were made for: a scene, and its free rows."""

    scene: Scene[Observation] | None = None
    free: range = range(0)
    lines: range = range(0)
    words: Sequence[Content] = ()

    def line(self, y: int) -> Content:
        """Return the words in a line of the board."""
        place = y - self.lines.start
        return self.words[place] if place < len(self.words) else Content()

    def is_same(self, other: Outlook) -> bool:
        """Return whether another one looks the same."""
        if self.lines != other.lines or len(self.words) != len(other.words):
            return False
        return all(one.is_same(two) for one, two in zip(self.words, other.words, strict=True))


@dataclass(frozen=True)
class _Contest:
    """A country of which there are cards left, or ships or carriages: its parts from the left, and its short
    ones from the top.
    """

    parts: tuple[Content, ...]
    stacked: tuple[Content, ...]


@dataclass(frozen=True)
class _Heads:
    """The parts of each contest: the cards left of it, who has most, who has most of a symbol."""

    left: str
    most: str
    best: str

    def styled(self) -> tuple[Content, ...]:
        """Return the words, which say what they stand at."""
        heads = self.left, self.most, self.best
        return tuple(_headed(Content.styled(words, "$ink-dim")) for words in heads)


def outlook(scene: Scene[Observation], glyphs: Glyphs, width: int, height: int) -> list[Content]:
    """Return all contests that cards are left for, in the longest form for so many columns and lines.

    Every form says what its figures are. There are none if not even the shortest has room.
    """
    countries = [*_countries(scene, glyphs)]
    contests = [*countries, *_routes(scene, glyphs)]
    heads = _Heads(_("still in the rows"), _("most cards"), _("most of a symbol"))
    short = _Heads(_("in rows"), _("most"), _("symbol"))
    forms = (
        partial(_below_each_other, contests, heads, height),
        partial(_side_by_side, contests, heads, width),
        partial(_side_by_side, contests, short, width),
        # ships and carriages are few, and in the rows they stand out
        partial(_side_by_side, countries, short, width),
        partial(_side_by_side, contests, short, width, with_best=False),
        partial(_side_by_side, countries, short, width, with_best=False),
    )
    for form in forms if contests else ():
        lines = form()
        if len(lines) <= height and all(line.cell_length <= width for line in lines):
            return lines
    return []


def _below_each_other(contests: Sequence[_Contest], heads: _Heads, height: int) -> list[Content]:
    """Return a contest per line under headings, with a free line between them if there is room."""
    rows = [one.parts for one in contests]
    widths = [max(part.cell_length for part in column) for column in zip(*rows, strict=True)]
    left, *others = heads.styled()
    # the first heading stands over three parts
    spare = left.cell_length - sum(widths[:3]) - 2 * _GAP
    widths[2] += max(0, spare)
    widths[3:] = [max(wide, head.cell_length) for wide, head in zip(widths[3:], others, strict=True)]
    over = left.pad_right(sum(widths[:3]) + 2 * _GAP - left.cell_length)
    lines = [_spread([over, *others], [over.cell_length, *widths[3:]])]
    for row in rows:
        lines += [Content()] if 2 * len(rows) + 1 <= height else []
        lines.append(_spread(row, widths))
    return lines


def _spread(parts: Sequence[Content], widths: Sequence[int], gap: int = _GAP) -> Content:
    padded = [part.pad_right(wide - part.cell_length) for part, wide in zip(parts, widths, strict=True)]
    return Content(" " * gap).join(padded).rstrip()


def _side_by_side(
    contests: Sequence[_Contest], heads: _Heads, width: int, *, with_best: bool = True
) -> list[Content]:
    """Return a contest per column, beside words for what stands in each line."""
    labels = [Content(), *heads.styled()]
    columns = [one.stacked if with_best else one.stacked[: len(labels) - 1] for one in contests]
    high = max(map(len, columns))
    rows = [*zip_longest(labels[:high], *columns, fillvalue=Content())]
    widths = [max(part.cell_length for part in column) for column in zip(*rows, strict=True)]
    gap = max(1, min(_GAP, (width - sum(widths)) // len(contests)))
    return [_spread(row, widths, gap) for row in rows]


def _headed(words: Content) -> Content:
    told = text("What is still to be won: cards left in the rows, and who leads.")
    return explained(words, told, "scoring")


def _countries(scene: Scene[Observation], glyphs: Glyphs) -> Iterator[_Contest]:
    view = scene.observation
    all_of = [collected(view, seat) for seat in range(len(scene.names))]
    there = [face for face, lies in zip(view.faces, view.board, strict=True) if lies < model.TAKEN]
    for country, name in enumerate(COUNTRY_NAMES):
        faces = [face for face in there if model.country_of(face) == country]
        if not faces:
            continue
        ground = f"$land_cards-open-ink on ${country_variable(country)}"
        printed = sum(model.country_of(face) == country for face in view.faces)
        count = text(
            "{n} cards of {country} in the game, {left} of them still in the rows.",
            n=printed, country=name, left=len(faces),
        )  # fmt: skip
        symbols = Counter(symbol for face in faces for symbol in model.symbols_of(face))
        badges = [
            Content.assemble(badge_words(model.SYMBOLS[symbol], glyphs), (f"{symbols[symbol]}", "$ink"))
            for symbol in range(len(SYMBOL_NAMES))
            if symbols[symbol]
        ]
        left = text("Symbols on the cards of {country} that are still in the rows.", country=name)
        cards = [of.cards[country] for of in all_of]
        best = [(of.best[country], of.best_symbol[country]) for of in all_of]
        lead = partial(country_words, scene, country)
        most = text("{country}: each player's most common symbol; the highest number scores.", country=name)
        total = explained((f"{len(faces)}", "bold $ink"), count, "the-cards")
        yield _Contest(
            (
                explained((f" {render(name)} ", ground), count, "the-cards"),
                total,
                explained(Content(" ").join(badges), left, "scoring"),
                explained(_leaders(cards, glyphs), lead, "scoring"),
                explained(Content(" " * _GAP).join(_best(best, glyphs)), most, "scoring"),
            ),
            (
                explained((render(COUNTRY_CODES[country]), ground), count, "the-cards"),
                total,
                explained(_leaders(cards, glyphs, is_short=True), lead, "scoring"),
                *(explained(words, most, "scoring") for words in _best(best, glyphs, is_short=True)),
            ),
        )


def _routes(scene: Scene[Observation], glyphs: Glyphs) -> Iterator[_Contest]:
    view = scene.observation
    all_of = [collected(view, seat) for seat in range(len(scene.names))]
    there = [face for face, lies in zip(view.faces, view.board, strict=True) if lies < model.TAKEN]
    counts = [of.ships for of in all_of], [of.carriages for of in all_of]
    for route, (name, own) in enumerate(zip(CHAIN_NAMES, counts, strict=True), 1):
        left = sum(model.route_of(face) == route for face in there)
        if not left:
            continue
        told = partial(route_words, scene, route)
        sign = glyphs[f"land_cards-route-{model.ROUTES[route]}"]
        name_of, total = (f" {sign} {render(name)}", "$ink"), (f"{left}", "bold $ink")
        parts = name_of, total, "", _leaders(own, glyphs), ""
        stacked = sign, total, _leaders(own, glyphs, is_short=True)
        yield _Contest(
            *(tuple(explained(words, told, "scoring") for words in form) for form in (parts, stacked))
        )


def _leaders(counts: Sequence[int], glyphs: Glyphs, *, is_short: bool = False) -> Content:
    """Return whoever has most, and how many; nothing while nobody has any."""
    most = max(counts)
    seats = [seat for seat, count in enumerate(counts) if count == most > 0]
    gap = "" if is_short else " "
    return Content.assemble(
        *_signs(seats, glyphs, is_short=is_short), (f"{gap}{most}" if seats else "", "$ink")
    )


def _best(counts: Sequence[tuple[int, int]], glyphs: Glyphs, *, is_short: bool = False) -> Iterator[Content]:
    """Yield for each symbol that somebody has most of who has it, and how often."""
    most = max(count for count, _symbol in counts)
    gap = "" if is_short else " "
    for symbol in sorted({symbol for count, symbol in counts if count == most > 0}):
        seats = [seat for seat, one in enumerate(counts) if one == (most, symbol)]
        badge = badge_words(model.SYMBOLS[symbol], glyphs)
        yield Content.assemble(*_signs(seats, glyphs, is_short=is_short), gap, badge, (f"{most}", "$ink"))


def _signs(seats: Sequence[Seat], glyphs: Glyphs, *, is_short: bool) -> Iterator[tuple[str, str]]:
    for seat in seats:
        yield glyphs[f"owner-{seat}"] if is_short else glyphs.owner(seat), f"bold $seat-{seat}"
