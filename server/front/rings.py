"""Rings in which Textual ties app, screens and widgets.

Where many apps run in one process, only a look of the garbage collector at all there is would find what they
hold when it is shown no more. So they are broken by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from textual.cache import LRUCache
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

_PLAIN: Final = (bool, int, float, str, type(None))


def nodes_of(screen: Screen[Any]) -> list[DOMNode]:
    """All that a screen consists of, to be asked for before it is closed."""
    return [node for widget in _widgets(screen) for node in _parts(widget)]


def _parts(widget: Widget) -> Iterator[DOMNode]:
    """A widget, its scroll bars, and what stands for its parts that have styles of their own."""
    yield widget
    yield from widget._get_virtual_dom()
    yield from (styles.node for styles in widget._component_styles.values() if styles.node is not None)


def forget_queries(screen: Screen[Any]) -> None:
    """Empty what Textual, when the screen is closed, will clear in a way that leaves a ring."""
    for widget in _widgets(screen):
        _empty(widget._query_one_cache)


def _widgets(screen: Screen[Any]) -> Iterable[Widget]:
    return screen.walk_children(Widget, with_self=True)


def break_rings(nodes: Iterable[DOMNode]) -> None:
    """Have nodes keep nothing but plain values: whether they run, for whoever still asks."""
    for node in nodes:
        own = vars(node)
        for value in own.values():
            if isinstance(value, LRUCache):
                _empty(value)
        plain = {name: value for name, value in own.items() if isinstance(value, _PLAIN)}
        own.clear()
        own.update(plain)


def _empty(cache: LRUCache[Any, Any]) -> None:
    """Its links know each other."""
    links = list(cache._cache.values())
    cache.clear()
    for link in links:
        link.clear()
