"""What `help` prints: each command as it is typed, and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from server.front.console.columns import in_columns

_HOST: Final = "ssh HOST"


def all_commands(commands: Mapping[str, Any]) -> Iterator[str]:
    """Every command with its sentence, a line each."""
    yield f"Usage: {_HOST} COMMAND"
    yield ""
    yield "  Without a command you come into the game."
    yield ""
    yield from _columns([(name, command.help or "") for name, command in commands.items()])
    yield ""
    yield f"Of each, `{_HOST} help COMMAND` tells more."


def one_command(name: str, command: Any) -> Iterator[str]:
    """A command as it is typed, its sentence, and what its words mean."""
    yield f"Usage: {usage(name, command)}"
    yield ""
    yield f"  {command.help}"
    if told := [(word_of(param), param.help) for param in command.params if param.help]:
        yield ""
        yield from _columns(told)


def usage(name: str, command: Any) -> str:
    """A command as it is typed."""
    return " ".join([_HOST, name, *(_typed(param) for param in command.params)])


def is_option(param: Any) -> bool:
    """Whether a parameter is an option, and no argument."""
    return bool(param.param_type_name == "option")


def word_of(param: Any) -> str:
    """An argument by its metavar, an option as it is typed."""
    return str(param.metavar or param.opts[0])


def _typed(param: Any) -> str:
    return word_of(param) if param.required else f"[{word_of(param)}]"


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    return (f"  {line}" for line in in_columns(rows))
