"""Whole matches between bots, and contests of many matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

import msgspec

from kk_core.bot_names import BOT_PREFIX, LEVELS, STYLES
from kk_core.chance import Chance
from kk_core.errors import BotFailed, InvalidOptions, KkError, told
from kk_core.game import AnyGame
from kk_core.match import Match, told_apart
from kk_core.search.bots import Allowance, Bot, allowance_of, bot
from kk_core.search.memory import BotMemory
from kk_core.search.opponents import Watching
from kk_core.text import quoted, text
from kk_core.types import Options, totals

Timer: TypeAlias = Callable[[], float]
"""A clock in seconds; only differences matter."""

MOST_SIMULATIONS: Final = 1_000_000
"""The most simulations a label can ask for; with more, a move would take hours."""

NORMAL_95: Final = 1.96


class Contestant(NamedTuple):
    """A bot with its allowance: "hard", "hard:50" with its own number of simulations, or "hard:builder" in a
    style.
    """

    name: str
    allowance: Allowance
    label: str
    """The name in a contest, without the number of simulations if it is the usual one."""
    style: str | None = None


def parse_contestant(label: str, game_id: str) -> Contestant:
    """Parse a label such as "hard", "hard:50" or "hard:builder", for a game. Raises `InvalidOptions`."""
    name, colon, number = label.strip().partition(":")
    usual = allowance_of(name, game_id)
    if not colon:
        return Contestant(name, usual, name)
    if name in LEVELS and number in STYLES:
        return Contestant(name, usual, label.strip(), number)
    if name in LEVELS and number.isalpha():
        raise InvalidOptions(
            text(
                "{label}: there is no style {style}; there are {styles}.",
                label=quoted(label.strip()), style=quoted(number), styles=", ".join(STYLES),
            )
        )  # fmt: skip
    if usual.simulations <= 1:
        raise InvalidOptions(
            text(
                "{label}: the bot {name} does not search, so it takes no number of simulations.",
                label=quoted(label.strip()), name=name,
            )
        )  # fmt: skip
    is_number = number.isascii() and number.isdigit() and len(number) <= len(str(MOST_SIMULATIONS))
    if not (is_number and 1 <= int(number) <= MOST_SIMULATIONS):
        raise InvalidOptions(
            text(
                "{label}: the colon must be followed by a number of simulations, 1 to {most}.",
                label=quoted(label.strip()), most=MOST_SIMULATIONS,
            )
        )  # fmt: skip
    own = usual._replace(simulations=int(number))
    return Contestant(name, own, name if own == usual else f"{name}:{own.simulations}")


def seed_of(series: str, number: int) -> bytes:
    """Return the seed of match `number` of a series; the same series gives the same matches."""
    return sha256(f"{series}:{number}".encode()).digest()


def play_match(game: AnyGame, options: Options, bots: Sequence[str], seed: bytes) -> Match:
    """Play a match to its end. Raises `InvalidOptions` for unknown bots, options or numbers of seats."""
    match = new_match(game, options, bots, seed)
    for _ in plies(match, bots):
        pass
    return match


def new_match(game: AnyGame, options: Options, bots: Sequence[str], seed: bytes) -> Match:
    """Return a match between bots before its first move."""
    return Match(game, options, told_apart([f"{BOT_PREFIX}{name}" for name in bots]), seed)


def plies(match: Match, bots: Sequence[str]) -> Iterator[int]:
    """Play on to the end, one move at a time; yields the number of moves made.

    Budgets count simulations, not seconds, so that the same seed gives the same match.
    """
    players = [parse_contestant(label, match.game.meta.id) for label in bots]
    for _ in _choices(match, players, None):
        yield len(match.plies)


def _choices(match: Match, players: Sequence[Contestant], clock: Timer | None) -> Iterator[tuple[int, bool]]:
    """Play on to the end; yields the seat that has moved, and whether it had a choice."""
    game = match.game
    bots = [_made(player, game) for player in players]
    # a stream per bot, so that one bot's draws do not affect the others
    chances = [Chance(sha256(match.seed + b"bot" + bytes([seat])).digest()) for seat in range(len(bots))]
    notes = [BotMemory() for _ in bots]
    while active := game.active_seats(match.state):
        # one after the other even in a simultaneous choice: no seat sees the others' choices
        seat = active[0]
        observation = game.observe(match.state, seat)
        budget = players[seat].allowance.budget(clock)
        player, chance = bots[seat], chances[seat]
        with _blamed(players[seat].name):
            if isinstance(player, Watching):
                notes[seat].known(match, seat).tell(player, chance)
            move = player.choose(observation, chance, budget)
            if isinstance(player, Watching):
                notes[seat].keep(match, player.memory)
        if move not in observation.legal_moves:
            raise BotFailed(
                text(
                    "The bot {name} answered {move}, which is not a legal move.",
                    name=repr(players[seat].name),
                    move=quoted(str(move)),
                )
            )
        match.play(seat, move)
        yield seat, len(observation.legal_moves) > 1


def _made(player: Contestant, game: AnyGame) -> Bot:
    with _blamed(player.name):
        return bot(player.name, game, player.style)


@contextmanager
def _blamed(name: str) -> Iterator[None]:
    # reports an error in a bot as the bot's, not the match's
    try:
        yield
    except KkError:
        raise
    except (Exception, SystemExit) as error:  # bots from other packages may raise anything
        raise BotFailed(text("The bot {name} failed: {error}", name=repr(name), error=told(error))) from error


# -- series --------------------------------------------------------------------------------------------------


class Contest(msgspec.Struct, frozen=True):
    """A series of matches: every deal is played once with each rotation of the bots over the seats.

    With `timed`, bots think by a clock, otherwise they count simulations. `rules` is the rules version, set
    if results are saved: results with other cards do not belong to the same contest.
    """

    game: str
    bots: tuple[str, ...]
    options: dict[str, str]
    seed: str
    timed: bool = False
    rules: str = ""


class MatchResult(msgspec.Struct, frozen=True):
    """The result of a contest's match; each tuple has one entry per bot, in the contest's order.

    `wins` are shares of the win; `seconds` and `choices` count only moves with a choice.
    """

    number: int
    points: tuple[int, ...]
    wins: tuple[float, ...]
    seconds: tuple[float, ...]
    choices: tuple[int, ...]


class BotSummary(msgspec.Struct, frozen=True):
    """The results of all seats of a bot: its share of the wins per seat with the 95 % interval, its mean
    points, and milliseconds per move.
    """

    bot: str
    seats: int
    games: int
    share: float
    low: float
    high: float
    points: float
    milliseconds: float


def play_numbered(game: AnyGame, contest: Contest, number: int, clock: Timer) -> MatchResult:
    """Play match `number` of a contest; the clock measures moves, and limits them if the contest is timed."""
    seats = len(contest.bots)
    # every deal is played once per rotation, so that luck with cards evens out
    deal, turn = divmod(number, seats)
    order = [(seat + turn) % seats for seat in range(seats)]  # which bot sits where
    players = [parse_contestant(contest.bots[i], contest.game) for i in order]
    match = new_match(game, contest.options, [player.name for player in players], seed_of(contest.seed, deal))
    seconds, choices = [0.0] * seats, [0] * seats
    begun = clock()
    for seat, had_choice in _choices(match, players, clock if contest.timed else None):
        now = clock()
        if had_choice:
            seconds[order[seat]] += now - begun
            choices[order[seat]] += 1
        begun = now
    outcome = game.outcome(match.state)
    winners = outcome.winners if outcome else ()
    points, wins = [0] * seats, [0.0] * seats
    for seat, sum_ in enumerate(totals(game.score(match.state))):
        points[order[seat]] = sum_
        # a shared win counts as a part for each winner
        wins[order[seat]] = 1 / len(winners) if seat in winners else 0.0
    return MatchResult(number, tuple(points), tuple(wins), tuple(seconds), tuple(choices))


def summaries_of(contest: Contest, results: Sequence[MatchResult]) -> list[BotSummary]:
    """Sum up the results, one summary per bot label, in the contest's order."""
    lines = []
    for label in dict.fromkeys(contest.bots):
        own = [i for i, other in enumerate(contest.bots) if other == label]
        games = len(results)
        # a bot with several seats has one try per seat in each match
        tries = games * len(own)
        won = sum(result.wins[i] for result in results for i in own)
        low, high = interval(won, tries)
        spent = sum(result.seconds[i] for result in results for i in own)
        moves = sum(result.choices[i] for result in results for i in own)
        points = sum(result.points[i] for result in results for i in own)
        lines.append(
            BotSummary(label, len(own), games, won / max(1, tries), low, high, points / max(1, tries),
                 1000 * spent / max(1, moves))
        )  # fmt: skip
    return lines


def interval(won: float, tries: int) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval of a share."""
    if not tries:
        return 0.0, 1.0
    # unlike the normal approximation, it stays within 0 and 1 for few matches
    share, square = won / tries, NORMAL_95**2
    middle = (share + square / (2 * tries)) / (1 + square / tries)
    half = NORMAL_95 * sqrt(share * (1 - share) / tries + square / (4 * tries**2)) / (1 + square / tries)
    return max(0.0, middle - half), min(1.0, middle + half)
