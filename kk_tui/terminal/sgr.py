"""Renditions: the ink, ground and attributes of characters, and the codes (SGR) that select them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import Color
from rich.style import Style
from textual.filter import dim_color

from kk_tui.terminal.capabilities import Attribute, ColourDepth, TerminalKind
from kk_tui.terminal.colour import Colours, Rgb, is_too_dark_for_hues, luminance, nearest_256, nearest_grey

_BOUND: Final = 2048
"""Styles cached for one terminal; more are never in use at a time."""

_COMMON: Final = 8192
"""Styles, and changes of the pen, cached for all terminals of a kind."""

AS_IS: Final = "as-is"
"""Key in a style's meta: its colours are sent as they are at any depth, as in samples of a palette."""

PIXEL: Final = "pixel"
"""Key in a style's meta: its ground is one of two pixels; with 16 colours it gets the colour of an ink."""

BLOCK: Final = "block"
"""Key in a style's meta: its ink fills an area; with 16 colours it gets the colour of a ground."""

BARE: Final = "bare"
"""Key in a style's meta: with 16 colours its ground is the page, where all owners' colours are legible."""

_HALF: Final = 127
"""Luminance, out of 255, halfway between dark and light."""

_FAINT: Final = 32
"""Difference of luminance, out of 255, below which a monochrome terminal draws no sign.

This applies to the coasts of lands that do not count.
"""

_PAGES: Final = ({0}, {15})
"""Pairs of grounds that both become the page itself with 16 colours: black on dark, white on light."""

_BLACK: Final = Color.from_rgb(0, 0, 0)
_STEP: Final = 12
"""Step of red, green and blue, out of 255, that is likely to reach the next of the 256 colours."""

_DEFAULT: Final = ("39", "49")
_ON_OFF: Final = {
    Attribute.BOLD: ("1", "22"),
    Attribute.DIM: ("2", "22"),
    Attribute.ITALIC: ("3", "23"),
    Attribute.UNDERLINE: ("4", "24"),
    Attribute.BLINK: ("5", "25"),
    Attribute.REVERSE: ("7", "27"),
    Attribute.STRIKE: ("9", "29"),
}


class Rendition(NamedTuple):
    """Codes of ink and ground, and bits of `Attribute`; "" is the ink of a plain blank, which shows none."""

    ink: str
    ground: str
    attributes: int


PLAIN: Final = Rendition(*_DEFAULT, 0)
BLANK: Final = Rendition("", _DEFAULT[1], 0)


class Renditions(NamedTuple):
    """A style on one terminal: its signs, its blanks, the sign that covers wide blanks.

    With `is_hidden` its signs are drawn as blanks.
    """

    signs: Rendition
    blanks: Rendition
    cover: str = " "
    is_hidden: bool = False


class _Common(NamedTuple):
    """Caches shared by all terminals of one kind with the same colours."""

    renditions: dict[Style | None, Renditions]
    changes: dict[tuple[Rendition | None, Rendition], tuple[str, Rendition]]


@lru_cache(64)  # `Colours` are compared by identity, and apps with the same palette share one
def _common(_kind: TerminalKind, _colours: Colours) -> _Common:
    return _Common({}, {})


_NO_COLOURS: Final = Colours()


