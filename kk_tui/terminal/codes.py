"""How characters look, and the codes (SGR) that make a terminal's pen write so."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import Color
from rich.style import Style
from textual.filter import dim_color

from kk_tui.terminal.colour import Colours, Rgb, is_too_dark_for_hues, luminance, nearest_256, nearest_grey
from kk_tui.terminal.kinds import Attribute, Depth, Kind

_BOUND: Final = 2048
"""Styles of one terminal that are kept; so many are never in use at a time."""

_COMMON: Final = 8192
"""What is kept for all terminals of a kind."""

AS_IS: Final = "as-is"
"""Key of a style's meta: its colours are sent as they stand, whatever the depth, to show how they look."""

PIXEL: Final = "pixel"
"""Key of a style's meta: its ground is one of two pixels, which with 16 colours is as plain as one in ink."""

BLOCK: Final = "block"
"""Key of a style's meta: its ink is a ground, too, and with 16 colours it has the colour of one."""

BARE: Final = "bare"
"""Key of a style's meta: with 16 colours its ground is the page, on which all owners' colours are seen."""

_HALF: Final = 127
"""Light, of 255, that is neither dark nor light."""

_FAINT: Final = 32
"""Difference of light, of 255, below which one colour shows no sign: coasts of lands that do not count."""

_PAGES: Final = ({0}, {15})
"""Grounds of 16 that are the page itself, in the dark and in the light."""

_BLACK: Final = Color.from_rgb(0, 0, 0)
_STEP: Final = 12
"""Difference of each part of a colour, of 255, after which another one of 256 is nearest."""

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


class Look(NamedTuple):
    """Codes of ink and ground, and bits of `Attribute`; the ink of a plain blank is "", as none is seen."""

    ink: str
    ground: str
    attributes: int


PLAIN: Final = Look(*_DEFAULT, 0)
BLANK: Final = Look("", _DEFAULT[1], 0)


class Looks(NamedTuple):
    """How characters of a style look, how its blanks do, what covers wide blanks; whether signs are shown."""

    signs: Look
    blanks: Look
    cover: str = " "
    is_hidden: bool = False


class _Common(NamedTuple):
    """What terminals of one kind with the same colours have in common."""

    looks: dict[Style | None, Looks]
    changes: dict[tuple[Look | None, Look], tuple[str, Look]]


@lru_cache(64)
def _common(_kind: Kind, _colours: Colours) -> _Common:
    return _Common({}, {})


_NO_COLOURS: Final = Colours()


