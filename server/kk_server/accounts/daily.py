"""Deals of the day: their seeds, the first tries of accounts, how those went, and streaks.

A day is one of UTC. Its seed is drawn when somebody first asks for the deal, and stored; it is shown once the
day is over. Where there are no accounts, as at home, it follows from the date, and nothing is counted.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile
from time import time
from typing import Final, NamedTuple

from msgspec.structs import replace

from kk_core.chance import SEED_BYTES, commitment
from kk_core.daily import BOT, BOTS_VERSION, unranked_seed
from kk_core.errors import KkError
from kk_core.text import text
from kk_core.views import DAY, DailyLine, DailyPast, DailyTable, is_guest
from kk_server.storage.entries import Ended
from kk_server.storage.sql import Database

MOST_LINES: Final = 100
"""Lines of a day's ranking, besides the user's own."""

SECRET_DEAL: Final = text("Others may still play this deal, so it stays secret until midnight UTC.")

_ONE: Final = timedelta(days=1)
_WEEKS: Final = timedelta(weeks=8)
"""How far back a user's results are listed."""

_KEEP_DEAL: Final = """
    INSERT INTO daily_deals (day, game, seed, seats, bot) VALUES (:day, :game, :seed, :seats, :bot)
    ON CONFLICT DO NOTHING
"""
_DEAL: Final = "SELECT seed, seats, bot FROM daily_deals WHERE day = ? AND game = ?"
_EARLIER: Final = "SELECT max(day) FROM daily_deals WHERE game = ? AND day < ?"
_LATER: Final = "SELECT min(day) FROM daily_deals WHERE game = ? AND day > ?"
_BEGIN: Final = """
    INSERT INTO daily_tries (day, game, account, table_id) VALUES (:day, :game, :account, :table)
    ON CONFLICT DO NOTHING
"""
_FINISH: Final = """
    INSERT INTO daily_tries (day, game, account, table_id, at, points, won, signs)
    VALUES (:day, :game, :account, :table, :at, :points, :won, :signs)
    ON CONFLICT (day, game, account) DO UPDATE SET at = :at, points = :points, won = :won, signs = :signs
    WHERE daily_tries.table_id = :table AND daily_tries.at IS NULL
"""
_HAS_TRIED: Final = "SELECT 1 FROM daily_tries WHERE day = ? AND game = ? AND account = ?"
_RESULTS: Final = """
    SELECT account, points, won, signs FROM daily_tries WHERE day = ? AND game = ? AND at IS NOT NULL
    ORDER BY points DESC, at, account
"""
_DAYS: Final = """
    SELECT DISTINCT day FROM daily_tries WHERE account = ? AND day <= ? AND at IS NOT NULL ORDER BY day DESC
"""


_PAST: Final = """
    SELECT day, game, points, won FROM daily_tries WHERE account = ? AND day > ? AND at IS NOT NULL
    ORDER BY day DESC, game
"""


class NoDeal(KkError):
    """A day without a deal."""


class DailyDeal(NamedTuple):
    """The deal of a game on a day, for so many seats: one person, and bots of one level.

    `version` is that of how the bots play (`kk_core.daily.BOTS_VERSION`).
    """

    day: str
    game: str
    seed: bytes
    seats: int
    bot: str
    version: int = BOTS_VERSION


class DailyResult(NamedTuple):
    """The result of an account's first try; `won` is its share of the win, from 0 to 1."""

    account: str
    points: int
    won: float
    signs: str


class OwnTry(NamedTuple):
    """A finished match of a deal where nothing is ranked; `name` is that of the player's seat.

    It is match `number` of its `table`, and ended `at`, in seconds since 1970. `won` is the player's share of
    the win, from 0 to 1.
    """

    day: str
    game: str
    table: str
    number: int
    at: int
    name: str
    points: int
    won: float


