"""The deal of the day: its seats and seeds, the line of signs that sums up a match, and the text to share.

Everybody gets the same deal against the same bots. These stop after a number of simulations, and their
random choices follow from the day's seed, so the same moves always lead to the same match.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from kk_core.bot_names import level_of
from kk_core.text import Text, text, texts
from kk_core.types import Meta, Seat
from kk_core.views import Course, DailyLine, DailyTable

PLAYER: Final = 0
"""The person's seat."""

SEATS: Final = 3
"""The seats of a deal of the day, if the game allows that number."""

BOT: Final = "medium"
"""The bot on all other seats; it has no memory, so that a restart changes none of its moves."""

BOTS_VERSION: Final = 1
"""The version of how those bots play, stored with a day's deal, so that an update changes them from the next
day on. In version 0 they had no styles.
"""

SIGNS: Final = 8
"""The number of signs of a match, one for each eighth of it."""

STANDING_SIGNS: Final = "█▄▁"
"""The signs for whoever is first, in between, and last."""


def seats_for(meta: Meta) -> int:
    """Return the number of seats in a game's deal of the day."""
    return max(meta.min_seats, min(SEATS, meta.max_seats))


def unranked_seed(day: str, game_id: str) -> bytes:
    """Return the seed of a day's deal at home, where it follows from the date."""
    return sha256(f"kk deal of the day {day} {game_id}".encode()).digest()


def bot_seed(seed: bytes, seat: Seat, choice: int) -> bytes:
    """Return the seed for a bot's choice number `choice`, from 0; it does not reveal the deal's seed."""
    return sha256(b"bot" + bytes([seat]) + choice.to_bytes(4, "big") + seed).digest()


def signs(course: Course, seat: Seat) -> str:
    """Return a sign for a seat's place after each eighth of a match: first, in between, or last.

    The signs reveal no cards and no moves, so they may be shared.
    """
    last = len(course.points) - 1
    return "".join(_sign(course.points[part * last // SIGNS], seat) for part in range(1, SIGNS + 1))


def _sign(points: tuple[int, ...], seat: Seat) -> str:
    high, middle, low = STANDING_SIGNS
    if points[seat] == max(points):
        return high
    return low if points[seat] == min(points) else middle


def share_text(table: DailyTable, game: Text) -> tuple[Text, ...]:
    """Return four lines to share, or none if the user has not finished."""
    own = table.own
    if own is None:
        return ()
    said: dict[str, Text | str] = {"game": game, "day": table.day, "server": table.server}
    if table.server:
        head = text("{game}, deal of the day {day} at {server}", **said)
    else:
        head = text("{game}, deal of the day {day}", **said)
    if not table.ranked:
        won = texts(
            "against {n} {level} bot", "against {n} {level} bots", table.seats - 1, level=level_of(table.bot)
        )  # fmt: skip
        return head, texts("{n} point", "{n} points", own.points), text("{signs}", signs=table.signs), won
    return (
        head,
        texts("{points} points, the only result so far", "{points} points, place {place} of {n}",
              table.finished, points=own.points, place=own.place),
        text("{signs}", signs=table.signs),
        streak_words(table.streak),
    )  # fmt: skip


def daily_words(table: DailyTable, *, is_guest: bool, has_state: bool = True) -> Iterator[Text]:
    """Yield the sentences shown to a user below the table of a day.

    Without `has_state`, those about the user's progress, result and streak are left out.
    """
    n = table.finished
    if not table.ranked:
        if table.own is not None and has_state:
            yield _own_words(table.own)
        yield text("At home the date decides the cards, and only you see your result.")
        return
    yield text("Nobody has finished it.") if not n else texts(
        "{n} account has finished it.", "{n} accounts have finished it.", n
    )  # fmt: skip
    if not table.is_over:
        if table.own is None:
            yield text("Finish it to see how others did; at midnight UTC everybody can.")
        if table.table is not None:
            if has_state:
                yield text("You are playing it now.")
        elif is_guest:
            yield text("Guests can play it unranked; connect with an SSH key to count.")
        elif table.own is None and table.tried:
            yield text("You didn't finish your first try; any other is practice.")
        elif table.own is None:
            yield text("Your first try counts if you finish it today.")
    if table.streak and has_state:
        yield streak_words(table.streak)
    if table.seed is None:
        yield text("SHA-256 of the seed (revealed tomorrow): {digest}", digest=table.commitment.hex())
    else:
        yield text("Seed: {seed}", seed=table.seed.hex())


def _own_words(own: DailyLine) -> Text:
    if own.won == 1:
        return texts(
            "You finished it with {n} point, and you won.",
            "You finished it with {n} points, and you won.",
            own.points,
        )
    return texts("You finished it with {n} point.", "You finished it with {n} points.", own.points)


def streak_words(days: int) -> Text:
    """Return a streak in words."""
    return texts("Streak: {n} day", "Streak: {n} days in a row", days)
