"""What is built is complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from kk_tui.rules_pages import sections

ROOT = Path(__file__).parent.parent
PACKAGES = ("kk_core", "kk_learn", "kk_tui", "kk_server")
FOLDERS = ("kk_core", "kk_learn", "kk_tui", "server/kk_server")
GAMES = tuple(sorted(path.stem for path in (ROOT / "docs" / "rules").glob("*.md")))

COUNT_SECTIONS = """
import sys
from kk_tui import rules_pages
print(rules_pages.FOLDER)
print(*(len(rules_pages.sections(game)) for game in sys.argv[1:]))
"""


def built(target: str, source: Path, folder: Path) -> Path:
    """The file that a build leaves in a new folder."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_the_wheel_carries_every_module_data_file_style_and_catalogue(wheel: Path) -> None:
    inside = names_in(wheel)
    listed = subprocess.run(
        ["git", "ls-files", *FOLDERS, "config"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.split():
        name = name.replace(".po", ".mo")
        assert name.removeprefix("server/").replace("config/", "kk_core/data/") in inside
    assert "kk_core/data/land_cards.toml" in inside
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in inside)


def test_what_the_page_takes_from_elsewhere_is_what_was_published_with_its_licence(wheel: Path) -> None:
    folder = ROOT / "server" / "kk_server" / "web" / "static" / "xterm"
    listed = [line.split("|")[1:4] for line in (folder / "README.md").read_text().splitlines()[6:]]
    taken = {name.strip(): digest.strip() for name, _, digest in listed}
    assert set(taken) == {path.name for path in folder.glob("*.*s")}
    for name, digest in taken.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == digest
    inside = {name.rpartition("/")[2] for name in names_in(wheel) if "/static/xterm/" in name}
    assert {"LICENSE", "LICENSE-addon-fit", "LICENSE-addon-unicode11"} <= inside


def test_the_wheel_installs_packages_of_the_project_and_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_what_a_wheel_installs_plays_where_there_is_no_repository(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    run = "from kk_server.cli.main import main; main()"
    for game in GAMES:
        told = subprocess.run(
            [sys.executable, "-c", run, "simulate", game, "--seats", "greedy,random,greedy", "--games", "1"],
            cwd=tmp_path, env=environment, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        assert "greedy" in told


def test_the_source_distribution_carries_licence_and_changelog(archive: Path) -> None:
    with tarfile.open(archive) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= inside


def test_an_installed_wheel_reads_the_rules_that_it_carries(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", COUNT_SECTIONS, *GAMES],
        cwd=tmp_path, env=environment, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert Path(told[0]) == tmp_path / "kk_tui" / "rules"
    assert [int(count) for count in told[1].split()] == [len(sections(game)) for game in GAMES]


def test_a_wheel_can_be_built_from_the_source_distribution_too(
    wheel: Path, archive: Path, tmp_path: Path
) -> None:
    shutil.unpack_archive(archive, tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    assert names_in(built("wheel", source, tmp_path / "wheel")) == names_in(wheel)


def test_the_lock_has_hashes_and_no_addresses() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "--hash=sha256:" in lock
    assert "://" not in lock
