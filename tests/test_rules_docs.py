"""docs/rules: complete, numbered, and cited by numbers that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kk_core.registry import game, game_ids
from kk_tui.games import appearances
from kk_tui.rules_pages import FOLDER, HelpDrawing, HelpTable, Paragraph, Section, parse, sections, slug_of
from tests.rules_page import figures, numbered, tables
from tools.trials.fourth_game import OVERLAY

ROOT = Path(__file__).parent.parent
GAMES = game_ids()
NARROWEST = 54
"""Columns of the text of a help at 80x24."""

every_game = pytest.mark.parametrize("name", GAMES)

RULING = re.compile(r"\brulings?\s+(\d+(?:(?:,\s+|\s+and\s+|\s+to\s+)\d+)*)", re.IGNORECASE)
SCORING = re.compile(r"\(scoring (\d+)")


def cited(words: str) -> set[int]:
    """The numbers in "ruling 3", "rulings 1 and 2", "rulings 4 to 6" and "rulings 2, 3 and 9"."""
    found: set[int] = set()
    for match in RULING.finditer(words):
        for part in re.split(r",\s+|\s+and\s+", match[1]):
            first, *last = map(int, re.split(r"\s+to\s+", part))
            found.update(range(first, (last or [first])[0] + 1))
    return found


def sources(name: str) -> Iterator[Path]:
    """Everything that belongs to one game."""
    for place in ("kk_core/games", "kk_tui/games", "tests/core", "tests/tui"):
        yield from (ROOT / place / name).rglob("*.py")
    yield from (ROOT / "docs").rglob(f"{name}.md")
    yield from (ROOT / "config").glob(f"{name}.toml")


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("(ruling 3)", {3}),
        ("Rulings 1 and 2.", {1, 2}),
        ("passing; rulings 4\n    to 6", {4, 5, 6}),
        ("ruling 2, 3 and 9", {2, 3, 9}),
        ("the rulings of 3 players", set()),
    ],
)
def test_citations_are_found_however_they_are_written(words: str, numbers: set[int]) -> None:
    assert cited(words) == numbers


@pytest.mark.parametrize("name", [name for name in GAMES if (ROOT / "config" / f"{name}.toml").exists()])
def test_the_help_says_at_its_end_that_its_lists_come_with_the_program_and_where_they_are_from(
    name: str,
) -> None:
    said = [block.words for block in sections(name)[-1].blocks if isinstance(block, Paragraph)]
    assert any("those that come with the program" in str(words) for words in said)
    assert sections(name)[-1].title == "Sources"


@pytest.mark.parametrize("name", [name for name in GAMES if (ROOT / "config" / f"{name}.toml").exists()])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_help_begins_with_a_drawing_whose_parts_are_named_then_goal_and_turn(
    name: str, ascii_only: bool
) -> None:
    first, *others = sections(name, twins=appearances()[name].twins if ascii_only else None)
    assert [section.slug for section in others[:2]] == ["goal", "a-turn"]
    (drawing,) = (block for block in first.blocks if isinstance(block, HelpDrawing))
    assert max(map(len, drawing.lines)) <= NARROWEST
    assert not ascii_only or all(line.isascii() and "?" not in line for line in drawing.lines)
    signs = set(re.findall(r"(?<![\w.])[a-i](?![\w.])", " ".join(drawing.lines)))
    words = " ".join(str(block.words) for block in first.blocks if isinstance(block, Paragraph))
    assert len(signs) > 3
    assert {sign for sign in signs if f"{sign}: " not in words and f"{sign}, " not in words} == set()


@every_game
def test_every_game_has_its_rules_under_its_own_name(name: str) -> None:
    assert (ROOT / "docs" / "rules" / f"{name}.md").is_file()
    assert sections(name)[0].title == str(game(name).meta.name)


@every_game
def test_rulings_are_numbered_from_1_without_a_gap(name: str) -> None:
    rulings = numbered(name, "rulings")
    assert list(rulings) == list(range(1, len(rulings) + 1))
    assert all(len(words.split()) > 5 for words in rulings.values())


@every_game
def test_every_cited_number_stands_in_the_rules(name: str) -> None:
    rulings, points = set(numbered(name, "rulings")), set(numbered(name, "scoring"))
    for path in sources(name):
        words = path.read_text(encoding="utf-8")
        assert cited(words) <= rulings, path
        assert set(map(int, SCORING.findall(words))) <= points, path


@every_game
def test_every_ruling_is_cited_by_a_test_of_its_game(name: str) -> None:
    tests = [path for path in sources(name) if "tests" in path.relative_to(ROOT).parts]
    proved = set().union(*(cited(path.read_text(encoding="utf-8")) for path in tests))
    assert proved == set(numbered(name, "rulings"))


def test_rulings_are_cited_only_where_it_is_clear_of_which_game() -> None:
    of_games = {path for name in GAMES for path in sources(name)} | {Path(__file__)}
    places = ("kk_core", "kk_tui", "server", "config", "tests", "docs")
    files = {
        path
        for place in places
        for kind in ("py", "md", "toml")
        for path in (ROOT / place).rglob(f"*.{kind}")
        if OVERLAY not in path.parts
    }
    assert of_games < files
    assert [path for path in files - of_games if cited(path.read_text(encoding="utf-8"))] == []


@every_game
def test_a_section_that_is_named_is_there(name: str) -> None:
    words = (ROOT / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    titles = {section.title for section in sections(name)}
    named = set(re.findall(r'(?:see|under|and|:)\s+"([^"]+)"', words, re.IGNORECASE))
    assert named <= titles


@every_game
def test_plain_terminals_can_show_the_rules(name: str) -> None:
    """Every sign has a twin, in sentences, tables and drawings."""
    pages = zip(sections(name), sections(name, twins=appearances()[name].twins), strict=True)
    for section, plain in pages:
        assert [words for words in said(plain) if not words.isascii()] == []
        assert "".join(said(plain)).count("?") == "".join(said(section)).count("?")


@every_game
def test_the_sums_of_the_worked_examples_are_right(name: str) -> None:
    rows = figures(tables(name, "example")[-1])
    total = rows.pop("Sum")
    assert tuple(map(sum, zip(*rows.values(), strict=True))) == total


def said(section: Section) -> list[str]:
    """All words of a section, with those of its tables and drawings."""
    words = list[str]()
    for block in section.blocks:
        match block:
            case Paragraph():
                words.append(block.words.plain)
            case HelpTable():
                words += [cell.plain for row in block.rows for cell in row]
            case HelpDrawing():
                words += block.lines
    return words


# -- reading -------------------------------------------------------------------------------------------------


PAGE = """
# A b

