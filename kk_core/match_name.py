"""The names of matches: the identifier of the table, and the number of the match there."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"(?P<table>[0-9a-f]{1,16})(?:-(?P<number>[1-9][0-9]{0,5}))?")


def match_name(table: str, number: int) -> str:
    """Return the name of a match, which is also the identifier of its replay."""
    return f"{table}-{number}"


def parse_match_name(name: str) -> tuple[str, int | None] | None:
    """Return table and number of a match; no number for a table alone, None for what is no name."""
    found = _NAME.fullmatch(name)
    return None if found is None else (found["table"], int(found["number"]) if found["number"] else None)
