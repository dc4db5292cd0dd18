"""What `help` prints: each command as it is typed, and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_HOST: Final = "ssh HOST"

_GAP: Final = 2


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
    words = [_typed(param) for param in command.params]
    yield " ".join([f"Usage: {_HOST}", name, *words])
    yield ""
    yield f"  {command.help}"
    if told := [(_word(param), param.help) for param in command.params if param.help]:
        yield ""
        yield from _columns(told)


def _word(param: Any) -> str:
    """An argument by its metavar, an option as it is typed."""
    return str(param.metavar or param.opts[0])


def _typed(param: Any) -> str:
    return _word(param) if param.required else f"[{_word(param)}]"


def _columns(rows: list[tuple[str, str]]) -> Iterator[str]:
    width = max(len(word) for word, _ in rows) + _GAP
    return (f"  {word:<{width}}{told}" for word, told in rows)
