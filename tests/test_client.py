"""A client knows what it was sent, and nothing else: no rule and no data file is even loaded with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODELS = """
from importlib import import_module
from pkgutil import iter_modules
import kk_core.games
for game in iter_modules(kk_core.games.__path__):
    for module in ("model", "notation"):
        import_module(f"kk_core.games.{game.name}.{module}")
"""

APP = """
import kk_tui.app
import kk_tui.client.remote
from kk_tui.games import faces
dict(faces())
"""

RULES = ("data", "state", "rules", "observe", "scoring", "ai", "game")
"""What a game's folder may call its rules."""


def loaded_by(program: str) -> set[str]:
    """The names of all modules that are there after a program in an interpreter of its own."""
    listing = f"{program}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", listing], text=True).split())


@pytest.mark.parametrize("program", [MODELS, APP], ids=["models", "app"])
def test_a_client_loads_no_data_and_no_rules(program: str) -> None:
    loaded = loaded_by(program)
    assert "kk_core.games.land_cards.model" in loaded
    forbidden = {
        "kk_core.config",
        "kk_core.game",
        "kk_core.registry",
        "kk_core.match",
        "kk_core.record",
    }
    assert not loaded & forbidden
    games = {name for name in loaded if name.startswith("kk_core.games.")}
    assert not {name for name in games if name.rpartition(".")[2] in RULES}
    assert not {name for name in loaded if name.split(".")[0] == "kk_server"}
