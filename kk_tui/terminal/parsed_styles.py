"""Style sheets shared by all apps of a process: parsing them is half the cost of starting an app.

Matching rules with widgets is an eighth of the rest, and is shared too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from textual.app import App
from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.styles import RulesMap
from textual.css.stylesheet import CssSource, Stylesheet
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.css.types import CSSLocation
from textual.dom import DOMNode

_SHEETS: Final = 512
"""Whole sheets cached: a dozen for every palette in use, since screens add their own styles."""

_SOURCES: Final = 2048
"""Sources cached: about a hundred for every palette."""

_NODES: Final = 4096
"""Nodes of one sheet whose rules are cached; a whole game has some hundreds."""

_OF_APPS: Final = frozenset(("dark", "light", "inline", "ansi", "nocolor"))
"""Pseudo classes that the app decides."""

_OF_OTHERS: Final = Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE
"""Pseudo classes that depend on other nodes: rules found by them are not cached."""

_Path: TypeAlias = tuple[object, ...]
"""Everything about a node and its ancestors that selectors can refer to."""


class _Variables:
    """Values of variables: one object for all apps with the same ones, compared by identity."""

    def __init__(self, values: frozenset[tuple[str, str]]) -> None:
        self.tokens = tokenize_values(dict(values))


class _Found(NamedTuple):
    """The rules for a node; `has_hover` if they depend on the mouse."""

    rules: RulesMap
    has_hover: bool


class _Sheet(NamedTuple):
    """Rules in their order, and by the names in their selectors; they never change.

    `asked` are the pseudo classes in selectors; `found` are the rules of nodes so far.
    """

    rules: list[RuleSet]
    by_name: dict[str, list[RuleSet]]
    asked: frozenset[str]
    found: dict[_Path, _Found]


class SharedStylesheet(Stylesheet):
    """A style sheet computed once for all apps with the same sources and variables."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._shared = _shared(frozenset(variables.items()))
        self._sheet: _Sheet | None = None

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set other values, which apply from the next `parse` on."""
        super().set_variables(variables)
        self._shared = _shared(frozenset(variables.items()))

    @property
    def _variable_tokens(self) -> dict[str, list[Token]]:
        return self._shared.tokens

    def parse(self) -> None:
        """Parse all sources with the current variables."""
        try:
            self._sheet = _sheet(tuple(self.source.items()), self._shared)
            self._rules, self._rules_map = self._sheet.rules, self._sheet.by_name
        except Exception:  # Textual's own parse reports the fault, and omits the source from then on
            self._sheet = None
            super().parse()
        self._require_parse = False

    def reparse(self) -> None:
        """Parse again with the current variables."""
        self.parse()  # Textual's own would parse into a new, plain `Stylesheet`

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        """The rules by the names in their selectors."""
        if self._require_parse:
            self.parse()
        return super().rules_map

    def apply(
        self, node: DOMNode, *, animate: bool = False, cache: dict[tuple[Any, ...], RulesMap] | None = None
    ) -> None:
        """Style a node, with the rules of any app's node that looks the same to all selectors."""
        if self._require_parse:
            self.parse()
        path = None if self._sheet is None else tuple(_path(node, self._sheet.asked))
        if self._sheet is None or path is None:
            super().apply(node, animate=animate, cache=cache)
            return
        found = self._sheet.found.get(path)
        if found is None:
            super().apply(node, animate=animate)
            is_moving = animate and node.styles.base.has_rule("transitions")
            depends_on_others = node._has_focus_within or node._has_order_style or node._has_odd_or_even
            if not (is_moving or depends_on_others):
                self._keep(path, node)
            return
        node._has_hover_style = found.has_hover
        # With any of these, its rules would not have been cached.
        node._has_focus_within = node._has_order_style = node._has_odd_or_even = False
        self._dress(node, found.rules, animate=animate)
        self._process_component_classes(node)

    def _keep(self, path: _Path, node: DOMNode) -> None:
        assert self._sheet is not None, "there are rules"
        if len(self._sheet.found) >= _NODES:
            self._sheet.found.clear()
        self._sheet.found[path] = _Found(dict(node.styles.base._rules), node._has_hover_style)  # type: ignore[arg-type]

    def _dress(self, node: DOMNode, rules: RulesMap, *, animate: bool) -> None:
        base = node.styles.base
        if base._rules:  # only a node that already has rules must compare them one by one
            self.replace_rules(node, rules, animate=animate)
            return
        base.merge_rules(rules)
        node.refresh(layout=True)
        node.notify_style_update()


@lru_cache(64)
def _shared(values: frozenset[tuple[str, str]]) -> _Variables:
    return _Variables(values)


@lru_cache(_SHEETS)
def _sheet(sources: tuple[tuple[CSSLocation, CssSource], ...], variables: _Variables) -> _Sheet:
    """Parse all sources. Raises whatever Textual's parser does."""
    rules = [rule for location, source in sources for rule in _parsed(location, source, variables)]
    by_name: dict[str, list[RuleSet]] = defaultdict(list)
    for rule in rules:
        for name in rule.selector_names:
            by_name[name].append(rule)
    selectors = (one for rule in rules for some in rule.selector_set for one in some.selectors)
    asked = frozenset(name for one in selectors for name in one.pseudo_classes)
    return _Sheet(rules, dict(by_name), asked - _OF_APPS - _OF_OTHERS, {})


def _path(node: DOMNode, asked: frozenset[str]) -> Iterator[object]:
    """Yield type, id, classes and pseudo classes of a node and its ancestors up to the app."""
    here: object = node
    while isinstance(here, DOMNode):
        yield type(here)
        yield here._id
        yield here.classes
        checks: Mapping[str, Callable[[Any], bool]] = here._PSEUDO_CLASSES
        names = _OF_APPS if isinstance(here, App) else asked
        yield tuple([name for name in names if name in checks and checks[name](here)])
        here = here._parent


@lru_cache(_SOURCES)
def _parsed(location: CSSLocation, source: CssSource, variables: _Variables) -> list[RuleSet]:
    """Parse one source. Raises whatever Textual's parser does, or `ValueError` for faults in rules."""
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
