"""A fourth game, added to a copy of the tree: `python -m tools.trials.fourth_game FOLDER [PYTEST ARGUMENTS]`.

`tests/fourth_game` contains everything that docs/adding-a-game.md requires of a game, in the places that the
page names. The copy must pass what the tree passes: lint, layout, types, contracts and tests. The game is not
meant to be played.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
OVERLAY: Final = "fourth_game"
"""The folder in `tests`."""

_LEFT_OUT: Final = shutil.ignore_patterns(
    ".git", ".venv", ".pytest_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis", "__pycache__",
    "build", "dist", OVERLAY, "test_fourth_game.py",
)  # fmt: skip
"""Not what mypy has found in the tree, if it has been there: it looks at what differs in the copy alone."""

CHECKS: Final = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)


def lay(folder: Path) -> list[Path]:
    """Copy the tree into a new folder, and the game into the copy; return the files of the game.

    Raises `FileExistsError` if the game would overwrite a file of the tree.
    """
    shutil.copytree(ROOT, folder, ignore=_LEFT_OUT)
    laid, overlay = [], ROOT / "tests" / OVERLAY
    for source in sorted(path for path in overlay.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        target = folder / source.relative_to(overlay)
        if target.exists():
            raise FileExistsError(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        laid.append(target)
    return laid


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python tool in the copy, which is imported instead of the tree."""
    return subprocess.run(
        [Path(sys.executable).with_name(command[0]), *command[1:]], cwd=folder, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def main(folder: str, *arguments: str) -> int:
    """Add the game to a copy in a folder, run everything there, and report what failed."""
    place = Path(folder).resolve()
    lay(place)
    for step in ("init", "add"):  # the wheel is compared with the files that git lists
        subprocess.run(["git", step, "."], cwd=place, check=True, capture_output=True)
    failed = []
    for command in (*CHECKS, ("pytest", *(arguments or ("-n", "2", "-q")))):
        told = run_in(place, *command)
        if told.returncode:
            failed.append(" ".join(command))
            print(told.stdout)  # noqa: T201
    print("\n".join(f"failed: {command}" for command in failed) or "all green")  # noqa: T201
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
