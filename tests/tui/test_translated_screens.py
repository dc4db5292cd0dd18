"""Every screen in other languages: no word is left in English, and nothing is cut that English has whole.

On the same visits, which take long: whatever is written can be read in every palette.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

import pytest
from textual.errors import NoWidget
from textual.widget import Widget
from textual.widgets import Input

from kk_core.bot_names import bot_choices, bot_people
from kk_core.registry import game_ids
from kk_tui import languages
from kk_tui.games import faces
from kk_tui.rules_pages import FOLDER
from kk_tui.settings import AppSettings
from tests.test_messages import translated
from tests.tui.emulated import ShownApp
from tests.tui.inks import unreadable
from tests.tui.pseudo import LONGER, Longer, is_longer
from tests.tui.seen_words import WORD, Cut, Shown, listening
from tools.trials import gallery_visits
from tools.trials.gallery_screens import ONCE, PER_GAME, Screen
from tools.trials.gallery_visits import PEOPLE, NoSuchMoment, visit

SMALL: Final = (80, 24)
SIZES: Final = (SMALL, (120, 40))

GAMES: Final = [game for game in game_ids() if translated(game)]
SCREENS: Final = [
    *(pytest.param("", screen, id=screen.name) for screen in ONCE),
    *(pytest.param(game, screen, id=f"{game}-{screen.name}") for game in GAMES for screen in PER_GAME),
]

CHAT: Final = "I have not the faintest idea what to do here. That is what I hoped for."
KEY_NAMES: Final = "Enter Esc Tab"
BOTS: Final = " ".join(name for bot in bot_choices() for name in bot_people((bot,) * 60, 0) if name)
SEAS: Final = "Mare Germanicum Nostrum Oceanus"
OTHERS: Final = frozenset(
    WORD.findall(f"{CHAT} {KEY_NAMES} {BOTS} {SEAS} {' '.join(PEOPLE)} Konrad laptop kk example org")
)
"""Words of people, names, what is printed on the map, and on keys in all languages."""

FINGERPRINT: Final = re.compile(r"SHA256:\S+")


@pytest.fixture(autouse=True)
def _of_translated_games(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {game: face for game, face in faces().items() if game in GAMES}
    monkeypatch.setattr(gallery_visits, "faces", lambda: shown)


@pytest.fixture(autouse=True)
def _pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    find, has = languages.translator, languages.has_language
    monkeypatch.setattr(languages, "translator", lambda code: Longer() if code == LONGER else find(code))
    monkeypatch.setattr(languages, "has_language", lambda code: code == LONGER or has(code))


OTHER_LANGUAGES: Final = [code for code in languages.languages() if code != "en"]

TOO_LONG: Final = frozenset(
    {
        ("web_of_power", "warned", SMALL, LONGER),
        ("land_cards", "warned", SMALL, LONGER),
        ("land_cards", "hint", (120, 40), LONGER),
        *(("web_of_power", f"final-{number}", SMALL, LONGER) for number in (1, 2, 3)),
    }
)
"""Where a third longer, a whole panel of sentences needs more lines than it has, or a word more columns."""

OF_OTHER_PALETTES: Final = {"settings": 25}
"""Letters in colours that the palette in use has not: the signs of five seats in each of the palettes."""


@cache
def rules_words(language: str) -> frozenset[str]:
    """The words of the rules pages, which are files of their own."""
    folder = FOLDER / language if (FOLDER / language).is_dir() else FOLDER
    return frozenset(word for page in folder.glob("*.md") for word in WORD.findall(page.read_text("utf-8")))


def in_front(app: ShownApp) -> list[str]:
    """What is written on the screen in front, without what can be seen around it of the one below."""
    rows = FINGERPRINT.sub("", app.terminal.text).split("\n")
    if not app.screen.is_modal:
        return rows
    kept = [[" "] * len(row) for row in rows]
    for widget in app.screen.walk_children(Widget):
        if widget.is_on_screen and not widget.children:
            # without what is scrolled out of view, where the screen below may show
            with suppress(NoWidget):
                seen = app.screen.find_widget(widget).visible_region
                for y in range(max(0, seen.y), min(len(rows), seen.bottom)):
                    columns = slice(max(0, seen.x), seen.right)
                    kept[y][columns] = rows[y][columns]
    return ["".join(row) for row in kept]


def hidden(app: ShownApp) -> Iterator[str]:
    """Yield what can be focused on the screen in front, but not be seen whole, in the order of the screen."""
    count = Counter[str]()
    for widget in app.screen.walk_children(Widget):
        if widget.focusable and widget.display and not widget.allow_vertical_scroll:
            kind = widget.id or type(widget).__name__
            count[kind] += 1
            with suppress(NoWidget):
                seen, whole = app.screen.find_widget(widget).visible_region, widget.outer_size
                # what is typed scrolls sideways
                if seen.height == whole.height and (seen.width == whole.width or isinstance(widget, Input)):
                    continue
            yield f"{kind} {count[kind]}"


@dataclass(frozen=True)
class Seen:
    """A screen in a language: what is cut, what belongs to no sentence, and where English may be cut."""

    cuts: Sequence[Cut]
    foreign: frozenset[str]
    rows: Sequence[str]
    hidden: frozenset[str]
    """Buttons and fields that cannot be seen whole, by what they are."""

    unreadable: Mapping[str, Sequence[str]]
    """Inks on grounds, each with its signs and the palettes in which they cannot be read there."""

    unknown: str
    """Letters in colours that the palette has not, except where a dialog is, which veils what it covers."""

    def excuses(self, cut: Cut) -> bool:
        """Whether this one, in English, is cut at the same place or in the same sentence."""
        is_same_line = "…" in cut.seen and "…" in self.rows[cut.row]
        return is_same_line or any(cut.messages & own.messages for own in self.cuts)


async def look(
    game: str, screen: Screen, language: str, sizes: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], Seen]:
    sizes = [screen.size] if screen.size else sizes
    seen = {}
    with listening() as said:
        async with visit(
            screen.start, game, sizes[0], AppSettings(language=language, depth="truecolor")
        ) as here:
            await screen.way(here)
            for size in sizes:
                await here.resize(*size)
                app, rows = here.app, in_front(here.app)
                faint, unknown = unreadable(app)
                shown = Shown(rows, said, rules_words(language) | OTHERS)
                seen[size] = Seen(
                    [*shown.cuts()], frozenset(shown.foreign_words()), rows, frozenset(hidden(app)),
                    faint, "" if app.screen.is_modal else unknown,
                )  # fmt: skip
    return seen


def is_code(word: str) -> bool:
    """Whether a word is a code of a country or of cards, or the arms on the map."""
    return word.upper() == word


@pytest.mark.parametrize(("game", "screen"), SCREENS)
async def test_all_can_be_read_no_word_is_left_in_english_and_nothing_is_cut_that_english_has_whole(
    game: str, screen: Screen
) -> None:
    english: dict[tuple[int, int], Seen] = {}
    for language, sizes in ((LONGER, SIZES), *((code, (SMALL,)) for code in OTHER_LANGUAGES)):
        try:
            looks = await look(game, screen, language, sizes)
        except NoSuchMoment:
            pytest.skip("the game has no such screen")
        for size, seen in looks.items():
            assert seen.unreadable == {}, f"in {language} at {size}"
            assert len(seen.unknown) <= OF_OTHER_PALETTES.get(screen.name, 0), seen.unknown
            if language == LONGER:
                assert any(map(is_longer, WORD.findall(" ".join(seen.rows)))), "the language is not in use"
                left = (word for word in seen.foreign if not is_longer(word) and not is_code(word))
                assert sorted(left) == [], f"English words at {size}"
            if (game, screen.name, size, language) in TOO_LONG:
                continue
            if (seen.cuts or seen.hidden) and size not in english:
                english |= await look(game, screen, "en", [size])
            out_of_sight = seen.hidden - english[size].hidden if seen.hidden else set()
            assert sorted(out_of_sight) == [], f"out of sight in {language} at {size}"
            cut = [cut for cut in seen.cuts if not english[size].excuses(cut)]
            assert cut == [], f"cut in {language} at {size}"
