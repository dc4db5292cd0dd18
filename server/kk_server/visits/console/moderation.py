"""`kick`, `ban`, `mute`, `announce` and the like for admins; `keys`, `calls` and `report` for everybody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from kk_core.text import Text, text, text_in, texts
from kk_core.views import is_guest
from kk_server.accounts.addresses import SeenAddress
from kk_server.accounts.bans import Ban, BanKind, Bans, banned, check_ban, format_moment, network, parse_ban
from kk_server.accounts.names import clean_line, nobody_called, or_nearest, skeleton, skeleton_of
from kk_server.log import get_logger
from kk_server.tables.chat import LINE_WIDTH
from kk_server.visits.console.context import CommandContext, CommandRefused, in_columns
from kk_server.visits.orders import LIFE, Announce, Kick
from kk_server.visits.visits import HubVisit

_COLUMNS: Final = (text("SSH key"), text("name"), text("since"), text("last used"), Text(""))

_KINDS: Final = {
    BanKind.NAME: text_in("ban", "name"),
    BanKind.KEY: text_in("ban", "key"),
    BanKind.ADDRESS: text_in("ban", "address"),
}

_MOST_NAMES: Final = 5  # in one sentence

_log = get_logger()


async def keys(context: CommandContext, *, as_json: bool) -> None:
    """List the keys of the user's account. Raises `KkError`."""
    own, this = await context.server.hub.accounts.keys_of(context.asker.user), context.asker.key
    if as_json:
        await context.tell_json([
            {"fingerprint": key.fingerprint, "name": key.name, "since": _day(key.since),
             "used": _day(key.used), "this": key.fingerprint == this}
            for key in own
        ])  # fmt: skip
        return
    mark = context.in_words(text("this one"))
    rows = [tuple(map(context.in_words, _COLUMNS))] + [
        (key.fingerprint, key.name or "-", _day(key.since) or "-", _day(key.used) or "-",
         mark if key.fingerprint == this else "")
        for key in own
    ]  # fmt: skip
    for row in in_columns(rows):
        await context.tell(row)


def _day(at: int) -> str | None:
    return datetime.fromtimestamp(at, UTC).date().isoformat() if at else None


async def change_key(context: CommandContext, what: str, typed: str, name: str) -> None:
    """Remove a key (`remove`), or name it (`name`). Raises `KkError`."""
    accounts, user = context.server.hub.accounts, context.asker.user
    key = await accounts.find_key(user, typed)
    if what == "remove":
        await accounts.remove_key(user, key.fingerprint)
        gone = text(
            "{key} no longer opens your account; anybody using it was disconnected.", key=key.fingerprint
        )
        await context.tell(gone)
    else:
        await context.server.hub.check_named(user, name)
        await accounts.name_key(user, key.fingerprint, name)
        await context.tell(text("{key} is now called {name}.", key=key.fingerprint, name=name))


async def calls(context: CommandContext, *, as_json: bool) -> None:
    """Say where the user is called. Raises `KkError`."""
    caller, user = context.server.hub.caller, context.asker.user
    address, unconfirmed = caller.address_of(user), caller.unconfirmed(user)
    if as_json:
        await context.tell_json(
            {"address": address or None, "unconfirmed": unconfirmed or None, "ways": caller.ways,
             "minutes": caller.settings.away_minutes}
        )  # fmt: skip
        return
    if address:
        said = text("When it is your turn and you are away, you are called at {address}.", address=address)
    else:
        said = text("You are not called when it is your turn and you are away.")
    await context.tell(said)
    if unconfirmed:
        await context.tell(text("A code was sent to {address}: calls confirm CODE", address=unconfirmed))
    if caller.ways:
        await context.tell(text("You can be called at: {ways}", ways=", ".join(caller.ways)))


async def change_calls(context: CommandContext, what: str, word: str) -> None:
    """Order calls (`at` an address), `confirm` them by a code, or `stop` them. Raises `KkError`."""
    caller, user = context.server.hub.caller, context.asker.user
    if what == "at":
        caller.order(user, word)
        said = text("A code is sent to {address}: calls confirm CODE", address=word)
    elif what == "confirm":
        address = await caller.confirm(user, word)
        said = text("From now on you are called at {address}.", address=address)
    elif await caller.stop(user):
        said = text("You are no longer called, and your address is forgotten.")
    else:
        said = text("You are not called when it is your turn and you are away.")
    await context.tell(said)


