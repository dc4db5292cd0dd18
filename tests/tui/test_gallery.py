"""The pictures of all screens can be taken."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from kk_core.registry import game_ids
from tests.trials.gallery import main


def test_a_picture_of_a_table_shows_who_sits_there(tmp_path: Path) -> None:
    wish = ["--game", next(iter(game_ids())), "--screen", "middle", "--size", "80x24", "--mode", "256"]
    assert main(str(tmp_path), *wish) == 0
    (picture,) = tmp_path.iterdir()
    signs = [part.text for part in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    shown = "".join(filter(None, signs))
    assert all(name in shown for name in ("Anna", "Dora"))
