"""The past: users' histories, replays of finished matches, their analyses, and playing on from them.

A history is shown only to its user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kk_core import views as told
from kk_core.bot_names import BOT_PREFIX, LEVELS, bot_people, level_of
from kk_core.daily import PLAYER
from kk_core.errors import KkError
from kk_core.match import Match
from kk_core.match_name import match_name, parse_match_name
from kk_core.protocol.messages import PlayOn
from kk_core.search.analysis import MatchAnalysis
from kk_core.search.bots import bot_kind
from kk_core.text import Text, quoted, text, texts
from kk_core.types import Seat, Viewer
from kk_core.views import PastMatch, SeatView, TableView, is_guest
from kk_server.accounts.daily import SECRET_DEAL, DailyDeals, OwnTry
from kk_server.accounts.names import clean_title, distinct
from kk_server.bots.pool import Analyst
from kk_server.limits import LimitReached, Limits, RateLimited, TokenBuckets
from kk_server.storage.archive import Archive
from kk_server.storage.entries import Created, Ended, Entry, Reopened, SeatHolder, Started
from kk_server.storage.table_log import PAGE, TableLog, data_for
from kk_server.tables.place import NotPossible, Place, Subscriber, Viewpoint, colours
from kk_server.tables.state import TableState, replayed
from kk_server.tables.view import named

_NAME: Final = match_name("113cf96c", 1)
"""A name of a match, for an example."""


class NoMatchName(NotPossible):
    """A name is given that no match can have."""

    def __init__(self, name: str) -> None:
        super().__init__(
            text(
                "{name} is not a match; matches have names such as {example}.",
                name=quoted(name), example=_NAME,
            )
        )  # fmt: skip

    @property
    def with_commands(self) -> NotPossible:
        """The same for those who can give commands, of which pages know none."""
        return NotPossible(text("{reason} `history` and `tables` list them.", reason=self.reason))


REPLAY = "replay"
"""The phase of replays in views."""

_MINUTE = 60.0


class ReplayPlace(Place):
    """A finished match, shown to whoever asked for it."""

    def __init__(
        self,
        place_id: str,
        match: Match,
        count: Callable[[], int],
        title: str = "",
        seats: tuple[SeatHolder, ...] | None = None,
        number: int = 1,
    ) -> None:
        """Show a match.

        `seats` are its people, if more is known about them than the names in the record; `number` is the
        number of the match at its table.
        """
        super().__init__(count)
        self._colours = colours(len(match.seats), number)
        self.id = place_id
        self._match = match
        self._seats = holders_of(match) if seats is None else seats
        self._title = title

    @property
    def match(self) -> Match:
        """The match, at its end."""
        return self._match

    @property
    def match_number(self) -> int:
        """1, since there is only one."""
        return 1

    @property
    def is_revealed(self) -> bool:
        """True: a record holds nothing secret."""
        return True

    def seats_of(self, user: str) -> tuple[Seat, ...]:  # noqa: ARG002
        """Return nothing: replays have no seat holders."""
        return ()

    def share_key(self, viewpoint: Viewpoint) -> Viewer:
        """Return the seat, which alone decides what is seen."""
        return viewpoint.seat

    def view(self, viewpoint: Viewpoint) -> TableView:
        """Return the match as it ended."""
        match, viewer = self._match, viewpoint.seat
        return TableView(
            id=self.id,
            title=self._title,
            owner="",
            game=match.game.meta.id,
            options=tuple(sorted(match.options.items())),
            hints=False,
            phase=REPLAY,
            seats=tuple(
                SeatView(holder.name, None, holder.bot, False, colour, program=holder.program)
                for holder, colour in zip(self._seats, self._colours, strict=True)
            ),
            viewer=viewer,
            match=match.view(viewer),
        )

    def enter(self, subscriber: Subscriber) -> None:
        """Show it to another subscriber."""
        self.subscribers.add(subscriber)

    async def leave(self, subscriber: Subscriber) -> None:
        """Stop showing it to a subscriber."""
        self.lose(subscriber)

    def lose(self, subscriber: Subscriber) -> None:
        """Stop showing it to a subscriber."""
        self.subscribers.discard(subscriber)


def past_match(user: str, ended: Ended) -> PastMatch:
    """Return a line of a user's history."""
    return PastMatch(
        table=ended.table,
        match=ended.match,
        at=ended.at,
        game=ended.game,
        names=tuple(holder.name for holder in ended.seats),
        bots=tuple(holder.bot for holder in ended.seats),
        mine=tuple(seat for seat, holder in enumerate(ended.seats) if holder.owner == user),
        points=ended.points,
        winners=ended.winners,
        plies=ended.plies,
        replayed=ended.replayed,
        colours=colours(len(ended.seats), ended.match),
        programs=tuple(seat for seat, holder in enumerate(ended.seats) if holder.program),
    )


