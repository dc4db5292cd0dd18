"""Records and tables written by earlier versions come to the same result for ever.

`records/GAME-RULES-...json` are records as they were saved then, `records/results.json` what they came to.
None of these files is ever changed; a new number of rules adds its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kk_core.export import export
from kk_core.record import parse_record

FOLDER = Path(__file__).parent / "records"

RESULTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "results.json").read_text())


@pytest.mark.parametrize("name", RESULTS)
def test_a_record_of_an_earlier_version_comes_to_the_same_result(name: str) -> None:
    exported = export(parse_record((FOLDER / f"{name}.json").read_bytes()))
    assert {key: exported["result"][key] for key in RESULTS[name]} == RESULTS[name]


def test_every_record_kept_here_has_its_result() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} - {"results"} == set(RESULTS)
