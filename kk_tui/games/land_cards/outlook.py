"""The cards left of each country and who leads there, written where rows have run out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
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
    """A country of which there are cards left, or ships or carriages: its parts from the left, and short ones
    for few columns.
    """

    label: Content
    code: Content
    left: Content
    symbols: Content
    cards: Content
    best: Content
    short_cards: Content
    short_best: Content

    def parts(self) -> tuple[Content, ...]:
        """Return its parts if there is much room."""
        return self.label, self.left, self.symbols, self.cards, self.best

    def in_short(self, *, with_best: bool) -> Content:
        """Return it for few columns, with who has most of a symbol if there is room."""
        said = [self.left, self.short_cards, *([self.short_best] if with_best else [])]
        return Content.assemble(self.code, " ", Content(" ").join(filter(None, said)))


def outlook(scene: Scene[Observation], glyphs: Glyphs, width: int, height: int) -> list[Content]:
    """Return all contests that cards are left for, in the longest form for so many columns and lines.

    There are none if not even the shortest has room.
    """
    countries = [*_countries(scene, glyphs)]
    contests = [*countries, *_routes(scene, glyphs)]
    forms = (
        partial(_table, contests, height),
        partial(_abreast, contests, width, with_head=True),
        partial(_abreast, contests, width),
        # ships and carriages are few, and in the rows they stand out
        partial(_abreast, countries, width),
        partial(_abreast, countries, width, with_best=False),
    )
    for form in forms if contests else ():
        lines = form()
        if len(lines) <= height and all(line.cell_length <= width for line in lines):
            return lines
    return []


def _table(contests: Sequence[_Contest], height: int) -> list[Content]:
    """Return a contest per line under headings, with a free line between them if there is room."""
    heads = [
        Content.styled(words, "$ink-dim")
        for words in (_("still in the rows"), "", "", _("most cards"), _("most of a symbol"))
    ]
    rows = [one.parts() for one in contests]
    widths = [max(part.cell_length for part in column) for column in zip(*rows, strict=True)]
    # the first heading stands over three parts
    spare = heads[0].cell_length - sum(widths[:3]) - 2 * _GAP
    widths[2] += max(0, spare)
    widths[3:] = [max(wide, head.cell_length) for wide, head in zip(widths[3:], heads[3:], strict=True)]
    over = heads[0].pad_right(sum(widths[:3]) + 3 * _GAP - heads[0].cell_length)
    lines = [_headed(Content.assemble(over, _spread(heads[3:], widths[3:])))]
    for row in rows:
        lines += [Content()] if 2 * len(rows) + 1 <= height else []
        lines.append(_spread(row, widths))
    return lines


def _spread(parts: Sequence[Content], widths: Sequence[int]) -> Content:
    gap = " " * _GAP
    padded = [part.pad_right(wide - part.cell_length) for part, wide in zip(parts, widths, strict=True)]
    return Content(gap).join(padded).rstrip()


def _abreast(
    contests: Sequence[_Contest], width: int, *, with_head: bool = False, with_best: bool = True
) -> list[Content]:
    """Return contests in short, as many side by side as fit, those of a column below each other."""
    shown = [one.in_short(with_best=with_best) for one in contests]
    wide = max((one.cell_length for one in shown), default=0) + _GAP
    columns = max(1, (width + _GAP) // wide)
    high = -(-len(shown) // columns)
    lines = (
        [_headed(Content.styled(_("still in the rows, and who has most"), "$ink-dim"))] if with_head else []
    )
    for row in range(high):
        lines.append(_spread(shown[row::high], [wide - _GAP] * len(shown[row::high])))
    return lines


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
        yield _Contest(
            explained((f" {render(name)} ", ground), count, "the-cards"),
            explained((render(COUNTRY_CODES[country]), ground), count, "the-cards"),
            explained((f"{len(faces)}", "bold $ink"), count, "the-cards"),
            explained(Content(" ").join(badges), left, "scoring"),
            *(
                explained(words, told, "scoring")
                for words, told in (
                    (_leaders(cards, glyphs), lead),
                    (_best(best, glyphs), most),
                    (_leaders(cards, glyphs, is_short=True), lead),
                    (_best(best, glyphs, is_short=True), most),
                )
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
        yield _Contest(
            *(
                explained(words, told, "scoring")
                for words in (
                    (f" {sign} {render(name)}", "$ink"), (f"{sign:<3}", ""), (f"{left}", "bold $ink"), "",
                    _leaders(own, glyphs), "", _leaders(own, glyphs, is_short=True), "",
                )
            )
        )  # fmt: skip


def _leaders(counts: Sequence[int], glyphs: Glyphs, *, is_short: bool = False) -> Content:
    """Return whoever has most, and how many; nothing while nobody has any."""
    most = max(counts)
    seats = [seat for seat, count in enumerate(counts) if count == most > 0]
    gap = "" if is_short else " "
    return Content.assemble(
        *_signs(seats, glyphs, is_short=is_short), (f"{gap}{most}" if seats else "", "$ink")
    )


def _best(counts: Sequence[tuple[int, int]], glyphs: Glyphs, *, is_short: bool = False) -> Content:
    """Return whoever has most of one symbol, which, and how many; nothing while nobody has any."""
    most = max(count for count, _symbol in counts)
    gap = "" if is_short else " "
    parts = list[Content]()
    for symbol in sorted({symbol for count, symbol in counts if count == most > 0}):
        seats = [seat for seat, one in enumerate(counts) if one == (most, symbol)]
        badge = badge_words(model.SYMBOLS[symbol], glyphs)
        parts.append(
            Content.assemble(*_signs(seats, glyphs, is_short=is_short), gap, badge, (f"{most}", "$ink"))
        )
    return Content(gap).join(parts)


def _signs(seats: Sequence[Seat], glyphs: Glyphs, *, is_short: bool) -> Iterator[tuple[str, str]]:
    for seat in seats:
        yield glyphs[f"owner-{seat}"] if is_short else glyphs.owner(seat), f"bold $seat-{seat}"
