"""The command `kk`: its commands and options, and how mistakes are reported."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.exceptions import TyperException
from typer.main import get_group

from kk_core import __version__
from kk_core.errors import KkError, where
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_server.cli import ELSEWHERE, Failure, Usage, completion, error_line
from kk_server.cli.language import Command, CommandGroup, MainGroup, Untyped, mistake, say

_YOUNG: Final = 150_000
"""The garbage collector's first threshold while a command is imported: many objects, and no garbage.

A look at so many would be seen in an animation, so `fullscreen.run` lowers it.
"""


app = typer.Typer(
    name="kk", cls=MainGroup, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
)
records = typer.Typer(
    cls=CommandGroup, help="Show, check and publish records of matches.", rich_markup_mode=None
)
app.add_typer(records, name="record")
stored = typer.Typer(cls=CommandGroup, help="Maintain what a server has stored.", rich_markup_mode=None)
app.add_typer(stored, name="store")

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A record saved by the game or a server.")]

_UNIX: Final = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"})
"""Modules that only Unix has."""

BotProcesses = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", show_default=False,
        help="Processes for bots to think in; by default one fewer than your processors.",
    ),
]  # fmt: skip


@app.callback(invoke_without_command=True)
def kk(
    context: typer.Context,
    lang: Annotated[  # noqa: ARG001 - `MainGroup` uses it, before any help is shown
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            autocompletion=completion.languages,
            help="The language of everything, e.g. de; by default that of your settings or your terminal.",
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Kardinal & König and Ku-Ka-King for the terminal: at one keyboard, against bots or over SSH."""
    if version:
        typer.echo(f"kk {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(cls=Untyped)
def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", autocompletion=completion.games, help="Start this game at once, e.g. land_cards."
        ),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="SEATS",
            autocompletion=completion.seats,
            help="Who sits where: me, a bot, or the name of somebody else at this keyboard, "
            "e.g. me,hard,Beate.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A rule option of the game; can be repeated."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="SEED", help="The same seed deals the same cards.")
    ] = None,
    go_on: Annotated[bool, typer.Option("--continue", help="Continue the most recent match.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Play in lines of text, for screen readers and scripts.")
    ] = False,
    bot_processes: BotProcesses = None,
) -> None:
    """Play at this keyboard, against bots or taking turns. Every match is saved."""
    from kk_server.cli import play as command

    command.play(game, seats, option or [], seed, bot_processes, go_on=go_on, plain=plain)


@app.command(cls=Command)
def lesson(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            autocompletion=completion.lessons,
            help="The game, e.g. land_cards, web_of_power or ku_ka_king.",
        ),
    ],
) -> None:
    """Learn a game by playing it. In a few minutes you do everything once, with explanations."""
    from kk_server.cli import play as command

    command.learn(game)


@app.command(cls=Command)
def serve(
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings, as in config/server.toml."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on, or all; by default localhost, this machine only."
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, metavar="PORT", help="Port to listen on, 0 for any free one; 8022 by default."
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder for tables, records and the host key.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Keep tables and accounts in PostgreSQL, e.g. postgresql://localhost/kk.",
        ),
    ] = None,
    guests: Annotated[
        str | None,
        typer.Option(
            metavar="yes|no",
            help="Whether people without an SSH key may play, under marked names; yes by default.",
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Admit only the keys in this file, in the format of authorized_keys."
        ),
    ] = None,
    admins: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Keys that may administer the server with ssh HOST COMMAND, in the same format.",
        ),
    ] = None,
    bot_processes: BotProcesses = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=64, metavar="N", help="Processes that draw players' screens; 1 by default."),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT", help="Also serve a page for browsers here; needs the extra kk[web]."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Any other setting, e.g. limits.tables=50."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Print the settings that would apply, and exit.")
    ] = False,
) -> None:
    """Host tables for friends. They join with any ssh client or with `kk connect`."""
    from kk_server.cli import serve as command

    typed = {
        "host": host, "port": port, "data": data, "store": store, "guests": guests, "allow": allow,
        "admins": admins, "bot_processes": bot_processes, "workers": workers, "web": web,
    }  # fmt: skip
    command.serve(config, typed, setting or [], check=check)


