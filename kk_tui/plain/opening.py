"""Parses how somebody wants a table opened: "land_cards 4 private clock 1+15 1b"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Final

from kk_core.bot_names import STAND_IN as DEFAULT_STAND_IN
from kk_core.text import Text, joined, text, text_in
from kk_core.types import Option
from kk_core.views import DAY, ClockRule
from kk_tui.games import faces
from kk_tui.i18n import render, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain.at_table import bot_meant
from kk_tui.plain.words import UnknownWords
from kk_tui.table_words import NONE, PRESETS

OPTIONS: Final = text_in("typed", "options")
"""The word that lists what can be chosen."""

CLOCK: Final = text_in("typed", "clock")

CLOCKS: Final[Mapping[str, Text]] = {
    NONE: text_in("typed", "none"),
    "fast": text_in("typed", "fast"),
    "usual": text_in("typed", "usual"),
    "slow": text_in("typed", "slow"),
    "day": text_in("typed", "day"),
    "days": text_in("typed", "days"),
    "week": text_in("typed", "week"),
}
"""The names of the clocks in `PRESETS`, as they are typed."""

FLAGS: Final = {
    "private": text_in("typed", "private"),
    "rated": text_in("typed", "rated"),
    "unwatched": text_in("typed", "unwatched"),
    "unaided": text_in("typed", "unaided"),
}
"""What a table may be: by invitation, rated, without spectators, without hints."""

STAND_IN: Final = text_in("typed", "standin")
"""The word before the level of the bot that plays for people who are away."""

TITLE: Final = text_in("typed", "title")
"""The word before the title, which is all that follows it."""

_LONGEST_TURN: Final = 7 * 24 * 60
"""Minutes of a turn at most."""

_OPTION: Final = re.compile(r"(\d+)([a-z])")
"""A number of a rule and the letter of its value, as in the list of options."""


@dataclass
class Opening:
    """The choices with which a table is to be opened."""

    seats: int = 0
    private: bool = False
    rated: bool = False
    watched: bool = True
    hints: bool = True
    clock: ClockRule | None = None
    stand_in: str = DEFAULT_STAND_IN
    title: str = ""
    values: list[tuple[int, int]] = field(default_factory=list)
    """Numbers of rules, and of their values."""

    def take(self, line: str) -> list[str]:
        """Take in the words that choose something; returns the others. Raises `UnknownWords`."""
        titled = re.search(rf"\s(?:{'|'.join(map(re.escape, ways_of(TITLE)))})\s+(.+)", line, re.IGNORECASE)
        if titled is not None:
            self.title, line = titled[1].strip(), line[: titled.start()]
        words, others = [*words_of(line.replace("_", " ").replace("+", " "))], list[str]()
        while words:
            word = words.pop(0)
            clock = meant((word,), [(True, ways_of(CLOCK))])[1]
            stand_in = meant((word,), [(True, ways_of(STAND_IN))])[1]
            flags = meant((word,), ((flag, ways_of(typed)) for flag, typed in FLAGS.items()))[1]
            if word.isdecimal():
                self.seats = int(word)
            elif option := _OPTION.fullmatch(word):
                self.values.append((int(option[1]) - 1, ascii_lowercase.index(option[2])))
            elif others and clock:
                self.clock = _clock(words)
            elif others and stand_in:
                self.stand_in = _bot(words)
            elif others and len(flags) == 1:
                self._set(flags[0])
            else:
                others.append(word)
        return others

    def _set(self, flag: str) -> None:
        self.private |= flag == "private"
        self.rated |= flag == "rated"
        self.watched &= flag != "unwatched"
        self.hints &= flag not in ("unaided", "rated")  # a rated match has none

    def options(self, game: str) -> dict[str, str]:
        """Return the rules that were chosen. Raises `UnknownWords` for one that the game does not have."""
        found, options = dict[str, str](), rules_of(game)
        for number, value in self.values:
            if number >= len(options) or value >= len(options[number].values):
                raise UnknownWords(
                    text("There is no rule {rule} here: see {options}.",
                         rule=f"{number + 1}{ascii_lowercase[value]}", options=typed(OPTIONS, game))
                )  # fmt: skip
            found[options[number].name] = options[number].values[value].value
        return found


def _clock(words: list[str]) -> ClockRule | None:
    """Take a clock off the front of some words: its name, or minutes for each turn and in reserve.

    Raises `UnknownWords` if there is none.
    """
    word = words.pop(0) if words else ""
    _how, named = meant((word,), ((name, ways_of(typed)) for name, typed in CLOCKS.items()))
    if len(named) == 1:
        return PRESETS[named[0]]
    if not word.isdecimal() or not 0 < int(word) <= _LONGEST_TURN:
        names = joined([*map(render, CLOCKS.values())], is_choice=True)
        raise UnknownWords(
            text("Type a clock: {names}, or minutes for a turn and in reserve, as 1+15.", names=names)
        )
    bank = int(words.pop(0)) if words and words[0].isdecimal() else 0
    return ClockRule(60 * int(word), min(60 * bank, DAY))


def _bot(words: list[str]) -> str:
    """Take a bot off the front of some words. Raises `UnknownWords` if there is none."""
    bot = bot_meant(words[:1])
    del words[0]
    return bot


def rules_of(game: str) -> Sequence[Option]:
    """Return the rules that a table of a game can be opened with."""
    face = faces().get(game)
    return () if face is None else face.meta.options


def example_of(game: str) -> list[str]:
    """Return what chooses the last value of a game's first rule, for an example."""
    options = rules_of(game)
    return [f"1{ascii_lowercase[len(options[0].values) - 1]}"] if options else []
