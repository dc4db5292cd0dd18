"""Build the files of a release from the last commit and test them: `make release` or `python -m
tools.release`.

They are put into dist/ when everything has passed. Nothing is tagged, and nothing is uploaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kk_core import __version__

ROOT: Final = Path(__file__).parents[1]

PLACES: Final = {
    "kk_core/": "kk_core/",
    "kk_learn/": "kk_learn/",
    "kk_tui/": "kk_tui/",
    "server/kk_server/": "kk_server/",
    "config/": "kk_core/data/",
    "docs/rules/": "kk_tui/rules/",
}
"""The folders that make up a wheel, and their places in it."""

_GAME: Final = ("simulate", "ku_ka_king", "--seats", "greedy,random", "--games", "1")


class NotReady(Exception):
    """There is no release; the sentence says why."""


def check_tree(root: Path, version: str) -> None:
    """Raise `NotReady` if something is not committed, or if the changelog has no entry for the version."""
    if changed := _run(root, "git", "status", "--porcelain").splitlines():
        raise NotReady(f"not committed: {', '.join(line[3:] for line in changed)}")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = re.search(
        rf"^## \[?{re.escape(version)}(?![\w.])[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    if entry is None or not entry[1].strip():
        raise NotReady(f"CHANGELOG.md has no entry for version {version}")


def build(root: Path, folder: Path) -> tuple[Path, Path]:
    """Build the source archive from the last commit, and the wheel from that archive."""
    _run(root, "git", "archive", "--output", str(folder / "commit.tar"), "HEAD")
    shutil.unpack_archive(folder / "commit.tar", folder / "commit")
    archive = _built("sdist", folder / "commit", folder / "sdist")
    shutil.unpack_archive(archive, folder / "source")
    (source,) = (folder / "source").iterdir()
    return archive, _built("wheel", source, folder / "wheel")


def check_contents(root: Path, archive: Path, wheel: Path) -> None:
    """Raise `NotReady` if either file lacks a file of the project, or contains one that is not."""
    committed = _run(root, "git", "ls-files").splitlines()
    expected = {
        inside + name.removeprefix(place)
        for name in committed
        for place, inside in PLACES.items()
        if name.startswith(place)
    }
    with zipfile.ZipFile(wheel) as opened:
        inside = {name for name in opened.namelist() if ".dist-info/" not in name}
    _compare(wheel.name, missing=expected - inside, foreign=inside - expected)
    with tarfile.open(archive) as sdist:
        packed = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    sources = {name for name in committed if name.startswith(tuple(PLACES))}
    _compare(archive.name, missing=sources - packed, foreign=packed - {*committed, "PKG-INFO"})


def check_installed(root: Path, wheel: Path, folder: Path, version: str) -> None:
    """Install the wheel with the locked requirements in a new environment, and play a match outside the tree.

    Raises `NotReady` if it does not report its version.
    """
    _run(folder, sys.executable, "-m", "venv", str(folder / "venv"))
    pip = str(folder / "venv" / "bin" / "pip"), "--quiet", "--disable-pip-version-check"
    _run(folder, *pip, "install", "--require-hashes", "--requirement", str(root / "requirements.lock"))
    _run(folder, *pip, "install", "--no-deps", "--no-index", str(wheel))
    _run(folder, *pip, "check")
    kk = str(folder / "venv" / "bin" / "kk")
    if (said := _run(folder, kk, "--version").strip()) != f"kk {version}":
        raise NotReady(f"{wheel.name} says that it is {said}, not kk {version}")
    _run(folder, kk, *_GAME)


def main() -> int:
    """Build and check the files, put them into dist/ and print their digests; return 1 if that fails."""
    try:
        check_tree(ROOT, __version__)
        with TemporaryDirectory(prefix="kk-release-") as place:
            folder = Path(place)
            files = archive, wheel = build(ROOT, folder)
            check_contents(ROOT, archive, wheel)
            check_installed(ROOT, wheel, folder, __version__)
            (ROOT / "dist").mkdir(exist_ok=True)
            made = [Path(shutil.copy(file, ROOT / "dist")) for file in files]
    except NotReady as error:
        print(f"no release: {error}", file=sys.stderr)  # noqa: T201
        return 1
    for file in made:
        print(sha256(file.read_bytes()).hexdigest(), file.relative_to(ROOT))  # noqa: T201
    return 0


def _built(target: str, source: Path, folder: Path) -> Path:
    _run(source, sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder))
    (file,) = folder.iterdir()
    return file


def _compare(name: str, *, missing: set[str], foreign: set[str]) -> None:
    if missing:
        raise NotReady(f"{name} lacks {', '.join(sorted(missing))}")
    if foreign:
        raise NotReady(f"{name} has {', '.join(sorted(foreign))}, which is not committed")


def _run(folder: Path, *command: str) -> str:
    """Run a command in a folder, without our environment's settings; return its output. Raises `NotReady`."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("KK_", "PYTHON"))
    }
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise NotReady(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