@app.command(cls=Command)
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to create.")],
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="The server's settings file.")] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="The server's data folder.")] = None,
) -> None:
    """Copy a server's tables and accounts, even while it is running."""
    from kk_server.cli import store as command

    command.backup(file, config, data)


@app.command(cls=Command)
def connect(
    address: Annotated[str, typer.Argument(metavar="[NAME@]HOST[:PORT]", help="The server to connect to.")],
    link: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Link this machine's SSH key to the account that shows this code."),
    ] = None,
    join: Annotated[
        str | None, typer.Option(metavar="CODE", help="Go straight to the table this invitation is for.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Play in lines of text, for screen readers and scripts.")
    ] = False,
) -> None:
    """Play on a server, with the app running on this machine."""
    from kk_server.cli import connect as command

    command.connect(address, link, join, plain=plain)


@app.command(cls=Command)
def simulate(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", autocompletion=completion.games, help="The game, e.g. land_cards."),
    ],
    seats: Annotated[
        str,
        typer.Option(
            metavar="SEATS",
            autocompletion=completion.bots,
            help="A bot for every seat, e.g. greedy,greedy,random.",
        ),
    ],
    games: Annotated[int, typer.Option(min=1, metavar="N", help="Number of matches.")] = 100,
    seed: Annotated[str, typer.Option(metavar="SEED", help="The same seed gives the same matches.")] = "1",
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A rule option of the game; can be repeated."),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to save a record of every match in.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Play bots against each other, without a screen."""
    from kk_server.cli import simulate as command

    command.simulate(game, seats, games, seed, option or [], records, as_json=json)


@app.command(cls=Command)
def arena(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", autocompletion=completion.games, help="The game, e.g. land_cards."),
    ],
    bots: Annotated[
        str,
        typer.Option(
            metavar="BOTS",
            autocompletion=completion.bots,
            help="A bot for every seat, e.g. hard,greedy,greedy; hard:50 runs 50 simulations a move.",
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000,
            metavar="N",
            show_default=False,
            help="Number of matches, ideally a multiple of the number of seats, as each deal is played with "
            "every rotation of them; by default 100, rounded up to a multiple.",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="SEED", help="The same seed gives the same deals.")] = "1",
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A rule option of the game; can be repeated."),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            max=max(64, os.cpu_count() or 1),
            metavar="N",
            help="Matches to play at once, each in its own process.",
        ),
    ] = 1,
    timed: Annotated[
        bool, typer.Option("--timed", help="Limit bots by processor time instead of simulations.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to save results in, and to continue from later.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compare bots in matches. They play the same deals with every rotation of the seats."""
    from kk_core.search.arena import Contest
    from kk_server.cli import arena as command

    pairs = dict(setting.partition("=")[::2] for setting in option or [])
    contest = Contest(game, tuple(bots.split(",")), pairs, seed, timed)
    command.arena(contest, games, jobs, save, as_json=json)


@app.command(cls=Command)
def bot(
    connect: Annotated[str, typer.Option(metavar="[NAME@]HOST[:PORT]", help="The server to connect to.")],
    command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND", help="A program that reads lines of JSON and answers each with a move."
        ),
    ],
    table: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The table; by default one where it already has a seat.",
        ),
    ] = None,
    join: Annotated[
        str | None, typer.Option(metavar="CODE", help="The table this invitation is for.")
    ] = None,
    at_any: Annotated[
        bool, typer.Option("--any", help="Take a free seat at any table, or wait for one.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(min=0.1, metavar="SECONDS", help="How long the program may take to answer."),
    ] = 60,
) -> None:
    """Let your own program play one match on a server."""
    from kk_server.cli import bot as command_

    command_.run(connect, command, command_.Destination(table, join, at_any), patience)


@app.command("completion", cls=Command)
def complete(
    shell: Annotated[
        str,
        typer.Argument(metavar="bash|zsh|fish", autocompletion=completion.shells, help="Your shell."),
    ],
) -> None:
    """Print what makes your shell complete commands, options and games after kk."""
    typer.echo(completion.script(shell))


@records.command(cls=Command)
def show(file: RecordFile) -> None:
    """Show a match move by move, and its score."""
    from kk_server.cli import record as command

    command.show(file)


