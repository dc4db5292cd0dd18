"""What docs/library.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "library.md"


def test_the_examples_run_one_after_the_other_and_print_what_they_say() -> None:
    said: list[str] = []
    names: dict[str, Any] = {"print": lambda *words: said.append(" ".join(map(str, words)))}
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) > 4
    for example in examples:
        exec(compile(example, PAGE.name, "exec"), names)
    assert "take 1 1" in said
    assert "Take(cell=0)" in said
