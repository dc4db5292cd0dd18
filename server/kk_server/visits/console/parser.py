"""The commands, their help, and the parsing of what was typed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from itertools import pairwise
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import typer
from typer.exceptions import TyperException

from kk_core.protocol.stream import CLOSED, LinkClosed, Writer
from kk_core.text import Text, quoted, text, text_in
from kk_server.gateway import JOIN, LINK, MATCH, NEEDS_TERMINAL, PLAIN, TABLE, Caller, CommandRequest
from kk_server.visits.console import moderation, queries
from kk_server.visits.console.context import (
    CommandContext,
    CommandRefused,
    HostedServer,
    ParsedCommand,
    Run,
    RunningCommand,
    in_columns,
)

_HOST: Final = "ssh HOST"
_COMMAND: Final = text_in("placeholder", "COMMAND")


Say: TypeAlias = Callable[[Text], str]
"""Translates a sentence for the user."""


def all_commands(commands: Mapping[str, Any], say: Say) -> Iterator[str]:
    """Yield the help: every command with its sentence."""
    yield say(text("Usage: {usage}", usage=_in_a_row(_HOST, _COMMAND)))
    yield ""
    yield "  " + say(text("Without a command, you enter the game."))
    yield ""
    yield from _columns([(name, say(Text(command.help or ""))) for name, command in commands.items()])
    yield ""
    yield say(text("`{command}` explains one of them.", command=_in_a_row(_HOST, "help", _COMMAND)))


def one_command(name: str, command: Any, say: Say) -> Iterator[str]:
    """Yield the help of a command: usage, sentence, and the meaning of its words."""
    yield say(text("Usage: {usage}", usage=usage(name, command)))
    yield ""
    yield "  " + say(Text(command.help))
    if told := [(say(word_of(param)), say(Text(param.help))) for param in command.params if param.help]:
        yield ""
        yield from _columns(told)


def usage(name: str, command: Any) -> Text:
    """Return a command as it is typed."""
    return _in_a_row(_HOST, name, *map(_typed, command.params))


def is_option(param: Any) -> bool:
    """Return whether a parameter is an option rather than an argument."""
    return bool(param.param_type_name == "option")


def word_of(param: Any) -> Text:
    """Return an argument by its placeholder, an option as it is typed."""
    value = [text_in("placeholder", param.metavar)] if param.metavar else []
    return _in_a_row(*(param.opts[:1] if is_option(param) else []), *value)


def _typed(param: Any) -> Text:
    return word_of(param) if param.required else Text("[{word}]", (("word", word_of(param)),))


def _in_a_row(*words: Text | str) -> Text:
    """Return words with blanks between them, which are the same in all languages."""
    fields = [str(n) for n in range(len(words))]
    return Text(" ".join(f"{{{field}}}" for field in fields), tuple(zip(fields, words, strict=True)))


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    return (f"  {line}" for line in in_columns(rows))


def no_command(name: str, known: Sequence[str]) -> Text:
    """Return the error for an unknown command, with the one that may have been meant."""
    for meant in get_close_matches(name, [each for each in known if each not in _admins], 1):
        return text("Unknown command {name}. Did you mean {meant}?", name=repr(name), meant=repr(meant))
    return text("Unknown command {name}. See: help", name=repr(name))


def mistake(words: Sequence[str], commands: Mapping[str, Any], error: Exception) -> Text:
    """Return the sentence for words that the parser has refused, with the command's usage."""
    if not words:
        return text("No command given. See: help")
    name, *rest = words
    if name not in commands:
        return no_command(name, list(commands))
    reason = _reason_of_option(error) or _reason(name, rest, commands[name])
    return text("{reason} Usage: {usage}", reason=reason, usage=usage(name, commands[name]))


def _reason_of_option(error: Any) -> Text | None:
    """Return why the value of an option was refused; None if that was not the reason."""
    match type(error).__name__:  # by name: typer has the classes in a private module
        case "BadOptionUsage" if "does not take" not in error.message:
            return text("{option} needs a value.", option=error.option_name)
        case "BadParameter" if error.param is not None and is_option(error.param):
            least, most = error.param.min, error.param.max
            return text("{word} must be a whole number from {least} to {most}.",
                        word=error.param.opts[0], least=least, most=most)  # fmt: skip
    return None


def _reason(name: str, rest: Sequence[str], command: Any) -> Text:
    options = {option for param in command.params if is_option(param) for option in param.opts}
    valued = {
        option for param in command.params if is_option(param) and not param.is_flag for option in param.opts
    }
    arguments = [param for param in command.params if not is_option(param)]
    given = [
        word for before, word in pairwise(("", *rest)) if not _is_like_option(word) and before not in valued
    ]
    for word in rest:
        if _is_like_option(word) and word not in options:
            return text("{command} has no option {option}.", command=name, option=repr(word))
    for param in arguments[len(given) :]:
        if param.required:
            return text("{command} needs {word}.", command=name, word=word_of(param))
    if len(given) > len(arguments):
        return text("Too many arguments for {command}: {word}.", command=name,
                    word=repr(given[len(arguments)]))  # fmt: skip
    return text("{command} does not accept {value} as {word}.", command=name, value=repr(given[-1]),
                word=word_of(arguments[-1]))  # fmt: skip


