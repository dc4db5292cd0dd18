"""Every sentence of the code is one that a catalogue can hold, and every catalogue holds it."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from kk_core.text import Text, text, text_in, texts
from kk_tui.languages import LOCALES, languages, translate
from kk_tui.rules_pages import FOLDER

ROOT = Path(__file__).parents[1]
ROOMS = ("kk_core", "kk_tui", "server/kk_server")
MESSAGES = {"text": 1, "text_in": 2, "texts": 2, "_": 1, "ngettext": 2}
"""The functions that take sentences, and how many words of theirs stand in a catalogue."""

CATALOGUES = tuple(sorted(LOCALES.glob("*/LC_MESSAGES/kk.po")))
NAMES = tuple(path.parents[1].name for path in CATALOGUES)
GAME = re.compile(r"/games/(\w+)/")
FIELD = re.compile(r"\{\w+\}")
MARKUP = re.compile(r"`|\*\*|\n|^\s|\s$")


def parsed(file: Path) -> ast.Module:
    # Python 3.11 fails with a SystemError if garbage with a finalizer is collected in the middle of it
    gc.disable()
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    finally:
        gc.enable()


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls that take sentences."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            if name in MESSAGES:
                yield name, node


def literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def key(message: Message) -> tuple[str, ...]:
    """A message's context, singular and plural, as far as it has them; the header has none."""
    return tuple(filter(None, (message.context, *originals(message))))


def forms(message: Message) -> tuple[str, ...]:
    """The translations of a message; empty where there are none."""
    return tuple(message.string) if isinstance(message.string, tuple | list) else (message.string or "",)


def originals(message: Message) -> tuple[str, ...]:
    return tuple(message.id) if isinstance(message.id, tuple | list) else (message.id,)


@cache
def template() -> Catalog:
    """All sentences of the code, collected as `make messages` does."""
    recipe = re.search(r"\$\(PYBABEL\) (extract .*?)\\\n", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert recipe
    with NamedTemporaryFile(suffix=".pot") as file:
        command = [sys.executable, "-m", "babel.messages.frontend", "-q", *recipe[1].split(), "-o", file.name]
        subprocess.run([*command, "."], cwd=ROOT, check=True)
        return read_po(file)


@cache
def catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name, domain="kk")


def translated(game: str) -> bool:
    """Whether a game comes with its sentences and rules in other languages."""
    return all((FOLDER / code / f"{game}.md").is_file() for code in NAMES)


def is_translated(message: Message) -> bool:
    """Whether catalogues need a message: those of a game in English alone are left out."""
    found = [GAME.search(place) for place, _line in message.locations]
    return not found or any(game is None or translated(game[1]) for game in found)


def test_every_sentence_in_the_code_is_collected_for_translators() -> None:
    written = {
        tuple(arg.value for arg in call.args[: MESSAGES[name]])  # type: ignore[attr-defined]
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
        for name, call in calls(parsed(file))
        if all(map(literal, call.args[: MESSAGES[name]]))
    }
    collected = {key(message) for message in template()} - {()}
    # what is also written with a plural is collected once, and found by its singular
    singulars = {(*filter(None, (message.context, originals(message)[0])),) for message in template()}
    assert sorted(written - collected - singulars) == []
    assert len(collected) > 2000


def test_help_of_commands_is_collected_for_translators() -> None:
    collected = {key(message) for message in template()}
    assert {("Show the version and exit.",), ("List the tables you can join or watch.",)} <= collected
    assert {("placeholder", "FILE"), ("placeholder", "MINUTES"), ("placeholder", "[OPTIONS]")} <= collected
    assert ("placeholder", "yes|no") not in collected


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_a_catalogue_has_every_sentence_and_none_that_the_code_no_longer_has(path: Path) -> None:
    wanted = {key(message) for message in filter(is_translated, template())}
    found = {key(message) for message in catalogue(path)}
    assert sorted(wanted - found) == [], "run `make messages`, and translate these"
    assert sorted(found - wanted) == [], "run `make messages`"


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_every_sentence_of_a_catalogue_is_translated_and_checked(path: Path) -> None:
    left = [key(message) for message in filter(key, catalogue(path)) if not all(forms(message))]
    unsure = [key(message) for message in filter(key, catalogue(path)) if message.fuzzy]
    assert (left, unsure) == ([], [])


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_a_translation_has_the_placeholders_of_its_sentence(path: Path) -> None:
    for message in filter(key, catalogue(path)):
        fields = [set(FIELD.findall(form)) for form in originals(message)]
        for form in forms(message):
            # what only one form has, as its number, another form may leave out
            found = set(FIELD.findall(form))
            assert set.intersection(*fields) <= found <= set.union(*fields), f"{key(message)}: {form!r}"


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_a_translation_keeps_code_line_breaks_and_blanks_at_its_ends(path: Path) -> None:
    for message in filter(key, catalogue(path)):
        for original, form in zip(originals(message), forms(message), strict=False):
            assert Counter(MARKUP.findall(original)) == Counter(MARKUP.findall(form)), f"{form!r}"


@pytest.mark.parametrize("path", CATALOGUES, ids=NAMES)
def test_the_compiled_catalogue_is_that_of_the_sentences(path: Path) -> None:
    made = BytesIO()
    write_mo(made, catalogue(path))
    assert path.with_suffix(".mo").read_bytes() == made.getvalue(), "run `make messages`"


def test_english_german_dutch_and_spanish_are_each_offered_under_its_own_name() -> None:
    expected = {"en": "English", "de": "Deutsch", "es": "Español", "nl": "Nederlands"}
    assert languages().items() >= expected.items()


def test_a_sentence_in_another_context_is_another_sentence_and_the_same_in_english() -> None:
    long, short = text("churches"), text_in("short", "churches")
    assert (translate(long, None), translate(short, None)) == ("churches", "churches")
    assert long != short


def test_a_sentence_that_is_collected_with_a_plural_is_found_without_it() -> None:
    assert translate(texts("{n} point", "{n} points", 1), "de") == "1 Punkt"
    assert translate(text("{n} point", n=1), "de") == "1 Punkt"


def test_a_message_that_no_catalogue_has_is_read_in_english() -> None:
    assert (
        translate(text("The moon takes {what}.", what=text("row")), "de")
        == f"The moon takes {translate(text('row'), 'de')}."
    )


@pytest.mark.parametrize("code", NAMES)
def test_no_words_are_none_in_any_language(code: str) -> None:
    assert translate(Text(""), code) == ""


def test_a_german_sentence_about_the_chosen_move_has_it_where_a_subject_may_stand() -> None:
    """The phrase "der gewählte Zug" is put in as it is: begun with a small letter, and in no other case."""
    path = next(path for path in CATALOGUES if path.parents[1].name == "de")
    asked = [message for message in catalogue(path) if "kk_tui/table/advice.py" in dict(message.locations)]
    said = [form for message in asked if "{move}" in str(message.id) for form in forms(message)]
    assert said
    for form in said:
        assert not re.search(r"\b(aus|bei|gegenüber|mit|nach|von|zu) \{move\}", form)
        assert not form.startswith("{move} wird")
