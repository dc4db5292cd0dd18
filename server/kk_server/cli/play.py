"""`kk play`: tables of one's own in this process, with nobody else there."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Final

import platformdirs

from kk_core import config
from kk_core.bot_names import DEFAULT_BOT, ME, bot_choices, bot_names
from kk_core.checks import complete_options
from kk_core.errors import InvalidOptions, KkError
from kk_core.match import Match
from kk_core.protocol.messages import OpenLesson, OpenTable
from kk_core.protocol.stream import ClientLink
from kk_core.registry import game
from kk_core.text import Text, quoted, text, texts
from kk_server import log
from kk_server.accounts.names import AT_HOME, BadName, clean_name, without_signs
from kk_server.background import spawn
from kk_server.cli import Failure, Usage
from kk_server.cli.common import account_name, check_data, tell_refused_bots
from kk_server.cli.fullscreen import home_app, need_terminal, recent_file, records_folder, run, settings_file
from kk_server.cli.language import note
from kk_server.hub.hub import Hub
from kk_server.limits import Limits, Timeouts
from kk_server.storage.folder import FolderInUse, hold_folder, mark_used
from kk_server.storage.memory_log import FallbackLog
from kk_server.storage.sql_log import SqlLog, open_log
from kk_server.storage.sqlite import DATABASE, reading
from kk_server.storage.summaries import PLAYING
from kk_server.storage.table_log import Damaged, TableLog
from kk_server.tables.place import NotPossible
from kk_tui.app import Connect
from kk_tui.games import faces
from kk_tui.languages import demanded_language, language_of
from kk_tui.saving import SaveState
from kk_tui.settings import NAMELESS, Choice

_LIMITS: Final = Limits(tables=10_000, tables_per_user=10_000, analyses_at_once=10_000)
"""There is nobody else to protect."""


_TIMES: Final = Timeouts(empty=inf, unplayed=inf)
"""Matches at home never expire."""


def data_folder() -> Path:
    """Return the folder of matches and records."""
    return platformdirs.user_data_path("kk", appauthor=False)


@asynccontextmanager
async def home_hub(
    folder: Path, bot_processes: int | None = None, save_state: SaveState | None = None
) -> AsyncIterator[Hub]:
    """Run the hub at home, with earlier matches; `save_state` is told while matches cannot be stored."""
    kept_in, save_state = _Folder(folder), save_state or SaveState()
    log = FallbackLog(kept_in.open, save_state.tell, read_file=kept_in.read)
    save_state.unkept, save_state.is_unread = log.unkept, lambda: log.is_unread
    await log.open()
    is_late = not log.opened.is_set()
    hub = Hub(log, bot_processes=bot_processes, hints=True, limits=_LIMITS, times=_TIMES)
    finding: asyncio.Task[None] | None = None
    try:
        await hub.load()
        over = await _found(hub, hub.table_cache.ids())
        if is_late:
            finding = spawn(_find_later(hub, log, over), "find earlier matches")
        else:
            await _close(hub, over)
        yield hub
    finally:
        if finding is not None:
            finding.cancel()
        await hub.close()
        kept_in.let_go()


def connector(hub: Hub) -> Connect:
    """Return a function that connects to the hub at home."""

    async def connect() -> ClientLink:
        return hub.connect(AT_HOME)

    return connect


class _Folder:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None
        self._is_in_use = False

    async def open(self) -> TableLog:
        """Lock the folder and open its log. Raises `KkError`."""
        # the log asks again every few seconds while it fails, and may have failed behind the lock
        if self._lock is None:
            # the file may be a link into another folder
            real = (self._path / DATABASE).resolve().parent
            try:
                self._lock = hold_folder(real, text("kk is already running on this machine."))
            except FolderInUse:
                self._is_in_use = True
                raise
        opened = await open_log(self._path / DATABASE)
        try:
            await self._check_own(opened)
        except BaseException:
            await opened.close()
            self.let_go()
            raise
        mark_used(self._lock)
        return opened

    @asynccontextmanager
    async def read(self) -> AsyncIterator[TableLog]:
        """Open the log only to read it. Raises `KkError`."""
        if self._is_in_use:  # whoever went on here with a match of the other one could not keep it
            raise NotPossible(text("kk is already running on this machine."))
        async with reading(self._path / DATABASE) as database:
            found = SqlLog(database)
            await self._check_own(found)
            yield found

    async def _check_own(self, found: SqlLog) -> None:
        # nobody at home could play at the tables of others, nor close them; it is not tried again
        if not await found.is_of(AT_HOME):
            raise Damaged(
                text("{file} belongs to a server, not to matches at home.", file=str(self._path / DATABASE))
            )

    def let_go(self) -> None:
        """Unlock the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


async def _find_later(hub: Hub, log: FallbackLog, over: Sequence[str]) -> None:
    """Find the matches of a file that could not be opened at first, once it can be; `over` are known ones."""
    await log.opened.wait()
    await _close(hub, [*over, *await _found(hub, await hub.find_tables())])