class Codes:
    """Looks and codes for one terminal, and for no other kind than its own."""

    def __init__(self, kind: Kind, colours: Colours | None = None) -> None:
        self.kind = kind
        self._colours = colours or _NO_COLOURS
        self._looks: dict[int, tuple[Style | None, Looks]] = {}
        self._common = _common(kind, self._colours)

    def looks(self, style: Style | None) -> Looks:
        """How a style looks here."""
        found = self._looks.get(id(style))  # by identity, since to compare styles takes longer; each is kept
        if found is None:
            if len(self._looks) >= _BOUND:
                self._looks.clear()
            found = self._looks[id(style)] = (style, self._common_looks(style))
        return found[1]

    def change(self, pen: Look | None, look: Look) -> tuple[str, Look]:
        """The shortest codes after which the pen (None: in whatever state) writes so, and the pen then."""
        changes, key = self._common.changes, (pen, look)
        found = changes.get(key)
        if found is None:
            if len(changes) >= _COMMON:
                changes.clear()
            found = changes[key] = self._change(pen, look)
        return found

    # -- looks -----------------------------------------------------------------------------------------------

    def _common_looks(self, style: Style | None) -> Looks:
        looks = self._common.looks
        found = looks.get(style)
        if found is None:
            if len(looks) >= _COMMON:
                looks.clear()
            found = looks[style] = self._looks_of(style)
        return found

    def _looks_of(self, style: Style | None) -> Looks:
        if style is None:
            return Looks(PLAIN, BLANK)
        look = self._look(style)
        cover = self._cover(style, look)
        if cover is None:
            cover = look if look.attributes & Attribute.ON_BLANKS else Look("", look.ground, 0), " "
        return Looks(look, *cover, self._is_hidden(style))

    def _look(self, style: Style) -> Look:
        if style.dim and style.color and style.bgcolor and not style.bgcolor.is_default:
            behind, before = (Color.from_triplet(c.get_truecolor()) for c in (style.bgcolor, style.color))
            style += Style(color=dim_color(behind, before), dim=False)
        attributes = _attributes(style)
        depth = Depth.TRUE if AS_IS in style.meta else self.kind.depth
        if depth is Depth.MONO:
            is_lit = _is_lit(style, self._colours.is_dark) and not self._is_hidden(style)
            if self._is_solid(style) or is_lit:
                attributes ^= Attribute.REVERSE
            return Look(*_DEFAULT, attributes & self.kind.attributes)
        ink, ground = self._ink(style, depth), self._ground(style, depth)
        if ground == _as_ground(ink) != "49" and self._must_differ(style):
            if depth is Depth.INDEXED:
                return Look(_numbered(self._next_to(style), 0), ground, attributes & self.kind.attributes)
            faint = 8 if ground == _numbered(0, 10) and _light(style.color) < _HALF else 15
            ink = _numbered(0 if _light(style.bgcolor) > _HALF else faint, 0)
        return Look(ink, ground, attributes & self.kind.attributes)

    def _ink(self, style: Style, depth: Depth) -> str:
        if BLOCK in style.meta and depth is Depth.SIXTEEN and style.color is not None:
            return _numbered(self._colours.of_16(_rgb(style.color), ground=True), 0)
        return self._colour(style.color, 0, depth)

    def _ground(self, style: Style, depth: Depth) -> str:
        if PIXEL in style.meta and depth is Depth.SIXTEEN and style.bgcolor is not None:
            return _numbered(self._colours.of_16(_rgb(style.bgcolor), ground=False), 10)
        if BARE in style.meta and depth is Depth.SIXTEEN and self._colours.page is not None:
            return _numbered(self._colours.page.sixteen, 10)
        return self._colour(style.bgcolor, 10, depth)

    def _next_to(self, style: Style) -> int:
        """Of 256, the nearest to the ink that is not the ground: what is dim stays dim."""
        ground = self._colours.of_256(_rgb(style.bgcolor or _BLACK))
        step = _STEP if _light(style.color) >= _light(style.bgcolor) else -_STEP
        red, green, blue = _rgb(style.color or _BLACK)
        nearest = nearest_grey if is_too_dark_for_hues(red, green, blue) else nearest_256
        for far in (step, 2 * step, -step, -2 * step):
            shade = nearest(*(max(0, min(255, part + far)) for part in (red, green, blue)))
            if shade != ground:
                return shade
        return 15

    def _is_chosen(self, style: Style) -> bool:
        """Whether a palette has both colours: what they come to on this terminal is said there."""
        ink, ground = style.color, style.bgcolor
        return bool(ink and ground and self._colours.knows(_rgb(ink)) and self._colours.knows(_rgb(ground)))

    def _must_differ(self, style: Style) -> bool:
        """Whether ink and ground are one here by chance only."""
        return style.color != style.bgcolor and style.bgcolor is not None and not self._is_chosen(style)

    def _is_solid(self, style: Style) -> bool:
        """Whether a palette wants the ground filled where there are no colours."""
        ground = style.bgcolor
        return ground is not None and not ground.is_default and self._colours.is_solid(_rgb(ground))

    def _is_hidden(self, style: Style) -> bool:
        """Whether signs are not drawn: too faint for one colour, or blocks of what is else a pattern."""
        if AS_IS in style.meta or not self._is_chosen(style):
            return False
        if self.kind.depth is Depth.SIXTEEN:
            return self._is_pattern_on_page(style)
        is_one_colour = self.kind.depth is Depth.MONO
        return is_one_colour and abs(_light(style.color) - _light(style.bgcolor)) < _FAINT

    def _is_pattern_on_page(self, style: Style) -> bool:
        """Whether ink and ground are the page, of 16 colours, but for a pattern that covers the ink's."""
        ink, ground = (_rgb(colour or _BLACK) for colour in (style.color, style.bgcolor))
        pages = {self._colours.of_16(rgb, ground=True) for rgb in (ink, ground)}
        return ink != ground and pages in _PAGES and self._colours.cover_of_16(ink) is not None

    def _cover(self, style: Style, look: Look) -> tuple[Look, str] | None:
        """How a pattern on the ground of a style looks, and its sign, where there is one."""
        ground = style.bgcolor
        if (
            ground is None
            or ground.is_default
            or look.attributes & Attribute.UNDERLINE
            or AS_IS in style.meta
        ):
            return None
        if self.kind.depth is Depth.SIXTEEN:
            cover = self._colours.cover_of_16(_rgb(ground))
            if cover is None and self._is_hidden(style):  # a coast: the land goes as far as its blocks do
                cover = self._colours.cover_of_16(_rgb(style.color or _BLACK))
            if cover is not None:
                return Look(_numbered(cover[1], 0), look.ground, 0), cover[0]
        if self.kind.depth is Depth.MONO and (sign := self._colours.cover_of_mono(_rgb(ground))):
            return look._replace(attributes=look.attributes & Attribute.REVERSE), sign
        return None

    def _colour(self, colour: Color | None, ground: int, depth: Depth) -> str:
        """The code of a colour; `ground` is 10 for that behind the characters."""
        if colour is None or colour.is_default:
            return str(39 + ground)
        number = colour.number
        if number is not None and (number < 16 or depth is not Depth.SIXTEEN):
            return _numbered(number, ground)
        rgb = _rgb(colour)
        if depth is Depth.TRUE:
            return f"{38 + ground};2;{rgb[0]};{rgb[1]};{rgb[2]}"
        if depth is Depth.INDEXED:
            return _numbered(self._colours.of_256(rgb), ground)
        return _numbered(self._colours.of_16(rgb, ground=bool(ground)), ground)

    # -- changes ---------------------------------------------------------------------------------------------

    def _change(self, pen: Look | None, look: Look) -> tuple[str, Look]:
        afresh = Look(look.ink or _DEFAULT[0], look.ground, look.attributes)
        if pen is None:
            return _from_nothing(afresh), afresh
        target = look if look.ink else Look(pen.ink, look.ground, pen.attributes & ~Attribute.ON_BLANKS)
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
    """Whether writing and ground are the other way round than on the page: one colour shows it reversed."""
    if style.bgcolor is None or style.bgcolor.is_default:
        return False
    ink = style.color.get_truecolor() if style.color is not None else (255,) * 3 if page_is_dark else (0,) * 3
    light, dark = luminance(*style.bgcolor.get_truecolor(foreground=False)), luminance(*ink)
    return light > dark if page_is_dark else light < dark


