"""What a kind of terminal can do, by its TERM and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class ColourDepth(Enum):
    """How many colours a terminal shows; the values are rich's names of them."""

    MONO = None
    SIXTEEN = "standard"
    INDEXED = "256"
    TRUE = "truecolor"


DEPTHS: Final[Mapping[str, ColourDepth]] = {
    "truecolor": ColourDepth.TRUE,
    "256": ColourDepth.INDEXED,
    "16": ColourDepth.SIXTEEN,
    "none": ColourDepth.MONO,
}
"""Depths by the names that they have in the settings."""


class Attribute:
    """Bits of what a character may have besides colours."""

    BOLD: Final = 1
    DIM: Final = 2
    ITALIC: Final = 4
    UNDERLINE: Final = 8
    BLINK: Final = 16
    REVERSE: Final = 32
    STRIKE: Final = 64
    ALL: Final = 127
    VT100: Final = BOLD | UNDERLINE | BLINK | REVERSE
    ON_BLANKS: Final = UNDERLINE | REVERSE | STRIKE
    """Those that are seen on a blank, too."""


@dataclass(frozen=True, slots=True)
class TerminalKind:
    """A kind of terminal.

    `attributes` are those it shows. `has_erase_colour`: what is erased takes the background of the pen.
    `has_columns`: the cursor can be sent to a column of its line (CHA). `has_off_codes`: attributes can be
    switched off one by one. `has_title`: its window has a title that can be set, and given back.
    """

    depth: ColourDepth = ColourDepth.TRUE
    attributes: int = Attribute.ALL
    has_erase_colour: bool = False
    has_columns: bool = True
    has_off_codes: bool = True
    has_title: bool = False


_TRUE_COLOUR: Final = ("direct", "truecolor", "kitty", "alacritty", "ghostty", "foot", "wezterm", "iterm")
_ERASE_COLOUR: Final = ("xterm", "linux", "rxvt", "konsole", "gnome", "vte", "putty", "mintty")
_TITLE: Final = ("xterm", "rxvt", "tmux", "screen", "konsole", "gnome", "vte", "putty", "mintty")
_MULTIPLEXERS: Final = ("tmux", "screen")
_OLD: Final = ("vt", "dumb", "unknown", "ansi-m")


def kind_of(term: str, environment: Mapping[str, str]) -> TerminalKind:
    """The kind of a terminal; of one never heard of, only what all of the last thirty years can do."""
    term = term.lower()
    if not term or (term.startswith(_OLD) and "vte" not in term):
        return TerminalKind(ColourDepth.MONO, Attribute.VT100, has_columns=False, has_off_codes=False)
    return TerminalKind(
        depth_of(term, environment),
        _attributes(term),
        has_erase_colour=term.startswith((*_ERASE_COLOUR, *_TRUE_COLOUR)),
        has_title=term.startswith((*_TITLE, *_TRUE_COLOUR)),
    )


def depth_of(term: str, environment: Mapping[str, str]) -> ColourDepth:
    """How many colours: none with NO_COLOR, else COLORTERM says it, or the name does.

    COLORTERM speaks of the terminal around a multiplexer, which mostly makes 256 of 16 million colours, and
    others than ours.
    """
    if environment.get("NO_COLOR"):
        return ColourDepth.MONO
    is_promised = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    is_between = is_multiplexed(term, environment)
    if any(name in term for name in _TRUE_COLOUR) or (is_promised and not is_between):
        return ColourDepth.TRUE
    return (
        ColourDepth.INDEXED if "256" in term or "TMUX" in environment or is_promised else ColourDepth.SIXTEEN
    )


def is_multiplexed(term: str, environment: Mapping[str, str]) -> bool:
    """Whether tmux or GNU screen stands between the app and the terminal; TMUX is set at home alone."""
    return "TMUX" in environment or term.startswith(_MULTIPLEXERS)


def _attributes(term: str) -> int:
    """GNU screen reads the code of italics as reverse; the console of Linux has its own colours for some."""
    if term.startswith("screen"):
        return Attribute.ALL & ~(Attribute.ITALIC | Attribute.STRIKE)
    if term.startswith("linux"):
        return Attribute.VT100
    return Attribute.ALL