class SgrCodes:
    """The renditions of styles on one terminal, and the codes that switch between them."""

    def __init__(self, kind: TerminalKind, colours: Colours | None = None) -> None:
        self.kind = kind
        self._colours = colours or _NO_COLOURS
        self._renditions: dict[int, tuple[Style | None, Renditions]] = {}
        self._common = _common(kind, self._colours)

    def renditions(self, style: Style | None) -> Renditions:
        """Return the renditions of a style."""
        # By identity, since comparing styles takes longer; the entry holds the style, so its id is not
        # reused.
        found = self._renditions.get(id(style))
        if found is None:
            if len(self._renditions) >= _BOUND:
                self._renditions.clear()
            found = self._renditions[id(style)] = (style, self._common_renditions(style))
        return found[1]

    def change(self, pen: Rendition | None, rendition: Rendition) -> tuple[str, Rendition]:
        """Return the shortest codes for a rendition, and the resulting pen; `pen` is None if unknown."""
        changes, key = self._common.changes, (pen, rendition)
        found = changes.get(key)
        if found is None:
            if len(changes) >= _COMMON:
                changes.clear()
            found = changes[key] = self._change(pen, rendition)
        return found

    # -- renditions ------------------------------------------------------------------------------------------

    def _common_renditions(self, style: Style | None) -> Renditions:
        renditions = self._common.renditions
        found = renditions.get(style)
        if found is None:
            if len(renditions) >= _COMMON:
                renditions.clear()
            found = renditions[style] = self._renditions_of(style)
        return found

    def _renditions_of(self, style: Style | None) -> Renditions:
        if style is None:
            return Renditions(PLAIN, BLANK)
        rendition = self._rendition(style)
        cover = self._cover(style, rendition)
        if cover is None:
            cover = (
                rendition
                if rendition.attributes & Attribute.ON_BLANKS
                else Rendition("", rendition.ground, 0),
                " ",
            )
        return Renditions(rendition, *cover, self._is_hidden(style))

    def _rendition(self, style: Style) -> Rendition:
        # Every terminal dims in its own way, some not at all: mix the colours here if both are known.
        if style.dim and style.color and style.bgcolor and not style.bgcolor.is_default:
            behind, before = (Color.from_triplet(c.get_truecolor()) for c in (style.bgcolor, style.color))
            style += Style(color=dim_color(behind, before), dim=False)
        attributes = _attributes(style)
        depth = ColourDepth.TRUE if AS_IS in style.meta else self.kind.depth
        if depth is ColourDepth.MONO:
            is_lit = _is_lit(style, self._colours.is_dark) and not self._is_hidden(style)
            if self._is_solid(style) or is_lit:
                attributes ^= Attribute.REVERSE
            return Rendition(*_DEFAULT, attributes & self.kind.attributes)
        ink, ground = self._ink(style, depth), self._ground(style, depth)
        # Colours that become the same number would hide the text.
        if ground == _as_ground(ink) != "49" and self._must_differ(style):
            if depth is ColourDepth.INDEXED:
                return Rendition(
                    _numbered(self._next_to(style), 0), ground, attributes & self.kind.attributes
                )
            # Black or white, whichever is legible there; faint ink on black is grey.
            faint = 8 if ground == _numbered(0, 10) and _light(style.color) < _HALF else 15
            ink = _numbered(0 if _light(style.bgcolor) > _HALF else faint, 0)
        return Rendition(ink, ground, attributes & self.kind.attributes)

    def _ink(self, style: Style, depth: ColourDepth) -> str:
        if BLOCK in style.meta and depth is ColourDepth.SIXTEEN and style.color is not None:
            return _numbered(self._colours.of_16(_rgb(style.color), ground=True), 0)
        return self._colour(style.color, 0, depth)

    def _ground(self, style: Style, depth: ColourDepth) -> str:
        if PIXEL in style.meta and depth is ColourDepth.SIXTEEN and style.bgcolor is not None:
            return _numbered(self._colours.of_16(_rgb(style.bgcolor), ground=False), 10)
        if BARE in style.meta and depth is ColourDepth.SIXTEEN and self._colours.page is not None:
            return _numbered(self._colours.page.sixteen, 10)
        return self._colour(style.bgcolor, 10, depth)

    def _next_to(self, style: Style) -> int:
        """Return the colour of 256 nearest to the ink that is not the ground."""
        ground = self._colours.of_256(_rgb(style.bgcolor or _BLACK))
        step = _STEP if _light(style.color) >= _light(style.bgcolor) else -_STEP
        red, green, blue = _rgb(style.color or _BLACK)
        nearest = nearest_grey if is_too_dark_for_hues(red, green, blue) else nearest_256
        # nearest, so that dim text stays dim
        for far in (step, 2 * step, -step, -2 * step):
            shade = nearest(*(max(0, min(255, part + far)) for part in (red, green, blue)))
            if shade != ground:
                return shade
        return 15

    def _is_chosen(self, style: Style) -> bool:
        """Return whether a palette has both colours, and so decides how they look on this terminal."""
        ink, ground = style.color, style.bgcolor
        return bool(ink and ground and self._colours.knows(_rgb(ink)) and self._colours.knows(_rgb(ground)))

    def _must_differ(self, style: Style) -> bool:
        """Return whether ink and ground are equal only because this terminal has too few colours."""
        return style.color != style.bgcolor and style.bgcolor is not None and not self._is_chosen(style)

    def _is_solid(self, style: Style) -> bool:
        """Return whether a palette wants the ground filled on a monochrome terminal."""
        ground = style.bgcolor
        return ground is not None and not ground.is_default and self._colours.is_solid(_rgb(ground))

    def _is_hidden(self, style: Style) -> bool:
        """Return whether signs are drawn as blanks: too faint in monochrome, or part of a pattern."""
        if AS_IS in style.meta or not self._is_chosen(style):
            return False
        if self.kind.depth is ColourDepth.SIXTEEN:
            return self._is_pattern_on_page(style)
        is_one_colour = self.kind.depth is ColourDepth.MONO
        return is_one_colour and abs(_light(style.color) - _light(style.bgcolor)) < _FAINT

    def _is_pattern_on_page(self, style: Style) -> bool:
        """Return whether ink and ground both become the page with 16 colours, and the ink has a pattern."""
        ink, ground = (_rgb(colour or _BLACK) for colour in (style.color, style.bgcolor))
        pages = {self._colours.of_16(rgb, ground=True) for rgb in (ink, ground)}
        return ink != ground and pages in _PAGES and self._colours.cover_of_16(ink) is not None

    def _cover(self, style: Style, rendition: Rendition) -> tuple[Rendition, str] | None:
        """Return the rendition and the sign of the pattern that covers a style's ground; None without one."""
        ground = style.bgcolor
        if (
            ground is None
            or ground.is_default
            or rendition.attributes & Attribute.UNDERLINE
            or AS_IS in style.meta
        ):
            return None
        if self.kind.depth is ColourDepth.SIXTEEN:
            cover = self._colours.cover_of_16(_rgb(ground))
            if cover is None and self._is_hidden(style):  # a coast: the land extends as far as its blocks
                cover = self._colours.cover_of_16(_rgb(style.color or _BLACK))
            if cover is not None:
                return Rendition(_numbered(cover[1], 0), rendition.ground, 0), cover[0]
        if self.kind.depth is ColourDepth.MONO and (sign := self._colours.cover_of_mono(_rgb(ground))):
            return rendition._replace(attributes=rendition.attributes & Attribute.REVERSE), sign
        return None

    def _colour(self, colour: Color | None, ground: int, depth: ColourDepth) -> str:
        """Return the code of a colour; `ground` is 10 for a background, 0 for a foreground."""
        if colour is None or colour.is_default:
            return str(39 + ground)
        number = colour.number  # if the style gives its colour as a number
        if number is not None and (number < 16 or depth is not ColourDepth.SIXTEEN):
            return _numbered(number, ground)
        rgb = _rgb(colour)
        if depth is ColourDepth.TRUE:
            return f"{38 + ground};2;{rgb[0]};{rgb[1]};{rgb[2]}"
        if depth is ColourDepth.INDEXED:
            return _numbered(self._colours.of_256(rgb), ground)
        return _numbered(self._colours.of_16(rgb, ground=bool(ground)), ground)

    # -- changes ---------------------------------------------------------------------------------------------

    def _change(self, pen: Rendition | None, rendition: Rendition) -> tuple[str, Rendition]:
        afresh = Rendition(rendition.ink or _DEFAULT[0], rendition.ground, rendition.attributes)
        if pen is None:
            return _from_nothing(afresh), afresh
        target = rendition
        if not rendition.ink:  # on a blank, ink and boldness are invisible, so leave them as they are
            target = Rendition(pen.ink, rendition.ground, pen.attributes & ~Attribute.ON_BLANKS)
        if pen == target:
            return "", pen
        if not self.kind.has_off_codes and pen.attributes & ~target.attributes:
            return _from_nothing(afresh), afresh
        step = _code(_steps(pen, target))
        reset = _from_nothing(afresh)
        return (step, target) if len(step) <= len(reset) else (reset, afresh)