def _as_ground(ink: str) -> str:
    """The code that makes a ground of the colour of an ink."""
    number, *rest = ink.split(";", 1)
    return ";".join((str(int(number) + 10), *rest))


def _numbered(number: int, ground: int) -> str:
    if number < 8:
        return str(30 + number + ground)
    return str(82 + number + ground) if number < 16 else f"{38 + ground};5;{number}"


def _code(parts: list[str]) -> str:
    return f"\x1b[{';'.join(parts)}m"


def _from_nothing(look: Look) -> str:
    if look == PLAIN:
        return "\x1b[m"
    return _code(["0", *_steps(PLAIN, look)])


def _steps(pen: Look, target: Look) -> list[str]:
    """What differs: first what goes, then what comes; bold and dim go together."""
    gone, come = pen.attributes & ~target.attributes, target.attributes & ~pen.attributes
    if gone & (Attribute.BOLD | Attribute.DIM):
        come |= target.attributes & (Attribute.BOLD | Attribute.DIM)
    parts = list(dict.fromkeys(off for bit, (_on, off) in _ON_OFF.items() if gone & bit))
    parts += [on for bit, (on, _off) in _ON_OFF.items() if come & bit]
    if pen.ink != target.ink:
        parts.append(target.ink)
    if pen.ground != target.ground:
        parts.append(target.ground)
    return parts
