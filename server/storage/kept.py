"""What the log keeps beside the entries: the rules data and the drawing of every match, once per content."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from kk_core.game import AnyGame
from kk_core.types import Tree
from server.storage.entries import Entry, Started
from server.storage.table_log import StorageFailed, TableLog


async def keep_data_of(log: TableLog, rules: AnyGame, drawing: Any) -> tuple[str, str | None]:
    """Store what a match is dealt and drawn with; the digests by which `Started` names them.

    Raises `StorageFailed`.
    """
    drawn = None if drawing is None else await log.keep_data(msgspec.to_builtins(drawing))
    return await log.keep_data(rules.rules_data), drawn


async def data_for(log: TableLog, entries: Iterable[Entry]) -> dict[str, Tree]:
    """What the matches of some entries are dealt and drawn with, by digest; drawings where they are there.

    Raises `StorageFailed` where rules data are missing or damaged.
    """
    kept: dict[str, Tree] = {}
    for entry in entries:
        if isinstance(entry, Started) and entry.rules is not None:
            kept[entry.rules] = await log.read_data(entry.rules)
        if isinstance(entry, Started) and entry.drawing is not None:
            with suppress(StorageFailed):
                kept[entry.drawing] = await log.read_data(entry.drawing)
    return kept
