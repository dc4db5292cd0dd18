"""The command line in the user's language: what commands print, their help, and their mistakes."""

from __future__ import annotations

import gettext
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import typer
from typer.core import TyperCommand, TyperGroup

from kk_core.text import Text, text, text_in
from kk_server.cli import Usage, error_line
from kk_tui.languages import (
    DOMAIN,
    LOCALES,
    VARIABLE,
    Translator,
    codes,
    has_language,
    languages,
    settled_language,
    translator,
)


def settings_path() -> Path:
    """Return the settings file of this machine's user."""
    if sys.platform == "linux" and (home := os.environ.get("XDG_CONFIG_HOME") or os.environ.get("HOME")):
        # where platformdirs would find it, which takes as long to import as all our own modules
        folder = Path(home) if os.environ.get("XDG_CONFIG_HOME") else Path(home, ".config")
        return folder / "kk" / "settings.json"
    import platformdirs

    return platformdirs.user_config_path("kk", appauthor=False) / "settings.json"


def _stored_language() -> str | None:
    try:
        # without the app's own type, whose import takes longer than most commands
        language = msgspec.json.decode(settings_path().read_bytes()).get("language")
        return language if isinstance(language, str) else None
    except (OSError, AttributeError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # the app says what is wrong with them


@cache
def language() -> str | None:
    """Return the language that the user has asked for, in their settings or by their terminal."""
    return settled_language(os.environ, _stored_language())


def _demand(demanded: str) -> None:
    """Use a language from now on, here and in the programs started from here. Raises `Usage`."""
    if not has_language(demanded):
        known = ", ".join(languages())
        raise Usage(
            text("No translation for {language}; there are: {known}.", language=repr(demanded), known=known)
        )
    os.environ[VARIABLE] = demanded
    for asked in (language, _translator, _teach_typer):
        asked.cache_clear()


@cache
def _translator() -> Translator:
    return translator(language())


def say(sentence: Text) -> str:
    """Translate a sentence into the user's language."""
    chosen = _translator()
    return sentence.render(chosen.gettext, chosen.ngettext)


def note(sentence: Text) -> None:
    """Print a sentence on stderr; it does not matter if nobody reads it any more."""
    with suppress(OSError):
        typer.echo(error_line(say(sentence)), err=True)


# -- help ----------------------------------------------------------------------------------------------------


@cache
def _teach_typer() -> None:
    """Have typer's own words, such as "Options", looked up in our catalogue."""
    if found := codes(language()):
        os.environ["LANGUAGE"] = found[0]
        gettext.bindtextdomain(DOMAIN, str(LOCALES))
        gettext.textdomain(DOMAIN)


def _no_type(**_context: Any) -> None:
    """Return what typer puts behind an argument: the name of a type in Python says less than the help."""


class _Spoken:
    """Puts the help of a command into the user's language before it is shown."""

    is_translated = False

    def _translate(self: Any) -> None:
        if not self.is_translated:
            self.is_translated = True
            _teach_typer()
            for part in (self, *self.params):
                part.help = say(Text(part.help)) if getattr(part, "help", None) else None
                for name in ("metavar", "options_metavar", "subcommand_metavar"):
                    if shown := getattr(part, name, None):
                        setattr(part, name, say(text_in("placeholder", shown)))
                if getattr(part, "param_type_name", None) == "argument":
                    part.display_type_rich = _no_type

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the sentence for a list of commands."""
        self._translate()
        shown: str = super().get_short_help_str(limit)  # type: ignore[misc]
        return shown

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        self._translate()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def format_usage(self: Any, ctx: Any, formatter: Any) -> None:
        """Write how the command is typed."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=say(text("Usage: {usage}", usage="")))

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.help = say(text("Show this message and exit."))
            # typer's None would make it import pydantic
            option.default = False
        return option


class Command(_Spoken, TyperCommand):
    """A command."""


class CommandGroup(_Spoken, TyperGroup):
    """A group of commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that was typed. Raises `Usage`."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise Usage(no_command(args[0], list(self.commands), f"{ctx.command_path} --help"))
        return super().resolve_command(ctx, args)


_LANG: Final = "--lang"


class MainGroup(CommandGroup):
    """The group of all commands, which reads `--lang` itself, before any other option.

    Help is already in that language; and typer would import pydantic for its value, which takes 46 ms.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises `Usage`."""
        before: list[str] = []
        while args and args[0].startswith("-"):
            option, given, value = args[0].partition("=")
            if option != _LANG:
                before.append(args[0])
            elif given:
                _demand(value)
            elif len(args) > 1:
                _demand(args[1])
                args = args[1:]
            elif not ctx.resilient_parsing:  # a shell may ask what can follow
                raise Usage(text("{option} needs a value.", option=_LANG))
            args = args[1:]
        args = [*before, *args]
        declared, self.params = self.params, [param for param in self.params if _LANG not in param.opts]
        self._declared = declared
        try:
            remaining: list[str] = super().parse_args(ctx, args)
        finally:
            self.params = declared
        return remaining

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with `--lang`."""
        self.params = self._declared
        super().format_help(ctx, formatter)


class Untyped(Command):
    """A command whose arguments may all be left out.

    Then none is converted: typer imports pydantic for that, which takes 46 ms.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, or use the defaults."""
        if args:
            remaining: list[str] = super().parse_args(ctx, args)
            return remaining
        ctx.params |= {each.name: each.get_default(ctx) for each in self.params}
        return args


# -- mistakes ------------------------------------------------------------------------------------------------


def mistake(error: Any) -> Text:
    """Return why typer has refused what was typed, and where help is."""
    context = getattr(error, "ctx", None)
    reason = _reason(error)
    if context is None:
        return reason
    return text("{reason} See: {command} --help", reason=reason, command=context.command_path)


def no_command(name: str, known: Sequence[str], help_is: str) -> Text:
    """Return the error for an unknown command, with the one that may have been meant."""
    from difflib import get_close_matches  # only for mistakes: it takes 2 ms of the 90 of `kk --help`

    for meant in get_close_matches(name, known, 1):
        return text("Unknown command {name}. Did you mean {meant}?", name=repr(name), meant=repr(meant))
    return text("Unknown command {name}. See: {help}", name=repr(name), help=help_is)


def _reason(error: Any) -> Text:
    # by name: typer has the classes in a private module
    match type(error).__name__:
        case "NoSuchOption":
            return text("Unknown option {option}.", option=error.option_name)
        case "BadOptionUsage":
            if "does not take" in error.message:
                return text("{option} takes no value.", option=error.option_name)
            return text("{option} needs a value.", option=error.option_name)
        case "MissingParameter":
            return text("{word} is missing.", word=_word(error.param))
        case "BadParameter" if error.param is not None:
            return _wanted(error.param)
    message: str = error.format_message()
    if message.startswith("Got unexpected extra argument"):
        return text("Too many arguments: {words}.", words=message.rpartition("(")[2].rstrip(")."))
    return text("No command given.") if message == "Missing command." else Text(message)


def _word(param: Any) -> Text | str:
    """Return an argument by its placeholder, an option as it is typed."""
    return str(param.opts[0]) if param.param_type_name == "option" else text_in("placeholder", param.metavar)


def _wanted(param: Any) -> Text:
    """Return which values a parameter takes; those that can be refused are numbers."""
    word, least, most = _word(param), param.min, param.max
    if isinstance(least, float):
        return text("{word} must be a number of {least} or more.", word=word, least=str(least))
    if least is not None and most is not None:
        return text(
            "{word} must be a whole number from {least} to {most}.", word=word, least=least, most=most
        )
    if least is not None:
        return text("{word} must be a whole number of {least} or more.", word=word, least=least)
    return text("{word} must be a whole number.", word=word)