async def kick(context: CommandContext, name: str) -> None:
    """End all sessions of a user, at all nodes. Raises `CommandRefused`."""
    visits, presence = context.server.visits, context.server.hub.presence
    ended, by = visits.end_named(name, context.asker.signature), context.asker.signature
    elsewhere = {node for user in presence.elsewhere() if _is(user, name) for node in presence.nodes_of(user)}
    if not (ended or elsewhere or _lost_with(context, name)):
        here = {*presence.elsewhere(), *(one.user or "" for one in _visits(context))}
        raise CommandRefused(or_nearest(text("{name} is not online.", name=name), name, here))
    if ended:
        await context.tell(texts("One session was ended.", "{n} sessions were ended.", ended))
    if not (elsewhere or _lost_with(context, name)):
        return
    before = visits.last_order()
    visits.tell_others(Kick(name, by))
    missing, lost = (await visits.answers(before)).missing, _lost_with(context, name)
    if elsewhere and elsewhere.isdisjoint((*missing, *lost)):
        await context.tell(text("Their sessions at other nodes are ended, too."))
    for node in lost:
        await context.tell(
            text("They were at {node}, which is lost; if it comes back within ten minutes, their sessions "
                 "there are ended.", node=node)
        )  # fmt: skip


def _is(user: str, name: str) -> bool:
    return skeleton_of(user) == skeleton_of(name)


def _lost_with(context: CommandContext, name: str) -> list[str]:
    """Return the nodes that were lost a short while ago, with a user there."""
    lost = context.server.hub.presence.lost(LIFE)
    return sorted(node for node, users in lost.items() if any(_is(user, name) for user in users))


async def ban(context: CommandContext, whom: str, lasting: timedelta | None, reason: str) -> None:
    """Ban somebody, with their recent addresses, and end their sessions. Raises `KkError`."""
    asker, server = context.asker, context.server
    new = parse_ban(whom, asker.signature, lasting, clean_line(reason, LINE_WIDTH))
    # banning one's own network would lock out the admin
    if new.is_about(asker.user, asker.key, asker.address):
        raise CommandRefused(text("That's you."))
    check_ban(new)
    seen, unknown = _seen(context, new), await _unknown(context, new)
    # an address that others use too is not banned unasked
    shared = {each: others for each in seen if (others := _others_at(context, each))}
    own = [each for each in seen if each not in shared]
    new = replace(new, addresses=tuple(network(each.address) for each in own))
    await server.moderation.bans.add(new)
    ended = [one for one in _visits(context) if _is_about(new, one)]
    for address in dict.fromkeys([*(one.caller.address for one in ended), *map(_bare_network, new.networks)]):
        _log.info("banned", address=address, what=new.what, by=asker.signature, until=new.until or None)
    _end(ended, banned(new))
    await context.tell(
        text("{what} is banned {how_long}; `unban` lifts it.", what=new.what, how_long=_how_long(new))
    )
    for each in own:
        await context.tell(
            text("{address} is banned, too: {name} last used it on {day}.",
                 address=network(each.address), name=each.user, day=each.day.isoformat())
        )  # fmt: skip
    for each, others in shared.items():
        await context.tell(_spared(each.address, sorted(others)))
    if shared:
        context.noted["spared"] = [
            {"address": each.address, "users": sorted(others)} for each, others in shared.items()
        ]
    # a name may be banned before anybody has it
    if unknown is not None:
        await context.tell(unknown)
    elif new.kind is BanKind.NAME and not seen:
        await context.tell(text("No address of {name} is known: the name alone is banned.", name=new.what))


async def unban(context: CommandContext, whom: str) -> None:
    """Lift a ban. Raises `KkError`."""
    lifted = parse_ban(whom, context.asker.signature)
    await context.server.moderation.bans.lift(lifted)
    _log.info("unbanned", what=lifted.what, by=context.asker.signature)
    await context.tell(text("{what} is no longer banned.", what=lifted.what))


async def mute(context: CommandContext, name: str, lasting: timedelta | None) -> None:
    """Mute somebody in the lobby and at all tables. Raises `KkError`."""
    asker, server = context.asker, context.server
    new = _muting(name, asker.signature, lasting)
    if new.is_about(asker.user, None, ""):
        raise CommandRefused(text("That's you."))
    if (unknown := await _unknown(context, new)) is not None:
        raise CommandRefused(unknown)
    seen = _seen(context, new)  # anybody can use a guest's name, so guests are muted by address
    guests = dict.fromkeys(network(each.address) for each in seen if is_guest(each.user))
    new = replace(new, addresses=tuple(guests))
    await server.moderation.mutes.add(new)
    _log.info("muted", what=new.what, by=asker.signature, until=new.until or None)
    await context.tell(
        text("{what} is muted {how_long}; `unmute` lifts it.", what=new.what, how_long=_how_long(new))
    )


async def unmute(context: CommandContext, name: str) -> None:
    """Lift a mute. Raises `KkError`."""
    lifted = _muting(name, context.asker.signature, None)
    await context.server.moderation.mutes.lift(lifted)
    _log.info("unmuted", what=lifted.what, by=context.asker.signature)
    await context.tell(text("{what} is no longer muted.", what=lifted.what))


