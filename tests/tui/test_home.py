"""The terminal that the app was started on."""

from __future__ import annotations

from pathlib import Path

import pytest

from kk_tui.terminal.capabilities import ColourDepth
from kk_tui.terminal.driver import kind_here


@pytest.mark.parametrize(
    ("answer", "depth"),
    [
        ("echo bpaste,focus,RGB,title", ColourDepth.TRUE),
        ("echo bpaste,focus,title", ColourDepth.INDEXED),
        ("echo", ColourDepth.INDEXED),
        ("exit 1", ColourDepth.INDEXED),
    ],
)
def test_inside_tmux_there_are_16_million_colours_only_if_tmux_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, depth: ColourDepth
) -> None:
    tmux = tmp_path / "tmux"
    tmux.write_text(f"#!/bin/sh\n{answer}\n")
    tmux.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name, value in {"TERM": "tmux-256color", "COLORTERM": "truecolor", "TMUX": "/tmp/x,1,0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert kind_here().depth is depth


def test_inside_tmux_without_its_program_there_are_256_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PATH": str(tmp_path), "TERM": "screen", "TMUX": "/tmp/x,1,0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert kind_here().depth is ColourDepth.INDEXED
