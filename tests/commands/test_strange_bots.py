"""Bots of other packages whose names cannot be theirs, as whoever lets bots play reads of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.calling import kk
from tests.server.outside_bots import installed
from tests.terminal import KK, Terminal

NAMED = "kk: Ignoring bot {name} from package outside_bots: {reason}\n"
OURS = NAMED.format(name="'hard'", reason="kk reserves this name.")
BLANK = NAMED.format(name="'my own'", reason="names have 1 to 20 characters: letters, digits, and . _ + -.")


@pytest.mark.parametrize(("command", "seats"), [("simulate", "--seats"), ("arena", "--bots")])
def test_they_are_named_with_package_and_reason_and_the_matches_are_played(
    command: str, seats: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch, "hard", "my own"):
        answer = kk(command, "ku_ka_king", seats, "brisk,random", "--games", "2")
    assert answer.code == 0
    assert answer.err == OURS + BLANK
    assert "brisk" in answer.out


def test_who_plays_at_home_reads_of_them_too(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch, "hard"):
        screen = Terminal([*KK, "play"], environment | {"PYTHONPATH": str(tmp_path)}, (120, 30))
        try:
            screen.until("Ku-Ka-King")
        finally:
            screen.close()
    assert OURS.strip() in screen.words