class DailyStore:
    """The SQL tables of deals and of first tries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep_deal(self, deal: DailyDeal) -> None:
        """Store a deal, unless there is one for this game and day. Raises `StorageFailed`."""
        row = {"day": deal.day, "game": deal.game, "seed": deal.seed.hex(), "seats": deal.seats}
        await self._database.write(_KEEP_DEAL, {**row, "bot": f"{deal.bot} {deal.version}"})

    async def deal(self, day: str, game: str) -> DailyDeal | None:
        """Return the deal of a game on a day, or None. Raises `StorageFailed`."""
        for seed, seats, bot in await self._database.rows(_DEAL, (day, game)):
            level, _, version = str(bot).partition(" ")  # version 0 was stored without a number
            return DailyDeal(day, game, bytes.fromhex(seed), int(seats), level, int(version or 0))
        return None

    async def beside(self, day: str, game: str) -> tuple[str | None, str | None]:
        """Return the last day before, and the first one after, that have a deal. Raises `StorageFailed`."""
        ((earlier,),) = await self._database.rows(_EARLIER, (game, day))
        ((later,),) = await self._database.rows(_LATER, (game, day))
        return earlier, later

    async def begin(self, deal: DailyDeal, account: str, table: str) -> None:
        """Store at which table an account's first try was begun. Raises `StorageFailed`."""
        row = {"day": deal.day, "game": deal.game, "account": account, "table": table}
        await self._database.write(_BEGIN, row)

    async def has_tried(self, day: str, game: str, account: str) -> bool:
        """Return whether an account has begun its first try. Raises `StorageFailed`."""
        return bool(await self._database.rows(_HAS_TRIED, (day, game, account)))

    async def finish(self, day: str, ended: Ended, result: DailyResult) -> None:
        """Store the result of the first try; another one's changes nothing. Raises `StorageFailed`."""
        row = {"day": day, "game": ended.game, "table": ended.table, "at": ended.at, **result._asdict()}
        await self._database.write(_FINISH, row)

    async def results(self, day: str, game: str) -> list[DailyResult]:
        """Return the results of a day, the best first. Raises `StorageFailed`."""
        rows = await self._database.rows(_RESULTS, (day, game))
        return [
            DailyResult(str(account), int(points), float(won), str(signs))
            for account, points, won, signs in rows
        ]

    async def past(self, account: str, after: str) -> tuple[DailyPast, ...]:
        """Return an account's results after a day, the newest first. Raises `StorageFailed`."""
        rows = await self._database.rows(_PAST, (account, after))
        return tuple(
            DailyPast(str(day), str(game), int(points), float(won)) for day, game, points, won in rows
        )

    async def days(self, account: str, until: str) -> list[str]:
        """Return the days up to one on which an account has finished, the last first.

        Raises `StorageFailed`.
        """
        return [str(day) for (day,) in await self._database.rows(_DAYS, (account, until))]


