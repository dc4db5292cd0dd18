"""The figures of the house are those of a tree that can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.house import comments, imports_of, ladder, modules_of, mutual, questions, rings_of, shared_names

TREE = {
    "kk_core/__init__.py": "",
    "kk_core/games/one/model.py": "class State: ...\n",
    "kk_core/games/two/model.py": "class State: ...\n",
    "kk_core/match.py": "from kk_core.wire.frames import Frame\nclass Match(Frame): ...\n",
    "kk_core/wire/__init__.py": "",
    "kk_core/wire/frames.py": (
        "import kk_core.match\n"
        "class Base: ...  # a reason\n"
        "class Frame(Base):\n"
        '    """What is sent."""\n'
        "x = 1  # noqa: E501\n"
    ),
    "kk_tui/__init__.py": "from kk_core import match\n",
    "kk_tui/match.py": 'class Match:\n    """Shown to people."""\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in TREE.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return tmp_path


def test_rings_and_rooms_that_import_each_other_are_found(root: Path) -> None:
    modules = modules_of(root)
    imported = imports_of(modules)
    assert imported["kk_tui"] == {"kk_core.match"}
    assert rings_of(imported) == [{"kk_core.match", "kk_core.wire.frames"}]
    assert mutual(modules, imported) == [("kk_core", "kk_core.wire")]


def test_names_of_several_things_are_those_outside_of_what_all_games_have(root: Path) -> None:
    assert shared_names(modules_of(root)) == {"Match": ["kk_core.match", "kk_tui.match"]}


def test_files_that_only_make_a_folder_a_package_are_no_modules(root: Path) -> None:
    (root / "kk_core/games/__init__.py").write_text('"""All games."""\nimport kk_core\n')
    (root / "kk_core/games/one/__init__.py").write_text('"""One game."""\nNAME = "one"\n')
    bare = {name for name, module in modules_of(root).items() if module.is_bare_init}
    assert bare == {"kk_core", "kk_core.wire", "kk_core.games", "kk_tui"}


def test_ladder_questions_and_comments_are_counted(root: Path) -> None:
    modules = modules_of(root)
    assert ladder(modules) == ["Base", "Frame", "Match"]
    assert (questions(modules), comments(modules)) == (1, 1)
