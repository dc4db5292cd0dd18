"""Style sheets that all apps of a process share: parsing them is half of what an app costs to start."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.stylesheet import Stylesheet
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation

_SOURCES: Final = 2048
"""How many sources are kept: about a dozen for every palette that somebody uses."""


class SharedStylesheet(Stylesheet):
    """A style sheet whose sources are parsed once for all apps with the same variables."""

    def _parse_rules(
        self,
        css: str,
        read_from: CSSLocation,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        variables = frozenset(self._variables.items())
        return _parsed(css, read_from, is_default_rules, tie_breaker, scope, variables)

    def reparse(self) -> None:
        """Take the variables of now; Textual's own begins with a sheet that knows nothing yet."""
        self.parse()


@lru_cache(_SOURCES)
def _parsed(
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool,
    tie_breaker: int,
    scope: str,
    variables: frozenset[tuple[str, str]],
) -> list[RuleSet]:
    """The rules of a source, which nobody changes."""
    return list(
        parse(
            scope, css, read_from,
            variable_tokens=_tokens(variables), is_default_rules=is_default_rules, tie_breaker=tie_breaker,
        )
    )  # fmt: skip


@lru_cache(64)
def _tokens(variables: frozenset[tuple[str, str]]) -> dict[str, list[Token]]:
    return tokenize_values(dict(variables))
