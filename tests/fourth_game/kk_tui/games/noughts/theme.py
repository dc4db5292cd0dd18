"""The looks of Noughts and bids: its signs with an ASCII twin."""

from __future__ import annotations

from typing import Final

from kk_tui.theme.glyphs import Pairs

GLYPHS: Final[Pairs] = {"noughts-coin": ("¢", "c"), "noughts-free": ("·", ".")}
