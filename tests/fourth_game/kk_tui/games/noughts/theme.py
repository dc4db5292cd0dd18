"""The looks of Noughts and bids: its signs with an ASCII twin, and its colours."""

from __future__ import annotations

from typing import Final

from kk_tui.theme.glyphs import Pairs
from kk_tui.theme.palette import Palettes

GLYPHS: Final[Pairs] = {"noughts-coin": ("¢", "c"), "noughts-free": ("·", ".")}

COLOURS: Final[Palettes] = {"manuscript": {}}
"""None of its own: marks are of the colours of their seats."""
