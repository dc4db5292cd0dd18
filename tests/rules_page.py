"""What stands in docs/rules, for tests: words and the figures of the tables."""

from __future__ import annotations

from kk_tui.rules_pages import HelpTable, Paragraph, Section, Twins, sections

Row = list[str]


def section(game: str, slug: str, twins: Twins | None = None) -> Section:
    """A section of the English rules."""
    (found,) = (each for each in sections(game, twins=twins) if each.slug == slug)
    return found


def tables(game: str, slug: str, twins: Twins | None = None) -> list[list[Row]]:
    """The tables of a section as rows of words, heads included."""
    found = [block for block in section(game, slug, twins).blocks if isinstance(block, HelpTable)]
    return [[[cell.plain for cell in row] for row in table.rows] for table in found]


def numbered(game: str, slug: str) -> dict[int, str]:
    """The numbered points of a section: the first paragraph of each by number."""
    blocks = [block for block in section(game, slug).blocks if isinstance(block, Paragraph)]
    return {int(block.mark[:-1]): block.words.plain for block in blocks if block.mark[:-1].isdigit()}


def figures(rows: list[Row]) -> dict[str, tuple[int, ...]]:
    """The rows under the head by their first cell; what is left free is 0."""
    return {name: tuple(int(cell or 0) for cell in cells) for name, *cells in rows[1:]}
