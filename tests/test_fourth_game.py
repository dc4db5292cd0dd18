"""A game written by docs/adding-a-game.md alone passes what every game passes, and nothing else has changed.

It stands in `tests/fourth_game` and is laid into a copy of the tree; `python -m tools.trials.fourth_game`
runs the whole suite there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from kk_core.registry import game_ids
from kk_tui.games import faces
from tools.trials.fourth_game import CHECKS, OVERLAY, ROOT, lay, run_in

GAME: Final = "noughts"
PAGE: Final = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with the game in it."""
    folder = tmp_path_factory.mktemp("fourth") / "tree"
    lay(folder)
    return folder


def test_nobody_is_offered_the_game() -> None:
    assert GAME not in game_ids()
    assert GAME not in faces()


def test_all_its_files_are_new_and_stand_where_the_page_says(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    laid = {path.relative_to(folder).as_posix() for path in lay(folder)}
    named = {place.replace("<id>", GAME).rstrip("/") for place in re.findall(r"`([\w./<>]+)`", PAGE)}
    assert len(laid) > 20
    assert [file for file in laid if not any(f"{file}/".startswith(f"{place}/") for place in named)] == []


def test_a_game_that_would_change_a_file_of_the_tree_is_not_laid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "root"
    for file in (changed / "docs" / "a.md", changed / "tests" / OVERLAY / "docs" / "a.md"):
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.setattr("tools.trials.fourth_game.ROOT", changed)
    with pytest.raises(FileExistsError):
        lay(tmp_path / "tree")


@pytest.mark.parametrize("command", CHECKS, ids=" ".join)
def test_lint_layout_types_and_contracts_are_those_of_the_tree(copy: Path, command: tuple[str, ...]) -> None:
    told = run_in(copy, *command)
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize("folder", ["core", "tui", "plain", "server", "golden", "."])
def test_the_tests_of_every_game_are_passed(copy: Path, folder: str) -> None:
    tests = copy / "tests" / folder
    places = map(str, sorted(tests.glob("test_*.py")) if folder == "." else [tests])
    told = run_in(copy, "pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-k", GAME, *places)
    assert told.returncode == 0, told.stdout
    assert int(re.findall(r"(\d+) passed", told.stdout)[-1]) > 2