def _is_like_option(word: str) -> bool:
    # "-5" is a number that a command may refuse with a better message
    return word.startswith("-") and not word[1:].isdigit()


LONGEST: Final = 4000
"""Characters of a command at most."""

_HELP: Final = ("--help", "-h")

AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Table = Annotated[str, typer.Argument(metavar="ID", help="The table's ID, as shown by `tables`.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="The code you were given; lower case is fine.")]
Words = Annotated[list[str], typer.Argument(metavar="TEXT", help="One line of text.")]
Name = Annotated[list[str], typer.Argument(metavar="NAME", help="The name, as shown by `who`.")]
Whom = Annotated[
    str,
    typer.Argument(
        metavar="WHOM",
        help="A name in one word, e.g. AnnaMaria for Anna Maria, including any that look like it; a key, "
        "e.g. SHA256:...; an address or a network.",
    ),
]
OneName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="The name in one word: AnnaMaria for Anna Maria, carl2 for ~carl 2."),
]
Reason = Annotated[list[str] | None, typer.Argument(metavar="REASON", help="Why.")]

FOR_EVER: Final = "forever"
_LONGEST_BAN: Final = timedelta(days=36_500)

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    # `help` is a command here, and `parse` turns --help into it
    context_settings={"help_option_names": []},
)


_admins: Final = set[str]()
"""The commands that only admins may run; they are not suggested, since it is not known yet who asks."""

Work = TypeVar("Work", bound=Callable[..., ParsedCommand])


def _for_admins(work: Work) -> Work:
    """Make a command of a function, for admins only."""
    _admins.add(work.__name__)
    return app.command()(work)


class NotUnderstood(CommandRefused):
    """Something typed that is no command."""


def parse(command: str) -> ParsedCommand:
    """Parse a command. Raises `NotUnderstood`."""
    if len(command) > LONGEST:
        raise NotUnderstood(text("A command has at most {n} characters.", n=LONGEST))
    words = _words_of(command)
    if words[:1] == ["scp"]:  # what scp sent before OpenSSH 9.0
        raise NotUnderstood(text("Fetch files with sftp, or with scp -s."))
    if any(word in _HELP for word in words):
        words = ["help", *[word for word in words if word not in _HELP][:1]]
    try:
        work: ParsedCommand = _parser(words, prog_name="ssh HOST", standalone_mode=False)
    except TyperException as error:
        raise NotUnderstood(mistake(words, _commands(), error)) from None
    return work


class ServerConsole:
    """The console of one server."""

    def __init__(self, server: HostedServer) -> None:
        self._server = server

    def parse(self, caller: Caller, request: CommandRequest, writer: Writer) -> RunningCommand:
        """Return the command that was typed; it answers through `writer`. Raises `KkError`."""
        parsed = parse(request.command)
        if request.is_sent and not parsed.is_forwarded:  # a node of another version, or a fault of ours
            raise LinkClosed(CLOSED)
        return RunningCommand(self._server, parsed, caller, request, writer)


def _words_of(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        # an unclosed quote is part of its word
        return command.split()


@app.command()
def tables(json: AsJson = False) -> ParsedCommand:
    """List the tables you can join or watch."""
    return ParsedCommand(lambda context: queries.tables(context, as_json=json))


@app.command()
def who(json: AsJson = False) -> ParsedCommand:
    """Show who is online, and where."""
    return ParsedCommand(lambda context: queries.who(context, as_json=json))


@app.command()
def watch(
    table: Annotated[
        list[str],
        typer.Argument(metavar="TABLE", help="The table's ID or title, or the name of somebody there."),
    ],
    json: AsJson = False,
) -> ParsedCommand:
    """Follow a running match line by line, until it ends."""
    return ParsedCommand(
        lambda context: queries.watch(context, " ".join(table), as_json=json), is_forwarded=True
    )


@app.command()
def history(
    skip: Annotated[int, typer.Option(min=0, max=10**9, metavar="N", help="Skip the newest N matches.")] = 0,
    json: AsJson = False,
) -> ParsedCommand:
    """List the matches you have played, a thousand at a time."""
    return ParsedCommand(lambda context: queries.history(context, skip, as_json=json))


@app.command()
def record(
    match: Annotated[
        str,
        typer.Argument(metavar="ID[-N]", help="A table's ID, with -N for its Nth match; otherwise its last."),
    ],
    json: AsJson = False,
    signature: Annotated[
        bool, typer.Option("--signature", help="Get the server's signature of the record instead.")
    ] = False,
) -> ParsedCommand:
    """Get the record of a finished match, as a file."""
    del json  # a record is JSON
    return ParsedCommand(lambda context: queries.record(context, match, signature=signature))


@app.command()
def keys(
    what: Annotated[
        str | None, typer.Argument(metavar="remove|name", help="Remove KEY, or name it NAME.")
    ] = None,
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="The key's name, or the start of its fingerprint.")
    ] = None,
    name: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="The key's new name.")] = None,
    json: AsJson = False,
) -> ParsedCommand:
    """List, remove or name the SSH keys that open your account."""
    if what is None:
        return ParsedCommand(lambda context: moderation.keys(context, as_json=json))
    if what not in ("remove", "name") or key is None or (what == "name" and not name):
        raise NotUnderstood(text("Usage: keys remove KEY, or keys name KEY NAME."))
    if what == "remove":  # a key's name may have several words
        key, name = " ".join((key, *(name or ()))), None
    return ParsedCommand(
        lambda context: moderation.change_key(context, what, key, " ".join(name or ())), is_change=True
    )


