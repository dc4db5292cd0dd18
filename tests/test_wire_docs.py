"""docs/protocol.md has the shapes of all messages and views as they are."""

from __future__ import annotations

from tests.wire_page import PAGE, renewed


def test_the_shapes_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page
