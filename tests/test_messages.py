"""Every sentence of the code is one that a catalogue can hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_dir

ROOT = Path(__file__).parents[1]
ROOMS = ("kk_core", "kk_tui", "server/kk_server")
MESSAGES = {"text": 1, "texts": 2, "_": 1, "ngettext": 2}
"""The functions that take sentences, and how many forms of one each takes."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls that take sentences."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in MESSAGES:
                yield name, node


def literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_sentence_in_the_code_is_extracted_into_the_template() -> None:
    written = {
        tuple(arg.value for arg in call.args[: MESSAGES[name]])  # type: ignore[attr-defined]
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
        for name, call in calls(ast.parse(file.read_text(encoding="utf-8")))
        if all(map(literal, call.args[: MESSAGES[name]]))
    }
    keywords = {name: None if forms == 1 else (1, 2) for name, forms in MESSAGES.items()}
    extracted = {
        found[2] if isinstance(found[2], tuple) else (found[2],)
        for room in ROOMS
        for found in extract_from_dir(ROOT / room, [("**.py", "python")], keywords=keywords)
    }
    assert sorted(written - extracted) == []
    assert len(extracted) > 1000
