"""Which sentences can be read whole on a terminal, and which are cut off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from unittest.mock import patch

from kk_core.text import Text

WORD: Final = re.compile(r"[^\W\d_]+")

_SHORTEST: Final = 3
"""Letters of a piece of a word that tells which word was cut."""

_BEGINNING: Final = 12
"""Characters that tell which sentence was cut."""

_ASIDE: Final = 60
"""Columns by which the next line of a sentence may begin further to the left or right."""

_PARTS: Final = frozenset("|·")
"""Signs between the parts of a line, which may be left out as a whole."""


@dataclass
class Said:
    """All sentences that were rendered, each with the identifiers of the messages that it is made of."""

    sentences: dict[str, set[str]] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    """The sentence rendered last of each message; earlier ones may be out of date."""

    def messages_with(self, words: Iterable[str]) -> set[str]:
        """The messages of all sentences with one of these words."""
        wanted = set(words)
        found = (
            messages for sentence, messages in self.sentences.items() if wanted & {*WORD.findall(sentence)}
        )
        return set().union(*found)


@contextmanager
def listening() -> Iterator[Said]:
    """Note all sentences that are rendered during the block."""
    said, render = Said(), Text.render
    around: list[set[str]] = []

    def noted(text: Text, *translators: Any) -> str:
        around.append({text.msgid})
        words = render(text, *translators)
        messages = around.pop()
        if around:
            around[-1].update(messages)
        else:
            said.sentences.setdefault(words, set()).update(messages)
            said.newest[text.msgid] = words
        return words

    with patch.object(Text, "render", noted):
        yield said


@dataclass(frozen=True)
class Cut:
    """Something that cannot be read whole: what is seen of it, and the messages that it may be."""

    seen: str
    messages: frozenset[str]
    row: int = 0


class Shown:
    """What a terminal shows, read as sentences; `others` are words that are no sentences of the app."""

    def __init__(self, rows: Sequence[str], said: Said, others: Iterable[str] = ()) -> None:
        self._rows = rows
        self._said = said
        self._others = set(others)

    @cached_property
    def _whole_words(self) -> set[str]:
        return {word for sentence in self._said.sentences for word in WORD.findall(sentence)}

    @cached_property
    def _single_spaced(self) -> set[str]:
        # the pages of a lesson may be shown a paragraph at a time
        parts = (part for said in self._said.sentences for part in (said, *said.split("\n\n")))
        return {" ".join(part.split()) for part in parts}

    def cuts(self) -> Iterator[Cut]:
        """Words of which only the beginning can be seen, and lines that end before their sentence does."""
        yield from self._cut_words()
        yield from self._cut_lines()

    def foreign_words(self) -> Iterator[str]:
        """Words that belong to no sentence, and are not the beginning of one that does."""
        known = self._whole_words | self._others
        for word in {word for row in self._rows for word in WORD.findall(row) if len(word) > 1}:
            if not any(other.startswith(word) for other in known):
                yield word

    def _cut_words(self) -> Iterator[Cut]:
        known = self._whole_words | self._others
        for y, row in enumerate(self._rows):
            for found in WORD.finditer(row):
                piece = found[0]
                if len(piece) < _SHORTEST or piece in known:
                    continue
                if whole := {word for word in self._whole_words if word.startswith(piece)}:
                    seen = row[max(0, found.start() - 20) : found.end() + 1].strip()
                    yield Cut(seen, frozenset(self._said.messages_with(whole)), y)

    def _cut_lines(self) -> Iterator[Cut]:
        for sentence in self._said.newest.values():
            words = sentence.rstrip(".").split()
            if "\n" in sentence or len(words) < 2 or len(sentence) <= _BEGINNING:
                continue
            reads = [(*self._read(at, words), at) for at in self._beginnings(sentence)]
            if not reads:
                continue
            n, is_wrapped, at = max(reads)
            if n == len(words) or is_wrapped:
                continue
            seen = " ".join(words[:n])
            if n < 2 or len(seen) < _BEGINNING or _PARTS & {words[n - 1], words[n]}:
                continue
            # otherwise a shorter sentence was shown instead, which may have it in its middle
            if not any(seen in other and self._is_read(other, at) for other in self._single_spaced):
                yield Cut(seen, frozenset(self._said.sentences[sentence]))

    def _is_read(self, sentence: str, at: tuple[int, int]) -> bool:
        """Whether all of a sentence can be seen, with one of its words at a place."""
        row, column = at
        words = sentence.rstrip(".").split()
        for start in self._places(words[0] if words else ""):
            places, _is_wrapped = self._placed(start, words)
            spans = ((y, range(x, x + len(word))) for (y, x), word in zip(places, words, strict=False))
            if len(places) == len(words) and any(y == row and column in span for y, span in spans):
                return True
        return False

    def _beginnings(self, sentence: str) -> Iterator[tuple[int, int]]:
        for y, x in self._places(sentence[:_BEGINNING].rstrip()):
            before = self._rows[y][max(0, x - 2) : x]
            if not (before[:1].isalpha() and before[1:].isspace()):  # in the middle of another sentence
                yield y, x

    def _places(self, words: str) -> Iterator[tuple[int, int]]:
        for y, row in enumerate(self._rows):
            x = row.find(words) if words else -1
            while x >= 0:
                if x == 0 or not row[x - 1].isalnum():
                    yield y, x
                x = row.find(words, x + 1)

    def _read(self, at: tuple[int, int], words: Sequence[str]) -> tuple[int, bool]:
        """How many words can be read from a place on, and whether they take more than one line."""
        places, is_wrapped = self._placed(at, words)
        return len(places), is_wrapped

    def _placed(self, at: tuple[int, int], words: Sequence[str]) -> tuple[list[tuple[int, int]], bool]:
        """Where the words are that can be read from a place on, and whether they take more than one line."""
        y, x = at
        start, places, is_wrapped = x, list[tuple[int, int]](), False
        for word in words:
            if (found := self._beside(word, y, x)) is not None:
                x = found
            elif (again := self._next_line(word, y, start)) is not None and places:
                y, x, is_wrapped = y + 1, again, True
            else:
                break
            places.append((y, x))
            x += len(word) + 1
        return places, is_wrapped

    def _beside(self, word: str, y: int, x: int) -> int | None:
        """Where a whole word begins in a line, at a column or behind one more blank."""
        row = self._rows[y]
        for each in (x, x + 1):
            after = row[each + len(word) : each + len(word) + 1]
            if row.startswith(word, each) and not row[x:each].strip() and not after.isalnum():
                return each
        return None

    def _next_line(self, word: str, y: int, start: int) -> int | None:
        if y + 1 >= len(self._rows):
            return None
        row = self._rows[y + 1]
        found = [match.start() for match in re.finditer(re.escape(word), row)]
        near = [x for x in found if abs(x - start) <= _ASIDE and (x == 0 or not row[x - 1].isalnum())]
        return min(near, key=lambda x: abs(x - start), default=None)
