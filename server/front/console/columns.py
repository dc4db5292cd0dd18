"""Lines whose parts stand under each other, however wide the letters of a name are drawn."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from rich.cells import cell_len

_GAP = "  "


def in_columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> Iterator[str]:
    """A line for each row; the columns of these numbers, from 0, end under each other."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield _GAP.join(
            _filled(words, width, is_right=number in right)
            for number, (words, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def _filled(words: str, width: int, *, is_right: bool) -> str:
    blanks = " " * (width - cell_len(words))
    return blanks + words if is_right else words + blanks
