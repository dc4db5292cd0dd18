"""What is wrong with words that are no command, in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from kk_core.text import Text, text
from server.front.console.help_page import is_option, usage, word_of


def no_command(name: str, known: Sequence[str]) -> Text:
    """That there is no such command, and which one may have been meant."""
    for meant in get_close_matches(name, known, 1):
        return text("There is no command {name}. Did you mean {meant}?", name=repr(name), meant=repr(meant))
    return text("There is no command {name}. See: help", name=repr(name))


def mistake(words: Sequence[str], commands: Mapping[str, Any]) -> Text:
    """What is wrong with words that the parser has refused, and how the command is typed."""
    if not words:
        return text("Nothing was asked for. See: help")
    name, *rest = words
    if name not in commands:
        return no_command(name, list(commands))
    reason = _reason(name, rest, commands[name])
    return text("{reason} It is typed so: {usage}", reason=reason, usage=usage(name, commands[name]))


def _reason(name: str, rest: Sequence[str], command: Any) -> Text:
    options = {option for param in command.params if is_option(param) for option in param.opts}
    arguments = [param for param in command.params if not is_option(param)]
    given = [word for word in rest if not _is_like_option(word)]
    for word in rest:
        if _is_like_option(word) and word not in options:
            return text("{command} has no option {option}.", command=name, option=repr(word))
    for param in arguments[len(given) :]:
        if param.required:
            return text("{command} needs {word}.", command=name, word=word_of(param))
    if len(given) > len(arguments):
        return text("There is too much behind {command}: {word}.", command=name,
                    word=repr(given[len(arguments)]))  # fmt: skip
    return text("{command} cannot use {value} for {word}.", command=name, value=repr(given[-1]),
                word=word_of(arguments[-1]))  # fmt: skip


def _is_like_option(word: str) -> bool:
    return word.startswith("-") and not word[1:].isdigit()
