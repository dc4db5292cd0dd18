"""Completion of what is typed behind `kk` in a shell: typer does it, and this is what it cannot know."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from kk_core.text import quoted, text
from kk_server.cli import Usage

_VARIABLE: Final = "_KK_COMPLETE"
"""The environment variable by which a shell asks for completions."""

SHELLS: Final = ("bash", "zsh", "fish")


def is_asked_for() -> bool:
    """Return whether a shell asks for completions, and not a person for a command."""
    return _VARIABLE in os.environ


def prepare() -> None:
    """Have typer answer the shells."""
    # imported here, since no other command needs it
    from typer import rich_utils
    from typer.completion import completion_init  # type: ignore[attr-defined]

    # our descriptions have no markup, for which it takes what is in brackets; and a shell breaks lines itself
    rich_utils.rich_render_text = lambda text: text
    completion_init()


def script(shell: str) -> str:
    """Return what a shell has to run to complete `kk`. Raises `Usage`."""
    if shell not in SHELLS:
        raise Usage(
            text(
                "No completion for {shell}; there is: {known}.", shell=quoted(shell), known=", ".join(SHELLS)
            )
        )
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return str(get_completion_script(prog_name="kk", complete_var=_VARIABLE, shell=shell))


def shells() -> Iterable[str]:
    """Return the shells."""
    return SHELLS


def languages() -> Iterable[str]:
    """Return the codes of the languages."""
    from kk_tui.languages import languages as found

    return found()


def games() -> Iterable[str]:
    """Return the names of the games."""
    from kk_core.registry import game_ids

    return game_ids()


def lessons() -> Iterable[str]:
    """Return the names of the games that have a lesson."""
    from kk_core.registry import game, game_ids, has_lesson

    return [name for name in game_ids() if has_lesson(game(name).meta.id)]


def bots(incomplete: str) -> Iterable[str]:
    """Return lists of bots that begin with what is typed, separated by commas."""
    return _listed(incomplete)


def seats(incomplete: str) -> Iterable[str]:
    """Return lists of people at this keyboard and bots that begin with what is typed."""
    return _listed(incomplete, "me")


def _listed(incomplete: str, *others: str) -> Iterable[str]:
    from kk_core.bot_names import bot_choices

    before = incomplete[: incomplete.rfind(",") + 1]
    return [before + word for word in (*others, *bot_choices())]