One **two**
three.

1. Four.

   | x | y |
   |---|---|
   | 1 | `2` |

2. Five
   - six
"""


def test_paragraphs_lists_and_tables_are_read_with_their_place() -> None:
    (section,) = parse(PAGE)
    assert (section.slug, section.title) == ("a-b", "A b")
    first, four, table, five, six = section.blocks
    assert isinstance(first, Paragraph)
    assert (first.words.plain, first.words.spans[-1].style) == ("One two three.", "bold")
    assert isinstance(four, Paragraph)
    assert (four.mark, four.depth, four.is_tight) == ("1.", 1, False)
    assert isinstance(table, HelpTable)
    assert [[cell.plain for cell in row] for row in table.rows] == [["x", "y"], ["1", "2"]]
    assert table.depth == 1
    assert isinstance(five, Paragraph)
    assert (five.mark, five.words.plain) == ("2.", "Five")
    assert isinstance(six, Paragraph)
    assert (six.mark, six.depth, six.is_tight) == ("-", 2, True)


@pytest.mark.parametrize("source", ["words", "# A\n\n> said", "# A\n\n![a](b)", "# A\n\n---\n"])
def test_what_the_rules_are_not_written_with_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"[Rr]ules"):
        parse(source)


def test_headings_have_the_anchors_that_code_forges_give_them() -> None:
    assert slug_of("Kardinal & König: the card game") == "kardinal--könig-the-card-game"
    assert slug_of("On the screen") == "on-the-screen"


def test_a_translation_is_read_where_there_is_one_under_the_same_anchors(tmp_path: Path) -> None:
    (tmp_path / "de").mkdir()
    (tmp_path / "chess.md").write_text("# Chess\n\n## Goal\n\nMate.\n", encoding="utf-8")
    (tmp_path / "de" / "chess.md").write_text("# Schach\n\n## Ziel\n\nMatt.\n", encoding="utf-8")
    for languages, titles in (
        (("de_AT", "de"), ["Schach", "Ziel"]),
        (("nl",), ["Chess", "Goal"]),
        (("../..",), ["Chess", "Goal"]),
        ((), ["Chess", "Goal"]),
    ):
        found = sections("chess", languages, tmp_path)
        assert [section.title for section in found] == titles
        assert [section.slug for section in found] == ["chess", "goal"]
    assert sections("go", ("de",), tmp_path) == ()


def test_translations_have_the_headings_of_the_english_rules() -> None:
    for path in FOLDER.rglob("*.md"):
        language = path.parent.name if path.parent != FOLDER else ""
        assert len(sections(path.stem, (language,))) == len(sections(path.stem))