async def _found(hub: Hub, tables: Collection[str]) -> list[str]:
    """Wait until tables that were found are known; returns those whose match does not go on."""
    await hub.table_cache.backfilled()
    if hub.left_out:
        hub.sessions.announce(_left_out(hub.left_out))
    summaries = hub.table_cache.summaries()
    return [table for table, summary in summaries if table in tables and summary.phase != PLAYING]


async def _close(hub: Hub, over: Sequence[str]) -> None:
    # only running matches can be continued; the others are in the history
    for table in over:
        if table in hub.table_cache:
            await hub.close_table(AT_HOME, table)


def _left_out(n: int) -> Text:
    return texts("{n} match can no longer be read and is left out.",
                 "{n} matches can no longer be read and are left out.", n)  # fmt: skip


_SEED: Final = re.compile(r"[0-9a-f]{64}")
_LETTERS_A_SLIP: Final = 4
"""Letters of a bot's name for each slip with which a word is still taken for it."""

_BEGUN: Final = 3
"""Letters from which the beginning of a bot's name is taken for that bot."""

_ANY_BOT: Final = ("bot", "ai", "cpu", "computer")


@dataclass(frozen=True)
class TableRequest:
    """A table asked for on the command line; a seat has the name of a bot or of a person."""

    game: str
    options: dict[str, str]
    seats: tuple[tuple[str | None, str], ...]
    seed: bytes | None


def play(
    game_id: str | None,
    seats: str | None,
    options: Sequence[str],
    seed: str | None,
    bot_processes: int | None = None,
    *,
    go_on: bool,
    plain: bool = False,
) -> None:
    """Play at this keyboard. Raises `Usage` for what is not possible, and without a terminal.

    If it is `plain`, in lines of text, which need none.
    """
    if config.own_folder() is not None:
        check_data()  # else each game reads what came with the program, and checks it, when it is chosen
    request = parse_table_request(game_id, seats, options, seed)
    if request is not None and go_on:
        raise Usage(text("--continue resumes the newest match; it takes no game."))
    if request is not None:
        _check_shown(request.game)
    if not plain:
        need_terminal()
    tell_refused_bots()
    log.silence()  # the screen belongs to the game
    asyncio.run(_play(request, bot_processes, go_on=go_on, plain=plain))


def learn(game_id: str) -> None:
    """Play the lesson of a game. Raises `Usage` for an unknown game, and without a terminal."""
    if config.own_folder() is not None:
        check_data()
    try:
        game(game_id)
    except InvalidOptions as error:
        raise Usage(error.reason) from None
    _check_shown(game_id)
    need_terminal()
    log.silence()
    asyncio.run(_learn(game_id))


def show(match: Match, title: str) -> None:
    """Show a match in the app, ply by ply."""
    log.silence()
    asyncio.run(_show(match, title))


async def _play(
    request: TableRequest | None, bot_processes: int | None, *, go_on: bool, plain: bool = False
) -> None:
    save_state = SaveState()
    async with home_hub(data_folder(), bot_processes, save_state) as hub:
        start = await _begin(hub, request) if request else newest(hub) if go_on else None
        if go_on and start is None:
            raise Failure(save_state.unread or text("There is no match to continue."))
        if plain:
            await _play_in_lines(hub, start, save_state)
            return
        await run(home_app(connector(hub), local=True, go_to=start, pace=hub.pace, save_state=save_state))


async def _play_in_lines(hub: Hub, start: str | None, save_state: SaveState) -> None:
    from kk_server.cli.plain import converse
    from kk_tui.plain.client import PlainClient

    if (fault := save_state.sentence) is not None:
        note(fault)
    await converse(
        lambda write, reader: PlainClient(
            connector(hub), write, reader, local=True, go_to=start, name=clean_name(_own_name()),
            settings=settings_file(), pace=hub.pace, language=language_of(os.environ),
            demanded_language=demanded_language(os.environ), records=records_folder(),
        )
    )  # fmt: skip


async def _learn(game_id: str) -> None:
    save_state = SaveState()
    async with home_hub(data_folder(), save_state=save_state) as hub:
        table = await hub.open_lesson(AT_HOME, OpenLesson(0, game_id, clean_name(_own_name())))
        await run(home_app(connector(hub), local=True, go_to=table.id, pace=hub.pace, save_state=save_state))


async def _show(match: Match, title: str) -> None:
    save_state = SaveState()
    async with home_hub(data_folder(), save_state=save_state) as hub:
        place = hub.add_replay(match, title)
        app = home_app(
            connector(hub), local=True, go_to=place, only_replay=True, pace=hub.pace, save_state=save_state
        )
        await run(app)


def newest(hub: Hub) -> str | None:
    """Return the table that changed last, among those whose match goes on."""
    lines = [table.line() for table in hub.table_cache.all()]
    playing = [line for line in lines if line.phase == PLAYING and not line.lesson]
    return max(playing, key=lambda line: line.at).id if playing else None


