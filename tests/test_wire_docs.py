"""docs/protocol.md and the pages of the games have the shapes of all messages and views as they are."""

from __future__ import annotations

import re

import pytest

from kk_core.protocol.messages import PROTOCOL_VERSION
from kk_core.registry import game_ids
from tests.wire_page import PAGE, PAGES, game_page, renewed


def test_the_shapes_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page


def test_the_page_is_of_the_version_that_is_spoken() -> None:
    assert f"\nThis page describes version {PROTOCOL_VERSION}.\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("game_id", game_ids())
def test_the_page_of_a_game_has_what_is_seen_of_it_and_what_its_numbers_mean(game_id: str) -> None:
    assert (PAGES / f"{game_id}.md").read_text(encoding="utf-8") == game_page(game_id)


def test_a_field_that_may_be_left_out_says_what_it_has_then() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "watched?: bool = true" in page
    assert "clock?: ClockRule or nil = nil" in page
    fields = re.findall(r"\w+\?: (.*?)(?=, \w+\??: |\]`)", page.partition("## The shapes")[2])
    assert len(fields) > 20
    assert all(" = " in field for field in fields)
