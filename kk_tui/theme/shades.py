"""How tables of colours are written: by palette and variable, each on a dark and on a light page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Shade: TypeAlias = tuple[str, str]
"""A colour on a dark page and on a light one, each as `kk_tui.terminal.colour.parse_colour` reads it."""

Shades: TypeAlias = Mapping[str, Shade]
"""By theme variable."""

Palettes: TypeAlias = Mapping[str, Shades]
"""By palette; what another palette lacks is taken from "manuscript", which has everything."""
