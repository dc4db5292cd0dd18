"""Links to the page for browsers: those that people are given lead to the same places in lines of text."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from kk_core.match_name import parse_match_name
from kk_core.protocol.messages import GoTo, Join
from kk_core.protocol.typed_codes import could_be_invitation
from kk_core.text import quoted, text
from kk_tui.plain.console import TextConsole
from kk_tui.plain.words import UnknownWords

_LINK: Final = re.compile(r"https?://\S+", re.IGNORECASE)


def is_link(line: str) -> bool:
    """Return whether a line is a link and nothing else."""
    return _LINK.fullmatch(line) is not None


async def follow_link(console: TextConsole, line: str) -> bool:
    """Go where a line leads if it is a link; returns whether it is one.

    Raises `KkError`, also for a link that begins otherwise than those that people are given here.
    """
    if not is_link(line):
        return False
    path = console.server_address.path_in(line)
    if path is None:
        # which may be one of this server, too, by another of its addresses
        if own := console.server_address.link(""):
            raise UnknownWords(
                text("Links here begin with {own}; open {url} in a browser.", own=own, url=quoted(line))
            )
        raise UnknownWords(text("No links can be followed here; open {url} in a browser.", url=quoted(line)))
    way, _slash, code = path.strip("/").partition("/")
    if way == "join" and could_be_invitation(code):
        await console.request(lambda number: Join(number, code))
    elif (name := parse_match_name(code)) is not None and way == ("match" if name[1] else "table"):
        await console.request(partial(GoTo, table=code))
    else:
        raise UnknownWords(text("{url} leads to no table and to no match.", url=quoted(line)))
    return True