@records.command(cls=Command)
def analyse(
    file: RecordFile,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=1, metavar="N", show_default=False, help="Stop after this many seconds, even if unfinished."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show the expected results turn by turn, and the costliest moves."""
    from kk_server.cli import analyse as command

    command.analyse(file, seconds, as_json=json)


@records.command(cls=Command)
def verify(file: RecordFile) -> None:
    """Replay a record and report any faults. Checks its shuffle against the commitment, too."""
    from kk_server.cli import record as command

    command.verify(file)


@records.command(cls=Command)
def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A record, or DIR/TABLE for a table in a server's data folder."),
    ],
    unfinished: Annotated[
        bool,
        typer.Option(
            "--unfinished", help="Export the match even if it is still running; this reveals its whole deal."
        ),
    ] = False,
) -> None:
    """Print a record as one JSON object that any program can referee."""
    from kk_server.cli import record as command

    command.export(file, unfinished=unfinished)


@stored.command("check", cls=Command)
def check_store(
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="The server's settings file.")] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="The server's data folder.")] = None,
    store: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A PostgreSQL database: postgresql://HOST/DATABASE.")
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Set damaged rows aside and rebuild what can be rebuilt; stop the server first.",
        ),
    ] = False,
    without_records: Annotated[
        bool,
        typer.Option("--without-records", help="Skip records/, for a copy of the database alone."),
    ] = False,
) -> None:
    """Check that all tables, summaries and records can be read. Says what to do if not."""
    from kk_server.cli import store as command

    command.check(config, data, store, repair=repair, with_records=not without_records)


@stored.command("copy", cls=Command)
def copy_store(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM", help="A server's data folder or tables.sqlite, or postgresql://HOST/DATABASE."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO", help="A folder without tables.sqlite, a new file, or an empty database."
        ),
    ],
) -> None:
    """Copy tables, results and accounts into another database. Stop the server first."""
    from kk_server.cli import store as command

    command.copy(source, target)


def _open_missing_streams() -> None:
    """Give a process that was started without standard streams (`>&-`) empty ones."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # this one is the lowest free number; output would go to the next file that got it
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def main() -> None:
    """Run the command line: usage errors exit 2, failures exit 1, each with its reasons on stderr."""
    gc.set_threshold(_YOUNG)
    _open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have letters that its encoding lacks
    if completion.is_asked_for():
        _complete()
    try:
        code = _command()(standalone_mode=False)
        # not left to Python's end, where nobody catches what a closed pipe raises
        sys.stdout.flush()
        # not standalone, typer returns the status of an `Exit`, and else what the command has returned
        sys.exit(code if isinstance(code, int) else 0)
    except TyperException as error:
        _stop(2, say(mistake(error)))
    except Failure as error:
        _stop(2 if isinstance(error, Usage) else 1, *map(say, error.reasons))
    except KkError as error:
        _stop(1, say(_for_host(error)))
    except BrokenPipeError:
        # whoever read our output has closed it: nothing is left to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _stop(1, say(text("{name}{reason}", name=name, reason=system_reason(error))))
    except (KeyboardInterrupt, typer.Abort):
        # 128 and the number of SIGINT, as shells say it
        sys.exit(130)
    except ModuleNotFoundError as error:
        _stop(1, say(ELSEWHERE if error.name in _UNIX else _fault(error)))
    except Exception as error:
        _stop(1, say(_fault(error)))


def _complete() -> NoReturn:
    """Answer a shell; whatever cannot be completed is answered by nothing, as somebody is still typing."""
    completion.prepare()
    with contextlib.suppress(Exception):
        _command()(standalone_mode=False)
    sys.exit(0)


def _fault(error: Exception) -> Text:
    return text("Internal error in kk: {where}.", where=where(error))


@cache
def _command() -> Any:
    # on demand and only once: building all commands takes longer than most of them
    return get_group(app)


def _for_host(error: KkError) -> Text:
    from kk_server.storage.table_log import told_host

    return told_host(error)


def _stop(code: int, *messages: str) -> None:
    for message in messages:
        with contextlib.suppress(BrokenPipeError):
            print(error_line(message), file=sys.stderr)  # noqa: T201
    sys.exit(code)