def continuation_entries(
    user: str, own_name: str, match: Match, request: PlayOn, rules: str, drawing: str | None
) -> list[Entry]:
    """Return the entries of a new table where a match continues; `rules` and `drawing` are digests.

    It has the match's seed, so that all shuffles come out the same. Raises `KkError`.
    """
    game, names = match.game, list[str]()
    for wanted in request.seats:
        if wanted:
            bot_kind(wanted)
        name = BOT_PREFIX + wanted if wanted else own_name
        names.append(distinct(name, names))
    holders = tuple(
        SeatHolder(name, None, wanted) if wanted else SeatHolder(name, user)
        for name, wanted in zip(names, request.seats, strict=True)
    )
    created = Created(clean_title("", user), user, game.meta.id, dict(match.options), len(holders))
    lines = tuple(f"{ply.seat} {game.format_move(ply.move)}" for ply in match.plies)
    return [created, Started(match.seed.hex(), game.rules_version, holders, rules, lines, drawing)]


def holders_of(match: Match) -> tuple[SeatHolder, ...]:
    """Return the holders of the seats, from the names in the record; bots are named as at tables."""
    bots = tuple(map(_bot_of, match.seats))
    people = bot_people(bots, match.commitment[0])
    seats = zip(match.seats, people, bots, strict=True)
    return tuple(SeatHolder(person or name, None, kind) for name, person, kind in seats)


def _bot_of(name: str) -> str | None:
    # a record has `bot:hard`, `bot:hard 2`, or with a simulation count `bot:hard:50`
    return re.split("[ :]", name.removeprefix(BOT_PREFIX))[0] if name.startswith(BOT_PREFIX) else None


async def _table_after(log: TableLog, entries: tuple[Entry, ...]) -> TableState | None:
    return replayed(entries, await data_for(log, entries)) if entries else None


async def match_of(log: TableLog, entries: tuple[Entry, ...]) -> Match | None:
    """Return the match at the end of `entries`; None if there is none. Raises `KkError`."""
    table = await _table_after(log, entries)
    return None if table is None else table.match


def until(entries: tuple[Entry, ...], number: int) -> tuple[Entry, ...]:
    """Return a table's entries up to the end of match `number`, from 1; none if it has not begun."""
    begun = 0
    for index, entry in enumerate(entries):
        begun += isinstance(entry, Started)
        if begun > number or (begun == number and isinstance(entry, Reopened)):
            return entries[:index]
    return entries if begun == number else ()


_TIMES_BEATEN: Final = 3
"""Wins over a level after which the next one is suggested."""

_COMPARED: Final = 2
"""Earlier matches needed before a best result is remarked on."""


def remarks_on(ended: Ended, user: str, before: Sequence[Ended]) -> tuple[Text, ...]:
    """Return what a match means given a user's earlier results: a personal best, a level beaten."""
    found: list[Text] = []
    for seat, holder in enumerate(ended.seats):
        # a continued match does not count: its player may have seen the whole deal before
        if holder.owner != user or holder.has_given_up or ended.replayed:
            continue
        own = [(past, at) for past in before for at in _seats_as(past, holder) if _is_like(past, ended)]
        found += _best(ended, seat, own)
        found += _beaten(ended, seat, own)
    return tuple(found)


def _seats_as(past: Ended, holder: SeatHolder) -> list[Seat]:
    # with `kk play`, several people own seats as the same user
    return [
        seat
        for seat, other in enumerate(past.seats)
        if (other.owner, other.name) == (holder.owner, holder.name) and not other.has_given_up
    ]


def _is_like(past: Ended, ended: Ended) -> bool:
    return (past.game, past.replayed) == (ended.game, 0) and past.at <= ended.at


