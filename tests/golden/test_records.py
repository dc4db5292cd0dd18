"""Records come to the same result for ever.

`records/GAME-RULES-...-vVERSION.json` are records as they were saved, with the number of the rules and the
version of the format; `records/results/GAME.json` is what they came to: result, and SHA-256 of deal and
events. None of these files is ever changed. What new records come to is written by
`python -m tests.golden.test_records`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kk_core.config import canonical_json
from kk_core.record import export, parse_record
from kk_core.registry import game, game_ids

HERE = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "records"

RESULTS: dict[str, dict[str, Any]] = {
    name: result
    for path in sorted((FOLDER / "results").glob("*.json"))
    for name, result in json.loads(path.read_text(encoding="utf-8")).items()
}

CORRECTIONS = {
    "land_cards": {'Frankreich = ["KK", "KF",': 'Frankreich = ["KK", "KK",'},
    "web_of_power": {
        '"Franken/Aragon" = 13': '"Franken/Aragon" = 12',
        '"Frankreich" = 9': '"Frankreich" = 10',
    },
    "ku_ka_king": {"count = 12 ": "count = 13 ", "count = 14 ": "count = 13 "},
}
"""By game, lines of the data file that comes with the program, and what corrections make of them."""

TELL_ALL = """
import json
from tests.golden.test_records import FOLDER, RESULTS, come_to
from kk_core.registry import game, game_ids
versions = {game_id: game(game_id).rules_version for game_id in game_ids()}
print(json.dumps([versions, {name: come_to(name) for name in RESULTS}]))
"""


def come_to(name: str) -> dict[str, Any]:
    """What a record comes to: result, and SHA-256 of deal and events."""
    exported = json.loads(json.dumps(export(parse_record((FOLDER / f"{name}.json").read_bytes()))))
    events = sha256(canonical_json([exported["setup"], exported["events"]])).hexdigest()
    return {**exported["result"], "events": events}


@pytest.mark.parametrize("name", RESULTS)
def test_a_record_comes_to_the_same_result_as_when_it_was_saved(name: str) -> None:
    assert come_to(name).items() >= RESULTS[name].items()


def test_every_record_kept_here_has_its_result_and_every_game_has_records() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(RESULTS)
    assert {name.partition("-")[0] for name in RESULTS} == set(game_ids())


def told_beside(folder: Path) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Rules versions, and what all records come to, in a program whose `config` is the one in a folder."""
    told = subprocess.run(
        [sys.executable, "-c", TELL_ALL], cwd=folder, check=True, capture_output=True, text=True
    )
    versions, results = json.loads(told.stdout)
    return versions, results


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the data files, as the package that they are in."""
    shutil.copytree(HERE / "config", tmp_path / "config")
    shutil.copytree(HERE / "kk_core", tmp_path / "kk_core")
    return tmp_path


def test_corrected_data_change_no_record_of_before(copied: Path) -> None:
    for game_id, corrections in CORRECTIONS.items():
        file = copied / "config" / f"{game_id}.toml"
        content = file.read_text(encoding="utf-8")
        for found, instead in corrections.items():
            assert content.count(found) == 1
            content = content.replace(found, instead)
        file.write_text(content, encoding="utf-8")
    versions, results = told_beside(copied)
    assert all(versions[game_id] != game(game_id).rules_version for game_id in CORRECTIONS)
    assert results == {name: come_to(name) for name in RESULTS}


def add_results() -> None:
    """Write down what records come to that have no result yet, beside what is there."""
    new = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in RESULTS)
    for game_id in {name.partition("-")[0] for name in new}:
        found = RESULTS | {name: come_to(name) for name in new}
        lines = [
            f" {json.dumps(name)}: {json.dumps(found[name])}"
            for name in sorted(found)
            if name.partition("-")[0] == game_id
        ]
        whole = ",\n".join(lines)
        (FOLDER / "results" / f"{game_id}.json").write_text(f"{{\n{whole}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    add_results()
