"""Words that can be typed, and what may be meant by them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kk_core.errors import KkError
from kk_core.text import Text, joined, quoted, text, text_in
from kk_tui.i18n import _, render, typed
from kk_tui.matching import Fit, meant, ways_of, words_of

HELP: Final = text_in("typed", "help")


class UnknownWords(KkError):
    """Typed words that mean nothing here, or several things."""


class TooFewWords(UnknownWords):
    """A line that would be understood with more words behind it."""


def may_mean(line: str, found: Sequence[str]) -> Text:
    """Return which things a line may mean."""
    shown = joined([*map(quoted, found)], is_choice=True)
    return text("{line} may mean {found}.", line=quoted(line), found=shown)


@dataclass(frozen=True)
class TypedWord:
    """A word, what may follow it, and what it does; `also` are other words for it."""

    word: Text
    about: Text
    do: Callable[[str], Awaitable[None]]
    argument: Text | None = None
    also: tuple[Text, ...] = ()
    example: Sequence[object] | Callable[[], Sequence[object]] = ()
    """What may follow it, for example; or what returns that, if it depends on the place."""

    def forms(self) -> Iterator[str]:
        """Yield the ways to type it, in the reader's language and in English."""
        for word in (self.word, *self.also):
            yield from ways_of(word)

    @property
    def usage(self) -> str:
        """The word, and what may follow it."""
        return self._with_argument(render(self.word))

    def usage_of(self, typed: str) -> str:
        """Return the way to type it that fits a typed beginning best, and what may follow it."""
        _how, ways = meant(words_of(typed), ((way, (way,)) for way in self.forms()))
        return self._with_argument(ways[0]) if ways else self.usage

    def _with_argument(self, word: str) -> str:
        return word if self.argument is None else f"{word} {render(self.argument)}"

    @property
    def help(self) -> str:
        """The line that says what it does."""
        return f"{self.usage}: {render(self.about)}"

    def examples(self) -> Iterator[str]:
        """Yield a line with an example of what may follow it, if there is one now."""
        after = self.example() if callable(self.example) else self.example
        if after:
            shown = (render(part) if isinstance(part, Text) else part for part in after)
            yield _("For example: {open}.", open=typed(self.word, *shown))


def word_meant(word: str, commands: Sequence[TypedWord]) -> tuple[Fit | None, list[TypedWord]]:
    """Return the commands that a typed word may mean, and how well it fits."""
    if word == "?":
        return Fit.WHOLE, [one for one in commands if Text("?") in one.also]
    return meant(words_of(word), ((one, one.forms()) for one in commands))