@app.command()
def calls(
    what: Annotated[
        str | None,
        typer.Argument(metavar="at|confirm|stop", help="Be called at ADDRESS, confirm it by CODE, or stop."),
    ] = None,
    word: Annotated[
        str | None,
        typer.Argument(metavar="ADDRESS|CODE", help="Where to call you, or the code that was sent there."),
    ] = None,
    json: AsJson = False,
) -> ParsedCommand:
    """Be told by mail or elsewhere when it is your turn and you are away."""
    if what is None:
        return ParsedCommand(lambda context: moderation.calls(context, as_json=json))
    if what not in ("at", "confirm", "stop") or (word is None) != (what == "stop"):
        raise NotUnderstood(text("Usage: calls at ADDRESS, calls confirm CODE, or calls stop."))
    return ParsedCommand(lambda context: moderation.change_calls(context, what, word or ""), is_change=True)


@app.command()
def leaderboard(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Just this game; otherwise all games.")
    ] = None,
    json: AsJson = False,
) -> ParsedCommand:
    """Show the best players, by rated matches."""
    return ParsedCommand(lambda context: queries.leaderboard(context, game, as_json=json))


@app.command()
def day(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Just this game; otherwise all games.")
    ] = None,
    date: Annotated[
        str, typer.Option("--date", metavar="DATE", help="An earlier day, e.g. 2026-11-24 (UTC).")
    ] = "",
    share: Annotated[bool, typer.Option("--share", help="Get your result as four lines to share.")] = False,
    json: AsJson = False,
) -> ParsedCommand:
    """Show the deal of the day, and how everybody did."""
    return ParsedCommand(lambda context: queries.day(context, game, date, share=share, as_json=json))


@app.command()
def health(json: AsJson = False) -> ParsedCommand:
    """Show how the server is doing."""
    return ParsedCommand(lambda context: queries.health(context, as_json=json), is_for_anybody=True)


@app.command(JOIN)
def join(code: Code) -> ParsedCommand:
    """Go to the table an invitation is for; needs ssh -t."""
    return ParsedCommand(_needs_terminal(code))


@app.command(PLAIN)
def plain() -> ParsedCommand:
    """Play in lines of text; with ssh -t, lines can be edited."""
    return ParsedCommand(_needs_terminal(""))


@app.command(TABLE)
def table(code: Annotated[str, typer.Argument(metavar="ID", help="A table, as in tables.")]) -> ParsedCommand:
    """Go to a table, to play or to watch; needs ssh -t."""
    return ParsedCommand(_needs_terminal(code))


@app.command(MATCH)
def match(
    code: Annotated[
        str,
        typer.Argument(metavar="ID[-N]", help="A table's ID, with -N for its Nth match; otherwise its last."),
    ],
) -> ParsedCommand:
    """Go to the replay of a finished match; needs ssh -t."""
    return ParsedCommand(_needs_terminal(code))


@app.command(LINK)
def link(code: Code) -> ParsedCommand:
    """Link your key to the account the code is from; needs ssh -t."""
    return ParsedCommand(_needs_terminal(code))


@app.command()
def report(
    name: OneName,
    why: Annotated[
        list[str] | None, typer.Argument(metavar="WHY", help="What is wrong, in your own words.")
    ] = None,
) -> ParsedCommand:
    """Report somebody to the host, with what you have seen them say."""
    return ParsedCommand(lambda context: moderation.report(context, name, " ".join(why or ())))


@app.command("help")
def show_help(
    command: Annotated[str | None, typer.Argument(metavar="COMMAND", help="The command to explain.")] = None,
) -> ParsedCommand:
    """List all commands, or explain one."""
    return ParsedCommand(
        lambda context: _show(context, _help_of(command, context.in_words)), is_for_anybody=True
    )