async def _begin(hub: Hub, request: TableRequest) -> str:
    table = await hub.open_table(AT_HOME, OpenTable(0, request.game, request.options, len(request.seats)))
    for seat, (bot, name) in enumerate(request.seats):
        if bot is None:
            await table.take_seat(AT_HOME, seat, name)
        else:
            await table.set_bot(AT_HOME, seat, bot)
    await table.start(AT_HOME, request.seed)
    # as the form of a new match does, so that it offers the same again
    recent, seats = recent_file(), tuple((bot or "", name) for bot, name in request.seats)
    recent.save(recent.load().begun(request.game, Choice(request.options, seats)))
    return table.id


# -- what was typed ------------------------------------------------------------------------------------------


def parse_table_request(
    game_id: str | None, seats: str | None, options: Sequence[str], seed: str | None
) -> TableRequest | None:
    """Parse the table that the command line describes; None without a game. Raises `Usage`."""
    if game_id is None:
        if seats is not None or options or seed is not None:
            raise Usage(text("--seats, --option and --seed need a game: kk play GAME ..."))
        return None
    try:
        meta = game(game_id).meta
        least = ",".join([ME, *[DEFAULT_BOT] * (meta.min_seats - 1)])
        words = (least if seats is None else seats).split(",")
        if len(words) < meta.min_seats:
            raise Usage(_too_few(len(words), seats or least, meta.min_seats))
        people = tuple(_seat(word.strip()) for word in words)
        pairs = dict(_pair(option) for option in options)
        chosen = complete_options(meta, len(people), pairs)
    except (InvalidOptions, BadName) as error:
        raise Usage(error.reason) from None
    return TableRequest(game_id, chosen, people, None if seed is None else parse_seed(seed))


def _seat(word: str) -> tuple[str | None, str]:
    """Parse a seat: a bot and its name, or a person. Raises `Usage` if a bot was probably meant."""
    if word in bot_names():
        return word, ""
    if word == ME:
        return None, clean_name(_own_name())
    # `hard:500` is a player of kk arena
    first, colon, _ = word.partition(":")
    meant = _meant(first.strip())
    if meant is not None and colon:
        raise Usage(
            text(
                "{word}: unlike in kk arena, a bot at a table takes no number of simulations; write "
                "{meant}.",
                word=quoted(word), meant=meant,
            )
        )  # fmt: skip
    meant = DEFAULT_BOT if word in _ANY_BOT else meant
    if meant is not None:
        raise Usage(
            text(
                "{word} would be the name of a person; did you mean {meant}?", word=quoted(word), meant=meant
            )
        )
    # nobody would notice that a mistyped bot is a person until the screen is handed over
    if word.islower() and len(word) in map(len, (*bot_names(), ME)):
        raise Usage(
            text(
                "{word} is neither me nor a bot ({bots}); for a person, write {name}.",
                word=quoted(word), bots=", ".join(bot_choices()), name=word.capitalize(),
            )
        )  # fmt: skip
    return None, clean_name(word)


def _check_shown(game_id: str) -> None:
    if game_id not in faces():
        name = game(game_id).meta.name
        raise Usage(text("{game} has rules here but no screen; kk simulate plays it without one.", game=name))


def _too_few(n: int, seats: str, least: int) -> Text:
    return texts(
        "{seats} names {n} seat, but the game needs at least {least}: each is me, a bot "
        "({bots}) or a name.",
        "{seats} names {n} seats, but the game needs at least {least}: each is me, a bot "
        "({bots}) or a name.",
        n, seats=quoted(seats), least=least, bots=", ".join(bot_choices()),
    )  # fmt: skip


def _meant(word: str) -> str | None:
    """Return the bot, or "me", that somebody probably means."""
    plain = word.casefold()
    if plain in (*bot_names(), ME):
        return plain
    # "Hardy" is a person, but "Hard" is the bot
    if word[:1].isupper():
        return None
    close = [bot for bot in bot_names() if _slips(plain, bot) <= max(1, len(bot) // _LETTERS_A_SLIP)]
    begun = [bot for bot in bot_names() if len(plain) >= _BEGUN and bot.startswith(plain)]
    return next(iter((*sorted(close, key=partial(_slips, plain)), *begun)), None)


def _slips(typed: str, meant: str) -> int:
    """Count letters that are missing, too many or wrong, and neighbours in the wrong order."""
    before, last = list[int](), list(range(len(meant) + 1))
    for i, letter in enumerate(typed, 1):
        row = [i]
        for j, other in enumerate(meant, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != other)))
            if i > 1 and j > 1 and (letter, typed[i - 2]) == (meant[j - 2], other):
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def _own_name() -> str:
    """Return the user's name as the app does: in the settings, or the last one, or their account's."""
    name = ""
    with suppress(KkError):
        name = settings_file().load().name
    return without_signs(name or recent_file().load().name or account_name()) or NAMELESS


def _pair(option: str) -> tuple[str, str]:
    name, separator, value = option.partition("=")
    if not separator:
        raise Usage(text("{option} is not an option; write KEY=VALUE.", option=quoted(option)))
    return name, value


def parse_seed(words: str) -> bytes:
    """Parse a seed: 64 hex digits are the seed itself, as in records; other words are hashed with SHA-256."""
    return bytes.fromhex(words) if _SEED.fullmatch(words) else sha256(words.encode()).digest()
