"""Whole matches between bots, without anybody watching."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

from kk_core.bot_names import BOT_PREFIX
from kk_core.bots import bot
from kk_core.chance import Chance
from kk_core.game import AnyGame
from kk_core.match import Match
from kk_core.types import Options


def seed_of(series: str, number: int) -> bytes:
    """The seed of one match of a series; the same series gives the same matches."""
    return sha256(f"{series}:{number}".encode()).digest()


def play_match(game: AnyGame, options: Options, bots: Sequence[str], seed: bytes) -> Match:
    """Play one match to its end. Raises `InvalidOptions` for unknown bots, options or numbers of seats."""
    match = new_match(game, options, bots, seed)
    for _ in plies(match, bots):
        pass
    return match


def new_match(game: AnyGame, options: Options, bots: Sequence[str], seed: bytes) -> Match:
    """A match between bots before its first move."""
    names = tuple(f"{BOT_PREFIX}{name}" for name in bots)
    return Match(game, options, names, seed)


def plies(match: Match, bots: Sequence[str]) -> Iterator[int]:
    """Play on to the end, one move at a time; gives the number of moves made."""
    game = match.game
    choosers = [bot(name, game.meta.id) for name in bots]
    chances = [Chance(sha256(match.seed + b"bot" + bytes([seat])).digest()) for seat in range(len(bots))]
    while active := game.active_seats(match.state):
        seat = active[0]
        move = choosers[seat](game.observe(match.state, seat), chances[seat])
        match.play(seat, move)
        yield len(match.plies)