def _attributes(style: Style) -> int:
    return sum(
        bit
        for bit, has in (
            (Attribute.BOLD, style.bold),
            (Attribute.DIM, style.dim),
            (Attribute.ITALIC, style.italic),
            (Attribute.UNDERLINE, style.underline or style.underline2),
            (Attribute.BLINK, style.blink or style.blink2),
            (Attribute.REVERSE, style.reverse),
            (Attribute.STRIKE, style.strike),
        )
        if has
    )


def _rgb(colour: Color) -> Rgb:
    red, green, blue = colour.get_truecolor()
    return red, green, blue


def _light(colour: Color | None) -> float:
    return luminance(*_rgb(colour)) if colour is not None else 0.0


def _is_lit(style: Style, page_is_dark: bool) -> bool:
    """Return whether a monochrome terminal shows some text reversed."""
    if style.bgcolor is None or style.bgcolor.is_default:
        return False
    ink = style.color.get_truecolor() if style.color is not None else (255,) * 3 if page_is_dark else (0,) * 3
    light, dark = luminance(*style.bgcolor.get_truecolor(foreground=False)), luminance(*ink)
    # such text has nothing but a ground that stands out from the page
    return light > dark if page_is_dark else light < dark


def _as_ground(ink: str) -> str:
    """Return the code of a background from that of the same foreground."""
    number, *rest = ink.split(";", 1)
    return ";".join((str(int(number) + 10), *rest))


def _numbered(number: int, ground: int) -> str:
    if number < 8:
        return str(30 + number + ground)
    return str(82 + number + ground) if number < 16 else f"{38 + ground};5;{number}"


def _code(parts: list[str]) -> str:
    return f"\x1b[{';'.join(parts)}m"


def _from_nothing(rendition: Rendition) -> str:
    if rendition == PLAIN:
        return "\x1b[m"
    return _code(["0", *_steps(PLAIN, rendition)])


def _steps(pen: Rendition, target: Rendition) -> list[str]:
    """Return the codes for the difference: first what is switched off, then what is switched on."""
    gone, come = pen.attributes & ~target.attributes, target.attributes & ~pen.attributes
    if gone & (Attribute.BOLD | Attribute.DIM):  # a single code, 22, switches both off
        come |= target.attributes & (Attribute.BOLD | Attribute.DIM)
    parts = list(dict.fromkeys(off for bit, (_on, off) in _ON_OFF.items() if gone & bit))
    parts += [on for bit, (on, _off) in _ON_OFF.items() if come & bit]
    if pen.ink != target.ink:
        parts.append(target.ink)
    if pen.ground != target.ground:
        parts.append(target.ground)
    return parts
