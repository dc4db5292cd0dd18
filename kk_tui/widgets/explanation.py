"""The meaning of what is drawn, stored where it is drawn: a mark on words that does not change their look."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from rich.cells import cell_len
from textual.content import Content, Span

from kk_core.text import Text


class Explanation(str):
    """One sentence about a sign, and the section of the rules that says more.

    To `Content` it is a style that adds nothing, and all are equal: words whose meaning has changed but not
    their look are not redrawn. A sentence that is costly to make is made when it is read.
    """

    __slots__ = ("_made", "gives_way", "section")

    _made: Text | Callable[[], Text]
    section: str
    """The section of the rules; empty for the one that fits the moment."""

    gives_way: bool
    """True if the prompt says more while there is something to do: for a choice, or plain ground."""

    def __new__(
        cls, sentence: Text | Callable[[], Text], section: str = "", *, gives_way: bool = False
    ) -> Self:
        """Store the arguments on a string that means no style."""
        made = super().__new__(cls, " ")
        made._made, made.section, made.gives_way = sentence, section, gives_way
        return made

    @property
    def sentence(self) -> Text:
        """The sentence."""
        return self._made if isinstance(self._made, Text) else self._made()

    @property
    def kind(self) -> tuple[str, ...]:
        """The sentence without its names and figures: the same for all signs of a kind."""
        said = self.sentence
        within = (value for _name, value in said.args if isinstance(value, Text))
        return said.msgid, *(part.msgid for part in within if part.args)


def explained(
    words: Content | str | tuple[str, str], sentence: Text | Callable[[], Text], section: str = ""
) -> Content:
    """Return words that explain themselves; parts that already do keep their narrower meaning."""
    line = words if isinstance(words, Content) else Content.assemble(words)
    return Content(line.plain, [*line.spans, Span(0, len(line.plain), Explanation(sentence, section))])


def explanation_at(line: Content, column: int) -> Explanation | None:
    """Return the explanation of the sign in a column; of two meanings the narrower one."""
    at = _offset(line.plain, column)
    found = [
        (span.end - span.start, span.style)
        for span in line.spans
        if isinstance(span.style, Explanation) and span.start <= at < span.end
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def _offset(words: str, column: int) -> int:
    """Return the index of the character in a column, or after the last one if there is none."""
    if words.isascii():
        return column
    for at, sign in enumerate(words):
        column -= cell_len(sign)
        if column < 0:
            return at
    return len(words)


def without_explanations(line: Content) -> Content:
    """Return words as they are drawn."""
    styles: list[Any] = [span for span in line.spans if not isinstance(span.style, Explanation)]
    return line if len(styles) == len(line.spans) else Content(line.plain, styles)