def _best(ended: Ended, seat: Seat, own: Sequence[tuple[Ended, Seat]]) -> Iterator[Text]:
    seats, points = len(ended.seats), ended.points[seat]
    before = [past.points[at] for past, at in own if len(past.seats) == seats]
    if len(before) >= _COMPARED and points > max(before):
        yield texts(
            "{name}'s best result at a table of {seats}: {n} point, up from {before}.",
            "{name}'s best result at a table of {seats}: {n} points, up from {before}.",
            points, name=ended.seats[seat].name, seats=seats, before=max(before),
        )  # fmt: skip


def _beaten(ended: Ended, seat: Seat, own: Sequence[tuple[Ended, Seat]]) -> Iterator[Text]:
    level = _level_beaten(ended, seat)
    wins = [_level_beaten(past, at) for past, at in own]
    times = wins.count(level) + 1
    if level is None or level == LEVELS[0] or times < _TIMES_BEATEN:
        return
    # the hardest level comes first
    harder = LEVELS[LEVELS.index(level) - 1]
    if harder not in wins:
        yield texts(
            "{name} has beaten {level} once: try {harder}.",
            "{name} has beaten {level} {n} times: try {harder}.",
            times, name=ended.seats[seat].name, level=level_of(level), harder=level_of(harder),
        )  # fmt: skip


def _level_beaten(ended: Ended, seat: Seat) -> str | None:
    """Return the level that a seat has beaten as sole winner, if all others were bots of one level."""
    others = {holder.bot for at, holder in enumerate(ended.seats) if at != seat}
    level = next(iter(others), None)
    has_won = ended.winners == (seat,)
    return level if has_won and len(others) == 1 and level in LEVELS else None


_ALL: Final = 100_000
"""More matches than anybody plays."""


