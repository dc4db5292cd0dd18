"""Calls of the command `kk` without a terminal: in this process, or in one of its own."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import subprocess
import sys
from itertools import count
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from kk_server.cli import main
from tests.terminal import KK
from tests.waiting import patience


class Answer(NamedTuple):
    """What a command has said, and its exit status."""

    code: int
    out: str
    err: str


def kk(*arguments: str, **environment: str) -> Answer:
    """The command in this process, where a start costs nothing."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    kept, sys.argv = sys.argv, ["kk", *arguments]
    thresholds = gc.get_threshold()
    try:
        with (
            patch.dict(os.environ, environment),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main.main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = kept
        gc.set_threshold(*thresholds)
    out.seek(0)
    err.seek(0)
    assert isinstance(code, int)
    return Answer(code, out.read(), err.read())


def kk_process(*arguments: str, **environment: str) -> Answer:
    """The command in a process of its own: for what is read once, at the start."""
    ended = subprocess.run(
        [*KK, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patience(), check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip
    return Answer(ended.returncode, ended.stdout, ended.stderr)


def refused(answer: Answer, code: int, *words: str) -> None:
    """Exactly one line on stderr, nothing on stdout."""
    assert (answer.code, answer.out) == (code, ""), answer
    assert answer.err.count("\n") == 1, answer.err
    assert answer.err.startswith("kk: ")
    for word in words:
        assert word in answer.err


def interrupt_at(monkeypatch: pytest.MonkeyPatch, module: ModuleType, function: str, call: int) -> None:
    """Have Ctrl+C come in this call of a function, counted from 1."""
    original, calls = getattr(module, function), count(1)

    def interrupted(*args: Any) -> Any:
        if next(calls) == call:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(module, function, interrupted)
