"""A shell completes commands, options, games and bots behind `kk`."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from kk_core.bot_names import bot_choices
from kk_core.registry import game_ids
from kk_tui.languages import languages
from tests.commands.calling import kk, refused
from tests.waiting import patience

COMMANDS = {
    "play",
    "lesson",
    "serve",
    "backup",
    "connect",
    "simulate",
    "arena",
    "bot",
    "completion",
    "record",
    "store",
}


def run(shell: str, script: str) -> str:
    """What a program of a shell prints, which finds `kk` of this environment; it says nothing on stderr."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, *(["--norc", "--noprofile"] if shell == "bash" else []), "-c", script],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience(), check=False,
        env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


def completed(line: str) -> set[str]:
    """What a real bash offers for the last word of a line, by the function that is bound to `kk`."""
    words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
    script = f"""
        eval "$(kk completion bash)"
        bound=$(complete -p kk); bound=${{bound#*-F }}; bound=${{bound%% *}}
        COMP_WORDS=({" ".join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}
        $bound kk
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return set(run("bash", script).split())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kk rec", {"record"}),
        ("kk ", COMMANDS),
        ("kk record ex", {"export"}),
        ("kk play ", set(game_ids())),
        ("kk simulate ku", {"ku_ka_king"}),
        ("kk play --cont", {"--continue"}),
        ("kk arena land_cards --bots easy,gr", {"easy,greedy"}),
        ("kk play land_cards --seats ", {"me", *bot_choices()}),
        ("kk --lang ", set(languages())),
        ("kk --lang de rec", {"record"}),
        ("kk completion ", {"bash", "zsh", "fish"}),
        ("kk nonsense ", set()),
        ("kk backup ", set()),
    ],
)
def test_bash_completes_the_word_under_the_cursor(line: str, offered: set[str]) -> None:
    assert completed(line) == offered


def test_bash_falls_back_on_files_where_one_is_to_be_named() -> None:
    assert "-o default" in run("bash", 'eval "$(kk completion bash)"; complete -p kk')


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_are_told_what_to_ask(shell: str) -> None:
    script = kk("completion", shell)
    assert (script.code, script.err) == (0, "")
    assert "_KK_COMPLETE=complete_" + shell in script.out
    if shutil.which(shell):
        assert (
            run(shell, script.out if shell == "fish" else f"autoload compinit; compinit -D; {script.out}")
            == ""
        )
    answer = answered(shell, "kk rec", language="de")
    assert "record" in answer
    assert "Usage" not in answer
    assert "Protokolle von Partien" in answer  # what it does, in the user's language


def answered(shell: str, line: str, *, language: str) -> str:
    """What a shell is told that asks how a line may go on."""
    asked = {"_KK_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line, "KK_LANG": language}
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in asked.items())
    return run("bash", f"{words} _TYPER_COMPLETE_FISH_ACTION=get-args kk")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_description_is_whole_with_its_brackets_and_on_one_line(shell: str) -> None:
    answer = answered(shell, "kk serve --w", language="en")
    assert "Also serve a page for browsers here; needs the extra kk[web]." in answer


NEEDED: Final = "KK_NEEDS_SHELLS"
"""Set by the gate, where a machine without one of the shells must not pass unnoticed."""

ELSEWHERE = [
    ("kk rec", {"record"}),
    ("kk play ku", {"ku_ka_king"}),
    ("kk arena land_cards --bots easy,gr", {"easy,greedy"}),
    ("kk record show /et", {"/etc/"}),
]
"""Lines, and what every shell offers for their last words."""


def require_shell(name: str) -> None:
    """Skip the test on a machine without a shell; in the gate, fail."""
    if shutil.which(name) is None:
        told = f"left out: {name} not installed"
        if os.environ.get(NEEDED):
            pytest.fail(told)
        pytest.skip(told)


@pytest.mark.parametrize(("line", "offered"), ELSEWHERE)
def test_fish_completes_the_word_under_the_cursor(line: str, offered: set[str]) -> None:
    require_shell("fish")
    lines = run("fish", f"kk completion fish | source; complete -C {shlex.quote(line)}").splitlines()
    assert {each.partition("\t")[0] for each in lines if each} == offered


@pytest.mark.parametrize(("line", "offered"), ELSEWHERE)
def test_zsh_completes_the_word_under_the_cursor_of_a_terminal(line: str, offered: set[str]) -> None:
    require_shell("zsh")
    process, terminal = pty.fork()
    if not process:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "PATH": path, "TERM": "dumb"})
    try:
        ask = 'autoload compinit; compinit -D -u; eval "$(kk completion zsh)"; print rea""dy'
        os.write(terminal, f"{ask}\n".encode())
        read_until(terminal, b"ready\r\n")
        os.write(terminal, f"{line}\t".encode())
        (whole,) = offered
        read_until(terminal, f"{line.rpartition(' ')[0]} {whole}".encode())
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def read_until(terminal: int, words: bytes) -> None:
    """Read what a terminal shows until some words stand there."""
    shown, ends = b"", time.monotonic() + patience()
    while words not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, ends - time.monotonic()))
        assert ready, shown
        shown += os.read(terminal, 4096)


def test_another_shell_is_refused_with_those_there_are() -> None:
    refused(kk("completion", "tcsh"), 2, "No completion for 'tcsh'; there is: bash, zsh, fish.")
