"""`kk serve`: host tables for others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import platformdirs

from kk_core.text import quoted, text
from server.commands import Usage
from server.commands.own_data import check_data
from server.front import serve as front
from server.front.allowed_keys import BadKeys, read_allowed_keys
from server.front.door import DoorRules

_ANSWERS: Final = {None: True, "yes": True, "no": False}


def serve(host: str, port: int, data: Path | None, rules: DoorRules, bot_processes: int | None) -> None:
    """Serve until interrupted. Raises `Usage` for faulty data files, `KkError` when it cannot start."""
    check_data()
    folder = data or platformdirs.user_data_path("kk", appauthor=False) / "server"
    asyncio.run(front.serve(host, port, folder, rules=rules, bot_processes=bot_processes))


def parse_rules(guests: str | None, allow: Path | None) -> DoorRules:
    """Whom to let in, by the words of the command line. Raises `Usage`."""
    if guests not in _ANSWERS:
        raise Usage(text("--guests is yes or no, not {answer}.", answer=quoted(str(guests))))
    if allow is None:
        return DoorRules(guests=_ANSWERS[guests])
    if guests == "yes":
        raise Usage(text("With --allow only listed keys come in, and guests have none: leave one out."))
    try:
        return DoorRules(guests=False, allowed=read_allowed_keys(allow))
    except BadKeys as error:
        raise Usage(error.reason) from None