class MatchHistory:
    """The histories of all users, from one log and the archive of purged tables."""

    def __init__(
        self, log: TableLog, archive: Archive | None = None, daily: DailyDeals | None = None
    ) -> None:
        """Take the log, the archive, and the deals of the day, which may still be secret."""
        self._log = log
        self._archive = archive
        self._daily = daily

    async def lines(self, user: str, skip: int = 0) -> tuple[tuple[PastMatch, ...], bool]:
        """Return a page of a user's matches, newest first, after `skip`, and whether there are older ones.

        Raises `KkError`.
        """
        _check_account(user)
        found = await self._log.results_of(user, skip, PAGE + 1)
        return tuple(past_match(user, ended) for ended in found[:PAGE]), len(found) > PAGE

    async def games_of(self, user: str, least: int = 1) -> frozenset[str]:
        """Return the games of which a user has finished at least `least` matches; none for guests.

        Raises `KkError`.
        """
        return frozenset() if is_guest(user) else frozenset(await self._log.games_of(user, least))

    async def remarks(self, user: str, table_id: str, number: int) -> tuple[Text, ...]:
        """Return remarks about a match for a user; none for guests. Raises `KkError`."""
        ended = None if is_guest(user) else await self._log.result_of(user, table_id, number)
        if ended is None:
            return ()
        results = await self._log.results_of(user)
        return remarks_on(
            ended, user, [past for past in results if (past.table, past.match) != (table_id, number)]
        )

    async def tries(self, user: str) -> list[OwnTry]:
        """Return a user's matches of deals of the day. Raises `StorageFailed`."""
        results = await self._log.results_of(user, most=_ALL)
        return [
            OwnTry(
                ended.daily, ended.game, ended.table, ended.match, ended.at, ended.seats[PLAYER].name,
                ended.points[PLAYER], ended.share_of_win(PLAYER),
            )
            for ended in results
            if ended.daily
        ]  # fmt: skip

    async def line(self, user: str, table_id: str, number: int) -> PastMatch:
        """Return one of a user's matches. Raises `KkError`."""
        return past_match(user, await self._ended(user, table_id, number))

    async def match(self, user: str, table_id: str, number: int) -> tuple[Match, tuple[SeatHolder, ...]]:
        """Return one of a user's matches, and the holders of its seats. Raises `KkError`."""
        ended = await self._ended(user, table_id, number)
        entries = await self._entries(table_id, number)
        self._check_no_secret(entries)
        match = await match_of(self._log, entries)
        if match is None:
            raise NotPossible(text("There is no table {table}.", table=repr(table_id)))
        return match, ended.seats

    async def match_named(self, name: str) -> tuple[str, int]:
        """Return a match's table and number from its name, ID-N, or ID for the last one at a table.

        Raises `KkError`.
        """
        parts = parse_match_name(name)
        if parts is None:
            raise NoMatchName(name)
        table_id, number = parts
        return table_id, number or await self._last(table_id)

    async def ended(self, user: str, table_id: str, number: int) -> tuple[Match, tuple[SeatHolder, ...]]:
        """Return a finished match of the user or of a public table, and the holders of its seats.

        Raises `KkError`.
        """
        entries = await self._entries(table_id, number)
        created = entries[0] if entries else None
        # what anybody could have watched, anybody may look at afterwards
        is_public = isinstance(created, Created) and created.code is None and created.watched
        own = None if is_guest(user) else await self._log.result_of(user, table_id, number)
        if is_public or own is not None:
            self._check_no_secret(entries)
            table = await _table_after(self._log, entries)
            if table is not None and table.match is not None and table.match.is_over:
                place = table.created.daily or table_id
                return table.match, named(place, table.seats, number) if own is None else own.seats
            if table is not None and table.match is not None:
                raise NotPossible(text("The match isn't over yet; its record stays secret until then."))
        # the same answer whether the match is somebody else's or does not exist, so that
        # asking reveals nothing
        raise NotPossible(text("There is no match {table} that you may view.", table=repr(table_id)))

    async def forget(self, user: str, table_id: str, number: int) -> None:
        """Remove a match from a user's history for good; other players keep theirs. Raises `KkError`."""
        await self._ended(user, table_id, number)
        await self._log.forget_result(user, table_id, number)

    def _check_no_secret(self, entries: tuple[Entry, ...]) -> None:
        created = entries[0] if entries else None
        day = created.daily if isinstance(created, Created) else ""
        if self._daily is not None and self._daily.is_secret(day):
            raise NotPossible(SECRET_DEAL)

    async def _last(self, table_id: str) -> int:
        stored = await self._log.read(table_id)
        if not stored.entries and self._archive is not None:
            return await self._archive.last(table_id) or 0
        return sum(isinstance(entry, Started) for entry in stored.entries)

    async def _entries(self, table_id: str, number: int) -> tuple[Entry, ...]:
        stored = await self._log.read(table_id)
        if stored.damage is not None:
            raise stored.damage
        if not stored.entries and self._archive is not None:
            return await self._archive.entries(table_id, number)
        return until(stored.entries, number)

    async def _ended(self, user: str, table_id: str, number: int) -> Ended:
        _check_account(user)
        ended = await self._log.result_of(user, table_id, number)
        if ended is None:
            raise NotPossible(text("You haven't played that match."))
        return ended


def _check_account(user: str) -> None:
    if is_guest(user):  # a guest's name may be somebody else's tomorrow
        raise NotPossible(
            text(
                "You have no account here yet: open the game once with an SSH key. From then on your "
                "matches are kept."
            )
        )


class Analyses:
    """Runs an analysis as long as somebody asks for more; the place keeps what it has found."""

    def __init__(self, analyst: Analyst, limits: Limits) -> None:
        self._analyst = analyst
        self._asking: set[str] = set()
        self.use(limits)

    def use(self, limits: Limits) -> None:
        """Apply new limits."""
        self._begun = TokenBuckets(limits.analyses_per_minute / _MINUTE, limits.analyses_at_once)

    async def go_on(self, user: str, place: Place, known: int) -> told.Analysis:
        """Continue the analysis of a place's match for a user. Raises `KkError`."""
        if user in self._asking:
            raise LimitReached(text("Your analysis is already under way."))
        analysis = place.analysis or self._begin(user, place)
        self._asking.add(user)
        try:
            await self._analyst.go_on(analysis)
        finally:
            self._asking.discard(user)
        return analysis.found(known)

    def _begin(self, user: str, place: Place) -> MatchAnalysis:
        if not self._begun.take(user):
            raise RateLimited(text("You have had several matches analysed; please wait a minute."))
        try:
            return place.begin_analysis()
        except KkError:
            # refused, so it does not count
            self._begun.put_back(user)
            raise