class DailyDeals:
    """The deals of the day of a hub; without a store they are unranked, and no secrets."""

    def __init__(self, store: DailyStore | None = None, clock: Callable[[], float] = time) -> None:
        """Take the store, and the clock that days begin and end by, in seconds since 1970."""
        self.clock = clock
        self._store = store
        self.opening = asyncio.Lock()
        """Held while a first try is begun, which cannot be begun twice."""

    @property
    def is_ranked(self) -> bool:
        """True if first tries count."""
        return self._store is not None

    def today(self) -> str:
        """Return the present day."""
        return day_of(self.clock())

    def is_secret(self, day: str) -> bool:
        """Return whether nobody may see the seed of a day's deals yet."""
        return self.is_ranked and bool(day) and day >= self.today()

    async def deal(self, day: str, game: str, seats: int) -> DailyDeal:
        """Return a deal; today's is drawn if nobody has asked for it before, for so many seats.

        Raises `NoDeal`, `StorageFailed`.
        """
        if self._store is None:
            return DailyDeal(day, game, unranked_seed(day, game), seats, BOT)
        found = await self._store.deal(day, game)
        if found is None and day == self.today():
            await self._store.keep_deal(DailyDeal(day, game, secrets.token_bytes(SEED_BYTES), seats, BOT))
            # read again: somebody else may have asked at the same moment, and the first draw stays
            found = await self._store.deal(day, game)
        if found is None:
            raise NoDeal(text("Nobody opened the deal of the day on {day}.", day=day))
        return found

    def check_day(self, typed: str) -> str:
        """Return a day as it was typed, today if nothing was. Raises `NoDeal`."""
        if not typed:
            return self.today()
        try:
            day = date.fromisoformat(typed).isoformat()
        except ValueError:
            raise NoDeal(text("{day} is not a date; write it like 2026-11-24.", day=repr(typed))) from None
        if day > self.today():
            raise NoDeal(text("{day} is in the future (days begin and end by UTC).", day=day))
        return day

    async def counts(self, deal: DailyDeal, user: str) -> bool:
        """Return whether the next try of a user would count. Raises `StorageFailed`."""
        if self._store is None or is_guest(user):
            return False
        return not await self._store.has_tried(deal.day, deal.game, user)

    async def begin(self, deal: DailyDeal, user: str, table: str) -> None:
        """Note that an account plays its first try at a table. Raises `StorageFailed`."""
        if self._store is not None:
            await self._store.begin(deal, user, table)

    async def finish(self, day: str, ended: Ended, result: DailyResult) -> None:
        """Store the result of a first try, unless the day was over by then. Raises `StorageFailed`."""
        if self._store is not None and day_of(ended.at) == day:
            await self._store.finish(day, ended, result)

    async def table(
        self, deal: DailyDeal, user: str, playing_at: str | None, tries: Sequence[OwnTry] = ()
    ) -> DailyTable:
        """Return the table of a day as a user may see it, who plays the deal at `table` or nowhere.

        Where nothing is ranked, it is about the user's own `tries`. Raises `StorageFailed`.
        """
        left = 0 if deal.day < self.today() else DAY - int(self.clock()) % DAY
        view = DailyTable(
            deal.game, deal.day, deal.day < self.today(), deal.seats, deal.bot, commitment(deal.seed),
            None if self.is_secret(deal.day) else deal.seed, table=playing_at, ranked=self.is_ranked,
            left=left,
        )  # fmt: skip
        if self._store is None:
            return self._unranked(view, tries)
        return await self._ranked(self._store, deal, user, view)

    def _unranked(self, view: DailyTable, tries: Sequence[OwnTry]) -> DailyTable:
        """Return a table of the user's own tries; the first one of a day is the one that is told of it."""
        first = first_tries(tries)
        results = [
            DailyResult(each.name, each.points, each.won, "")
            for each in sorted(tries, key=lambda each: (-each.points, each.at))
            if (each.day, each.game) == (view.day, view.game)
        ]
        lines = _lines(results)
        own = first.get((view.day, view.game))
        days = sorted({day for day, _game in first if day <= view.day}, reverse=True)
        others = {day for day, game in first if game == view.game} | {self.today()}
        return replace(
            view,
            finished=len(lines),
            lines=tuple(lines),
            own=None if own is None else next(line for line in lines if line.points == own.points),
            streak=_streak(days, view.day),
            tried=bool(lines),
            earlier=max((day for day in others if day < view.day), default=None),
            later=min((day for day in others if day > view.day), default=None),
            past=tuple(
                DailyPast(each.day, each.game, each.points, each.won)
                for each in sorted(first.values(), key=lambda each: (each.day, each.game), reverse=True)
                if each.day > self._past_from
            ),
        )

    @property
    def _past_from(self) -> str:
        """The last day whose results are not told any more."""
        return (date.fromisoformat(self.today()) - _WEEKS).isoformat()

    async def _ranked(self, store: DailyStore, deal: DailyDeal, user: str, view: DailyTable) -> DailyTable:
        results = await store.results(deal.day, deal.game)
        lines = _lines(results)
        own = next((line for line in lines if line.name == user), None)
        earlier, later = await store.beside(deal.day, deal.game)
        shown = lines if view.is_over or own is not None else []
        more = [own] if own is not None and own in shown[MOST_LINES:] else []
        is_known = not is_guest(user)
        return replace(
            view,
            finished=len(results),
            lines=(*shown[:MOST_LINES], *more),
            own=own,
            signs="" if own is None else next(each.signs for each in results if each.account == user),
            streak=_streak(await store.days(user, deal.day), deal.day) if is_known else 0,
            tried=await store.has_tried(deal.day, deal.game, user),
            earlier=earlier,
            later=later,
            past=await store.past(user, self._past_from) if is_known else (),
        )


def first_tries(tries: Iterable[OwnTry]) -> dict[tuple[str, str], OwnTry]:
    """Return the first try of each day and game; one finished on a later day is none."""
    in_time = (each for each in tries if day_of(each.at) == each.day)
    return {(each.day, each.game): each for each in sorted(in_time, key=lambda each: -each.at)}


def day_of(moment: float) -> str:
    """Return the day, by UTC, of a moment in seconds since 1970."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _lines(results: Sequence[DailyResult]) -> list[DailyLine]:
    lines: list[DailyLine] = []
    for number, result in enumerate(results, 1):
        before = lines[-1] if lines else None
        place = before.place if before is not None and before.points == result.points else number
        lines.append(DailyLine(place, result.account, result.points, result.won))
    return lines


def _streak(days: Iterable[str], until: str) -> int:
    """Return how many days in a row there are up to one."""
    played, last = [date.fromisoformat(day) for day in days], date.fromisoformat(until)
    # that day itself may still be played
    if last not in played[:1]:
        last -= _ONE
    expected = (last - n * _ONE for n in range(len(played)))
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(played, expected, strict=True))))
