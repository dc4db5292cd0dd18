"""The look of the app: palettes with every colour as a variable, and the table of signs."""

from typing import Literal, TypeAlias

PaletteName: TypeAlias = Literal["manuscript", "contrast", "colour-blind"]
