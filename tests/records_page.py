"""What docs/records.md and docs/records/ tell, for tests: tables, vectors, and the program of the page."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "records.md").read_text(encoding="utf-8")
SEED = bytes(range(32))

Json = dict[str, Any]


@cache
def page(game_id: str) -> str:
    return (DOCS / "records" / f"{game_id}.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[tuple[str, str]]:
    """The rows of the table under a heading, without its head; every table has two columns."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = (line.strip("|").split(" | ") for line in lines[2:])
    return [(first.strip(" `"), second.strip(" `")) for first, second in cells]


def program() -> Any:
    """The Python of the page, as somebody would copy it."""
    found: Json = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, found)  # our own document
    return SimpleNamespace(**found)


DOC = program()


def names(game_id: str, word: str) -> list[str]:
    """The identifiers that a page lists behind a word, in order."""
    listed = re.search(rf"(?:^|\. ){word}:((?:\s`[\w/]+`)+)", page(game_id), re.MULTILINE)
    assert listed is not None
    return re.findall(r"`([\w/]+)`", listed[1])


def standing(order: list[str], counts: dict[str, int]) -> list[str]:
    return [card for card in order for _ in range(counts[card])]


def wrapped(label: str, words: list[str], joint: str = " ") -> str:
    line = f"{label}: {joint.join(words)}"
    return textwrap.fill(line, 110, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
