"""Kinds of terminals and their abilities, by TERM and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class ColourDepth(Enum):
    """The number of colours that a terminal shows; the values are Rich's names for them."""

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
"""Depths by their names in the settings."""


class Attribute:
    """Bits for the attributes of a character besides colours."""

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
    """The attributes that are visible on blanks too."""


@dataclass(frozen=True, slots=True)
class TerminalKind:
    """A kind of terminal.

    `attributes` are those it shows. With `has_erase_colour`, erased cells get the pen's background; with
    `has_columns`, the cursor can be sent to a column of its line (CHA); with `has_off_codes`, attributes can
    be switched off individually; with `has_title`, the window's title can be set and restored.
    """

    depth: ColourDepth = ColourDepth.TRUE
    attributes: int = Attribute.ALL
    has_erase_colour: bool = False
    has_columns: bool = True
    has_off_codes: bool = True
    has_title: bool = False


_TRUE_COLOUR: Final = ("direct", "truecolor", "kitty", "alacritty", "ghostty", "foot", "wezterm", "iterm")
# "bce" in terminfo.
_ERASE_COLOUR: Final = ("xterm", "linux", "rxvt", "konsole", "gnome", "vte", "putty", "mintty")
_TITLE: Final = ("xterm", "rxvt", "tmux", "screen", "konsole", "gnome", "vte", "putty", "mintty")
_MULTIPLEXERS: Final = ("tmux", "screen")
_OLD: Final = ("vt", "dumb", "unknown", "ansi-m")


def kind_of(term: str, environment: Mapping[str, str]) -> TerminalKind:
    """Return the kind of a terminal; an unknown one can do what all of the last thirty years can."""
    term = term.lower()
    if not term or (term.startswith(_OLD) and "vte" not in term):  # "vt" also begins "vte", which is not old
        return TerminalKind(ColourDepth.MONO, Attribute.VT100, has_columns=False, has_off_codes=False)
    return TerminalKind(
        depth_of(term, environment),
        _attributes(term),
        has_erase_colour=term.startswith((*_ERASE_COLOUR, *_TRUE_COLOUR)),
        has_title=term.startswith((*_TITLE, *_TRUE_COLOUR)),
    )


def depth_of(term: str, environment: Mapping[str, str]) -> ColourDepth:
    """Return the depth of a terminal: none with NO_COLOR, else by COLORTERM or the terminal's name."""
    if environment.get("NO_COLOR"):
        return ColourDepth.MONO
    is_promised = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    # COLORTERM is that of the terminal around a multiplexer, which mostly reduces colours to 256, unlike us.
    is_between = is_multiplexed(term, environment)
    if any(name in term for name in _TRUE_COLOUR) or (is_promised and not is_between):
        return ColourDepth.TRUE
    return (
        ColourDepth.INDEXED if "256" in term or "TMUX" in environment or is_promised else ColourDepth.SIXTEEN
    )


def is_multiplexed(term: str, environment: Mapping[str, str]) -> bool:
    """Return whether tmux or GNU screen is between app and terminal; over SSH only the name shows it."""
    return "TMUX" in environment or term.startswith(_MULTIPLEXERS)


def _attributes(term: str) -> int:
    if term.startswith("screen"):  # it takes the code for italics as reverse
        return Attribute.ALL & ~(Attribute.ITALIC | Attribute.STRIKE)
    if term.startswith("linux"):  # the console shows some attributes as colours
        return Attribute.VT100
    return Attribute.ALL
