"""Style sheets that all apps of a process share: parsing them is half of what an app costs to start."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Final, NamedTuple

from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.stylesheet import CssSource, Stylesheet
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation

_SHEETS: Final = 512
"""How many whole sheets are kept: a dozen for every palette that somebody uses, as screens bring more in."""

_SOURCES: Final = 2048
"""How many sources are kept: about a hundred for every palette."""


class _Variables:
    """Values of variables; one object for all apps with the same ones, so that a look-up compares nothing."""

    def __init__(self, values: frozenset[tuple[str, str]]) -> None:
        self.tokens = tokenize_values(dict(values))


class _Sheet(NamedTuple):
    """Rules in their order, and by the names in their selectors; nobody changes them."""

    rules: list[RuleSet]
    by_name: dict[str, list[RuleSet]]


class SharedStylesheet(Stylesheet):
    """A style sheet that is worked out once for all apps with the same sources and variables."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._shared = _shared(frozenset(variables.items()))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other values; they count from the next `parse`."""
        super().set_variables(variables)
        self._shared = _shared(frozenset(variables.items()))

    @property
    def _variable_tokens(self) -> dict[str, list[Token]]:
        return self._shared.tokens

    def parse(self) -> None:
        """Take the rules of all sources, as the variables are now."""
        try:
            self._rules, self._rules_map = _sheet(tuple(self.source.items()), self._shared)
        except Exception:  # Textual says what is wrong, and leaves that source out from then on
            super().parse()
        self._require_parse = False

    def reparse(self) -> None:
        """Take the variables of now; Textual's own begins with a sheet that knows nothing yet."""
        self.parse()

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        """The rules by the names in their selectors."""
        if self._require_parse:
            self.parse()
        return super().rules_map


@lru_cache(64)
def _shared(values: frozenset[tuple[str, str]]) -> _Variables:
    return _Variables(values)


@lru_cache(_SHEETS)
def _sheet(sources: tuple[tuple[CSSLocation, CssSource], ...], variables: _Variables) -> _Sheet:
    """The rules of all sources. Raises what Textual's parser does."""
    rules = [rule for location, source in sources for rule in _parsed(location, source, variables)]
    by_name: dict[str, list[RuleSet]] = defaultdict(list)
    for rule in rules:
        for name in rule.selector_names:
            by_name[name].append(rule)
    return _Sheet(rules, dict(by_name))


@lru_cache(_SOURCES)
def _parsed(location: CSSLocation, source: CssSource, variables: _Variables) -> list[RuleSet]:
    """The rules of one source. Raises what Textual's parser does, or `ValueError` for faults in them."""
    found = list(
        parse(
            source.scope, source.content, location,
            variable_tokens=variables.tokens, is_default_rules=source.is_defaults,
            tie_breaker=source.tie_breaker,
        )
    )  # fmt: skip
    if any(rule.errors for rule in found):
        raise ValueError(location)
    return found
