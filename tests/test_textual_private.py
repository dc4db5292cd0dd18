"""One wall around the inside of libraries: what is used of it, where, and whether it is still there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from kk_tui.terminal.textual_private import TEXTUAL
from tests.privates import Library, Touch, missing

WALLS: Final = {
    "textual": "kk_tui/terminal/",
    "rich": "kk_tui/terminal/",
    "asyncssh": "server/kk_server/ssh/server.py",
    "aiosqlite": "server/kk_server/storage/sqlite.py",
}

a_library = cache(Library)


@cache
def listed(library: str) -> Mapping[str, str]:
    """The full names that are listed, and why. Of Textual's they are read without the app, which may fail to
    load where one is gone."""
    if library == "textual":
        return {name: f"{group.why}: {group.buys}" for group in TEXTUAL for name in group.names}
    module, name = {
        "asyncssh": ("kk_server.ssh.server", "ASYNCSSH_PRIVATE"),
        "aiosqlite": ("kk_server.storage.sqlite", "AIOSQLITE_PRIVATE"),
    }.get(library, ("", ""))
    found: Mapping[str, str] = getattr(import_module(module), name) if module else {}
    return found


@cache
def touches(library: str) -> list[Touch]:
    """Where the private names of a library are used; those of another one, behind its own wall, are not."""
    others = [(wall, listed(other)) for other, wall in WALLS.items() if other != library]
    return [
        touch
        for touch in a_library(library).touches()
        if touch.owners
        or not any(touch.file.startswith(wall) and touch.is_one_of(names) for wall, names in others)
    ]


@pytest.mark.parametrize("library", WALLS)
def test_the_installed_version_of_a_library_has_each_listed_name(library: str) -> None:
    gone = [f"{name} ({listed(library)[name]})" for name in missing(listed(library))]
    assert not gone, "\n".join([f"{library} {version(library)} has no longer:", *gone])


@pytest.mark.parametrize("library", WALLS)
def test_private_names_of_a_library_are_used_behind_its_wall_alone(library: str) -> None:
    outside = [str(touch) for touch in touches(library) if not touch.file.startswith(WALLS[library])]
    assert not outside, f"{library}: use what is public, or move it to {WALLS[library]}"


@pytest.mark.parametrize("library", WALLS)
def test_each_private_name_that_is_used_is_listed(library: str) -> None:
    unlisted = [str(touch) for touch in touches(library) if not touch.is_one_of(listed(library))]
    assert not unlisted, f"{library}: say why it is used, and what that buys"


@pytest.mark.parametrize("library", WALLS)
def test_each_private_name_that_is_listed_is_used(library: str) -> None:
    used = touches(library)
    assert [name for name in listed(library) if not any(touch.is_one_of([name]) for touch in used)] == []


def test_a_name_that_a_library_has_no_more_is_named() -> None:
    there = "textual.screen.Screen._compositor"
    gone = ["textual.screen.Screen._gone", "textual.screen.Gone._x", "textual._gone.X", "textual.app._Gone"]
    gone += ["textual._callback.count_parameters._gone", "textual._callback.gone._param_count"]
    assert missing([there, *gone]) == gone


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from textual._context import active_app", ["active_app"]),
        ("import textual._compositor", ["_compositor"]),
        ("from textual.app import _NullFile", ["_NullFile"]),
        ("import textual.timer\ntextual.timer.sleep = None", ["sleep"]),
        ("def f(w: object) -> None: w._pruning", ["_pruning"]),
        ("def f(w: object) -> None: getattr(w, '_pruning')", ["_pruning"]),
        ("class MenuScreen:\n  def f(self) -> None: self._pruning", ["_pruning"]),
        ("class MenuScreen:\n  def _size_updated(self) -> None: ...", ["_size_updated"]),
        ("class MenuScreen:\n  def __init__(self) -> None: self._name = 1", ["_name"]),
        ("class MenuScreen:\n  def f(self) -> None: self._kk_own = 1", []),
        ("class Own:\n  def f(self) -> None: self._pruning = 1", []),
        ("class Own:\n  def f(self) -> None: self._pruning = 1\n  def g(self, w: Own): w._pruning", []),
        ("def f(w: object) -> None: w.refresh(); w._replace()", []),
    ],
)  # fmt: skip
def test_a_use_of_a_private_name_is_found(code: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    # the class `MenuScreen` stands for the screen of that name, which is a screen of Textual's
    found = a_library("textual").touches_in("kk_tui.screens.menu", tmp_path / "code.py")
    assert [touch.name for touch in found] == expected
