"""Collects the sentences of the command line for translators: the method `command_line` in babel.cfg.

Most of them are arguments of `text` and `_`, which Babel itself collects. The help of commands is made of
docstrings, of `help=` and of `metavar=`, which typer reads.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator, Mapping
from typing import Any, BinaryIO, Final, TypeAlias

from babel.messages.extract import extract_python

Found: TypeAlias = tuple[int, str | None, Any, Any]

_PARTS: Final = frozenset({"Argument", "Option", "Typer"})
"""What takes a `help`."""

_TYPERS: Final = ("Arguments", "Commands", "Options", "default: {default}", "required")
"""Words that typer itself writes into help, which it looks up in our catalogue."""

_PLACEHOLDERS: Final = ("[OPTIONS]", "COMMAND [ARGS]...")
"""What typer itself writes where something is to be typed."""

_COMMANDS: Final = frozenset({"callback", "command"})
"""Decorators of functions whose docstrings are help."""


def command_line(
    file: BinaryIO, keywords: Mapping[str, Any], comment_tags: Collection[str], options: Any
) -> Iterator[Found]:
    """Yield what is found in a module of commands, in Babel's form: line, function, message, comments."""
    found: Iterator[Any] = extract_python(file, keywords, comment_tags, options)
    yield from found
    file.seek(0)
    for words in _TYPERS:
        yield 1, None, words, []
    for words in _PLACEHOLDERS:
        yield _placeholder(1, words)
    for node in ast.walk(ast.parse(file.read())):
        for line, words in _helps(node):
            yield line, None, words, []
        for line, words in _metavars(node):
            yield _placeholder(line, words)


def _placeholder(line: int, words: str) -> Found:
    return line, "text_in", ("placeholder", words), ["Translators: stands for what people type"]


def _helps(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), keywords=given) if name in _PARTS:
            yield from _constants(given, "help")
        case ast.FunctionDef(decorator_list=decorators) if any(map(_is_command, decorators)):
            if words := ast.get_docstring(node, clean=False):
                yield node.lineno, inspect.cleandoc(words)


def _metavars(node: ast.AST) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), keywords=given) if name in _PARTS:
            # in small letters, as in "yes|no", are words that are typed as they are
            yield from ((line, words) for line, words in _constants(given, "metavar") if not words.islower())


def _constants(given: list[ast.keyword], name: str) -> Iterator[tuple[int, str]]:
    for keyword in given:
        if keyword.arg == name and isinstance(keyword.value, ast.Constant):
            yield keyword.value.lineno, str(keyword.value.value)


def _is_command(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _COMMANDS
    return False