@_for_admins
def kick(name: Name) -> ParsedCommand:
    """Admins: disconnect somebody; they may come back."""
    return ParsedCommand(lambda context: moderation.kick(context, " ".join(name)), is_admins=True)


@_for_admins
def ban(
    whom: Whom,
    days: Annotated[
        str | None, typer.Argument(metavar="DAYS", help="How long; if forever or left out, until unban.")
    ] = None,
    reason: Annotated[
        list[str] | None,
        typer.Argument(metavar="REASON", help="Shown to whoever is banned; goes after DAYS."),
    ] = None,
) -> ParsedCommand:
    """Admins: keep somebody out, even if they have already left."""
    lasting, why = _lasting("ban", days, timedelta(days=1)), " ".join(reason or ())
    return ParsedCommand(lambda context: moderation.ban(context, whom, lasting, why), is_admins=True)


@_for_admins
def unban(whom: Whom, reason: Reason = None) -> ParsedCommand:
    """Admins: lift a ban."""
    del reason  # the audit log has it, like all of the command
    return ParsedCommand(lambda context: moderation.unban(context, whom), is_admins=True)


@_for_admins
def mute(
    name: OneName,
    minutes: Annotated[
        str | None, typer.Argument(metavar="MINUTES", help="How long; otherwise until unmute.")
    ] = None,
) -> ParsedCommand:
    """Admins: hide somebody's messages, in the lobby and at all tables."""
    lasting = _lasting("mute", minutes, timedelta(minutes=1))
    return ParsedCommand(lambda context: moderation.mute(context, name, lasting), is_admins=True)


@_for_admins
def unmute(name: OneName) -> ParsedCommand:
    """Admins: show somebody's messages again."""
    return ParsedCommand(lambda context: moderation.unmute(context, name), is_admins=True)


@_for_admins
def mutes(json: AsJson = False) -> ParsedCommand:
    """Admins: list everybody who is muted."""
    return ParsedCommand(lambda context: moderation.mutes(context, as_json=json), is_admins=True)


@_for_admins
def bans(json: AsJson = False) -> ParsedCommand:
    """Admins: list everybody who is banned."""
    return ParsedCommand(lambda context: moderation.bans(context, as_json=json), is_admins=True)


@_for_admins
def announce(words: Words) -> ParsedCommand:
    """Admins: show a message to everybody online."""
    return ParsedCommand(lambda context: moderation.announce(context, " ".join(words)), is_admins=True)


@_for_admins
def close(table: Table) -> ParsedCommand:
    """Admins: close a table, even in the middle of a match."""
    return ParsedCommand(lambda context: queries.close(context, table), is_admins=True)


@_for_admins
def drain(
    minutes: Annotated[
        int | None,
        typer.Argument(
            metavar="MINUTES", min=1, max=24 * 60, help="How long people may stay, at most a day (1440)."
        ),
    ] = None,
) -> ParsedCommand:
    """Admins: allow no new tables, and stop once everybody has left."""
    return ParsedCommand(lambda context: queries.drain(context, minutes), is_admins=True)


@_for_admins
def reload() -> ParsedCommand:
    """Admins: reload settings, key lists and bans."""
    return ParsedCommand(queries.reload, is_admins=True)


# below the last command: typer collects them here
_parser = typer.main.get_command(app)


def _lasting(command: str, word: str | None, unit: timedelta) -> timedelta | None:
    if word is None or word.casefold() == FOR_EVER:
        return None
    # `isdigit` alone would accept digits of other scripts, and longer numbers would overflow
    lasting = unit * int(word) if word.isascii() and word.isdigit() and len(word) < 8 else None
    if lasting is None or not timedelta() < lasting <= _LONGEST_BAN:
        said: dict[str, Text | str] = {"word": quoted(word), "usage": usage(command, _commands()[command])}
        if unit.days:
            raise NotUnderstood(text("{word} is not a number of days. Usage: {usage}", **said))
        raise NotUnderstood(text("{word} is not a number of minutes. Usage: {usage}", **said))
    return lasting


def _needs_terminal(_code: str) -> Run:
    async def refuse(_context: CommandContext) -> None:
        raise CommandRefused(NEEDS_TERMINAL)

    return refuse


def _help_of(name: str | None, say: Say) -> Iterator[str]:
    commands = _commands()
    if name is None:
        return all_commands(commands, say)
    if name not in commands:
        raise CommandRefused(no_command(name, list(commands)))
    return one_command(name, commands[name], say)


def _commands() -> Mapping[str, Any]:
    commands: Mapping[str, Any] = getattr(_parser, "commands", {})
    return commands


async def _show(context: CommandContext, lines: Iterator[str]) -> None:
    for line in lines:
        await context.tell(line)
