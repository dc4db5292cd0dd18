"""Records and tables written by earlier versions come to the same result for ever.

`records/GAME-RULES-...json` are records as they were saved then, those of version 2 of the format with "-v2"
at the end; `records/results.json` is what they came to: result, and SHA-256 of deal and events. None of these
files is ever changed; a new number of rules, or a new version of the format, adds its own.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kk_core.data import canonical_json
from kk_core.export import export
from kk_core.record import parse_record
from kk_core.registry import game_ids

FOLDER = Path(__file__).parent / "records"

RESULTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "results.json").read_text())


@pytest.mark.parametrize("name", RESULTS)
def test_a_record_of_an_earlier_version_comes_to_the_same_result(name: str) -> None:
    exported = json.loads(json.dumps(export(parse_record((FOLDER / f"{name}.json").read_bytes()))))
    events = sha256(canonical_json([exported["setup"], exported["events"]])).hexdigest()
    assert {**exported["result"], "events": events}.items() >= RESULTS[name].items()


def test_every_record_kept_here_has_its_result_and_every_game_has_records() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} - {"results"} == set(RESULTS)
    assert {name.partition("-")[0] for name in RESULTS} == set(game_ids())