async def bans(context: CommandContext, *, as_json: bool) -> None:
    """List all bans."""
    await _list(context, context.server.moderation.bans, text("Nobody is banned."), as_json=as_json)


async def mutes(context: CommandContext, *, as_json: bool) -> None:
    """List all mutes."""
    await _list(context, context.server.moderation.mutes, text("Nobody is muted."), as_json=as_json)


async def report(context: CommandContext, name: str, why: str) -> None:
    """Report somebody to the host. Raises `KkError`."""
    await context.server.hub.report(context.asker.user, name, why)
    await context.tell(text("Your report goes to the host of this server, with the latest chat."))


async def announce(context: CommandContext, words: str) -> None:
    """Notify everybody online. Raises `KkError`."""
    said = clean_line(words, LINE_WIDTH)
    if not said:
        raise CommandRefused(text("This message has no visible characters."))
    await context.server.hub.check_said(context.asker.user, said)
    words_to_all = text("{words}", words=said)
    heard = context.server.hub.sessions.tell_all(words_to_all, from_host=True)
    await context.tell(texts("Sent to one session.", "Sent to {n} sessions.", heard))
    # even if there are none now: those that seem to be gone are told when they are back
    context.server.visits.tell_others(Announce(words_to_all))
    if context.server.hub.nodes.has_others:
        await context.tell(text("Sent to everybody at other nodes, too."))


def _muting(name: str, by: str, lasting: timedelta | None) -> Ban:
    new = parse_ban(name, by, lasting)
    if new.kind is not BanKind.NAME:
        raise CommandRefused(text("{words} is not a name.", words=name))
    check_ban(new)
    return new


async def _list(context: CommandContext, listed: Bans, none: Text, *, as_json: bool) -> None:
    if as_json:
        await context.tell_json([_as_tree(one) for one in listed.all])
        return
    for one in listed.all:
        until = "" if one.ends is None else context.in_words(_how_long(one))
        kind = context.in_words(_KINDS[one.kind])
        parts = (kind, one.what, one.at, one.by, until, ", ".join(one.addresses), one.reason)
        await context.tell("  ".join(filter(None, parts)))
    if not listed.all:
        await context.tell(none)


def _as_tree(one: Ban) -> dict[str, object]:
    return {name: msgspec.to_builtins(getattr(one, name)) for name in one.__struct_fields__}


def _how_long(one: Ban) -> Text:
    return text("for good") if one.ends is None else text("until {until}", until=format_moment(one.ends))


async def _unknown(context: CommandContext, new: Ban) -> Text | None:
    """Return that nobody has or recently had a name, as it may be a typo; None if somebody has."""
    server, wanted = context.server, skeleton(new.what)
    known = {name for pair in server.hub.people() for name in pair} | server.addresses.users()
    if new.kind is not BanKind.NAME or wanted in map(skeleton_of, known):
        return None
    if await server.hub.accounts.holder_of(new.what) is not None:
        return None
    return nobody_called(new.what, known - {context.asker.user})


def _seen(context: CommandContext, new: Ban) -> list[SeenAddress]:
    """Return where users with a banned name are and recently were; each network once."""
    if new.kind is not BanKind.NAME:
        return []
    here = [
        SeenAddress(one.user or "", one.caller.address, context.server.addresses.today())
        for one in _visits(context)
        if _is_about(new, one)
    ]
    return list(
        {network(each.address): each for each in (*context.server.addresses.of(new.what), *here)}.values()
    )


def _others_at(context: CommandContext, seen: SeenAddress) -> set[str]:
    """Return all other users who are at the same network, or recently were."""
    there = network(seen.address)
    here = {one.user or "" for one in _visits(context) if network(one.caller.address) == there}
    everybody = {*context.server.addresses.at(seen.address), *here}
    return {user for user in everybody if skeleton_of(user) != skeleton_of(seen.user)}


def _spared(address: str, others: list[str]) -> Text:
    """Return why an address is not banned along with a name; `others` have used it too."""
    if len(others) <= _MOST_NAMES:
        return text("{address} is not banned: {others} used it, too; `ban {address}` bans it.",
                    address=address, others=", ".join(others))  # fmt: skip
    return text(
        "{address} is not banned: {n} others used it, too ({others}, ...; the audit file has "
        "all of them); `ban {address}` bans it.",
        address=address, n=len(others), others=", ".join(others[:_MOST_NAMES]),
    )  # fmt: skip


def _bare_network(banned: str) -> str:
    address, _, bits = banned.partition("/")
    return address if bits == "32" else banned


def _visits(context: CommandContext) -> list[HubVisit]:
    return [one for one in context.server.visits.all if one.user is not None]


def _is_about(new: Ban, visit: HubVisit) -> bool:
    return new.is_about(visit.user or "", visit.caller.fingerprint, visit.caller.address)


def _end(visits: list[HubVisit], reason: Text) -> None:
    for one in visits:
        one.end(reason)
