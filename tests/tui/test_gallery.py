"""The pictures of all screens can be taken."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kk_core.registry import game_ids
from tools.trials.gallery import main

README = Path(__file__).parents[2] / "README.md"


def shown_in(picture: Path) -> str:
    """All that is written in a picture, without blanks."""
    signs = [part.text for part in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    return "".join(filter(None, signs))


def test_a_picture_of_a_table_shows_who_sits_there(tmp_path: Path) -> None:
    wish = ["--game", next(iter(game_ids())), "--screen", "middle", "--size", "80x24", "--mode", "256"]
    assert main(str(tmp_path), *wish) == 0
    (picture,) = tmp_path.iterdir()
    assert all(name in shown_in(picture) for name in ("Anna", "Dora"))


@pytest.mark.parametrize("name", re.findall(r"docs/pictures/(.+?)\.svg", README.read_text(encoding="utf-8")))
def test_the_pictures_of_the_readme_show_people_at_a_table(name: str) -> None:
    shown = shown_in(README.parent / f"docs/pictures/{name}.svg")
    assert {"A●", "B■", "C▲"} <= {shown[at : at + 2] for at in range(len(shown))}
