"""A release is made of what is committed, and of nothing else."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.release import NotReady, build, check_contents, check_tree

CHANGELOG = (
    "# Changelog\n\n## 1.2.0 - 2026-11-24\n\n- Something new.\n\n## 1.1.0\n\n## 1.0.0\n\n- All of it.\n"
)

FILES = {
    "CHANGELOG.md": CHANGELOG,
    ".gitignore": "*.log\n",
    "pyproject.toml": """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "kk"
version = "1.2.0"
[tool.hatch.build.targets.wheel]
packages = ["kk_core", "kk_tui", "server/kk_server"]
[tool.hatch.build.targets.wheel.force-include]
"config" = "kk_core/data"
""",
    "kk_core/__init__.py": "",
    "kk_tui/app.py": "",
    "server/kk_server/cli/main.py": "",
    "config/game.toml": "",
}


def git(root: Path, *words: str) -> None:
    author = "-c", "user.name=kk", "-c", "user.email=kk@example.org"
    subprocess.run(["git", *author, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project, all of it committed."""
    for name, text in FILES.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git(tmp_path / "project", "init", "--quiet")
    git(tmp_path / "project", "add", ".")
    git(tmp_path / "project", "commit", "--quiet", "--message", "Begin")
    return tmp_path / "project"


def test_a_tree_with_everything_committed_and_told_is_ready(root: Path) -> None:
    check_tree(root, "1.2.0")
    check_tree(root, "1.0.0")


@pytest.mark.parametrize("name", ["kk_tui/app.py", "kk_tui/new.py", "notes.txt"])
def test_what_is_not_committed_is_named_and_there_is_no_release(root: Path, name: str) -> None:
    (root / name).write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(NotReady, match=f"not committed: {name}"):
        check_tree(root, "1.2.0")


@pytest.mark.parametrize("version", ["1.2", "1.2.1", "1x2.0", "1.1.0", "2.0.0"])
def test_a_version_of_which_the_changelog_tells_nothing_is_not_released(root: Path, version: str) -> None:
    with pytest.raises(NotReady, match=f"CHANGELOG.md has no entry for version {version}"):
        check_tree(root, version)


def test_what_is_built_is_what_is_committed(root: Path, tmp_path: Path) -> None:
    (root / "kk_core" / "debug.log").write_text("not ours", encoding="utf-8")
    archive, wheel = build(root, tmp_path)
    check_contents(root, archive, wheel)
    with zipfile.ZipFile(wheel) as opened:
        inside = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert inside == {
        "kk_core/__init__.py",
        "kk_core/data/game.toml",
        "kk_tui/app.py",
        "kk_server/cli/main.py",
    }


def test_a_wheel_with_a_package_of_somebody_else_is_refused(root: Path, tmp_path: Path) -> None:
    archive, wheel = build(root, tmp_path)
    with zipfile.ZipFile(wheel, "a") as opened:
        opened.writestr("server/__init__.py", "")
    with pytest.raises(NotReady, match=r"has server/__init__\.py, which is not committed"):
        check_contents(root, archive, wheel)


def test_a_wheel_without_a_file_of_the_project_is_refused(root: Path, tmp_path: Path) -> None:
    archive, wheel = build(root, tmp_path)
    (root / "kk_tui" / "later.py").touch()
    git(root, "add", ".")
    with pytest.raises(NotReady, match=r"lacks kk_tui/later\.py"):
        check_contents(root, archive, wheel)
