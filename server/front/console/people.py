"""`kick`, `ban`, `unban`, `bans` and `announce`: for those who run the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kk_core.text import text, texts
from kk_core.wire.people import GUEST_MARK
from server.accounts.bans import Ban, check_ban, parse_ban
from server.accounts.skeleton import skeleton
from server.front.console.desk import Desk, Refused
from server.hub.chat import WORDS
from server.hub.names import clean_line

if TYPE_CHECKING:
    from server.front.visits import HubVisit


async def kick(desk: Desk, name: str) -> None:
    """End all sessions of somebody. Raises `Refused`."""
    own = [one for one in _visits(desk) if _bare(one.user or "") == _bare(name)]
    if not own:
        raise Refused(text("{name} is not here.", name=name))
    _end(own)
    await desk.tell(texts("One session was ended.", "{n} sessions were ended.", len(own)))


async def ban(desk: Desk, words: str) -> None:
    """Let somebody in no more, and end his sessions. Raises `KkError`."""
    asker, new = desk.asker, parse_ban(words, desk.asker.user)
    if new.is_about(asker.user, asker.key, asker.address):
        raise Refused(text("That is you."))
    check_ban(new)
    desk.house.bans.add(new)
    _end([one for one in _visits(desk) if _is_about(new, one)])
    await desk.tell(text("{what} is banned; `unban` lifts it.", what=new.what))


async def unban(desk: Desk, words: str) -> None:
    """Let somebody in again. Raises `KkError`."""
    lifted = parse_ban(words, desk.asker.user)
    desk.house.bans.lift(lifted)
    await desk.tell(text("{what} is not banned any more.", what=lifted.what))


async def bans(desk: Desk, *, as_json: bool) -> None:
    """All bans."""
    if as_json:
        await desk.tell_json(msgspec.to_builtins(desk.house.bans.all))
        return
    for one in desk.house.bans.all:
        await desk.tell(f"{one.kind.value}  {one.what}  {one.at}  {one.by}")
    if not desk.house.bans.all:
        await desk.tell(text("Nobody is banned."))


async def announce(desk: Desk, words: str) -> None:
    """Tell everybody who is here. Raises `Refused`."""
    said = clean_line(words, WORDS)
    if not said:
        raise Refused(text("Nothing was said that could be seen."))
    heard = desk.house.hub.sessions.tell_all(text("The host says: {words}", words=said))
    await desk.tell(texts("One session was told.", "{n} sessions were told.", heard))


def _bare(name: str) -> str:
    """What a name is compared by; the mark of a guest need not be typed."""
    return skeleton(name.removeprefix(GUEST_MARK))


def _visits(desk: Desk) -> list[HubVisit]:
    return [one for one in desk.house.visits.all if one.user is not None]


def _is_about(new: Ban, visit: HubVisit) -> bool:
    return new.is_about(visit.user or "", visit.caller.fingerprint, visit.caller.address)


def _end(visits: list[HubVisit]) -> None:
    for one in visits:
        one.end(text("The host of this server has ended your session."))
