"""What README.md, CONTRIBUTING.md and the pages in docs/ name is there, and called so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from kk_core.protocol.messages import Done, Refused, ServerMessage
from kk_server.serve.settings import AT_START, Settings

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """The names by which links lead to the headings of a page."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_link_of_a_page_leads_to_a_file_that_is_there_and_to_a_heading_of_it(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_tool_that_a_page_names_is_there_and_takes_the_options_after_it(page: Path) -> None:
    unknown = []
    for module, words in re.findall(r"((?:tools|tests)\.[a-z_.]*[a-z_])([^\n`|]*)", page.read_text("utf-8")):
        file = ROOT / f"{module.replace('.', '/')}.py"
        source = file.read_text(encoding="utf-8") if file.exists() else ""
        options = re.findall(r"--[a-z-]+", words.partition("   ")[0])
        if not file.exists() or any(f'"{option}"' not in source for option in options):
            unknown.append(module + words)
    assert unknown == []


def test_the_settings_that_wait_for_the_next_start_are_named_on_the_page_and_marked_in_the_file() -> None:
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    said = page.partition("rereads the files,")[2].partition("wait for the next start")[0]
    assert {each.strip("[]") for each in re.findall(r"`([^`]+)`", said)} == set(AT_START)

    file = (ROOT / "config" / "server.toml").read_text(encoding="utf-8")
    for key in Settings.__struct_fields__:
        place = re.compile(rf"^((# )?{key} = |\[{key}\]$)", re.MULTILINE)
        (about,) = [paragraph for paragraph in file.split("\n\n") if place.search(paragraph)]
        assert ("# (r) " in about) is (key not in AT_START), key


def test_the_page_of_the_protocol_names_every_answer_to_a_request() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    said = page.partition("or what it asks for:")[2].partition(".")[0]
    answers = {kind.__name__ for kind in get_args(ServerMessage) if "request" in kind.__struct_fields__}
    assert set(re.findall(r"`(\w+)`", said)) == answers - {Done.__name__, Refused.__name__}
