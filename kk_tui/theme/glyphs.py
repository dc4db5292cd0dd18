"""Every sign on the screen with its ASCII twin; all are one column wide in common monospaced fonts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from kk_core.text import in_ascii

Pairs: TypeAlias = Mapping[str, tuple[str, str]]
"""A sign by name: as drawn with Unicode, and in ASCII."""

SEATS: Final = 5

GLYPHS: Final[Pairs] = {
    # owners: a shape besides letter and colour
    "owner-0": ("●", "o"),
    "owner-1": ("■", "#"),
    "owner-2": ("▲", "^"),
    "owner-3": ("◆", "%"),
    "owner-4": ("★", "*"),
    "turn": ("►", ">"),
    "start": ("S", "S"),
    # pointing and marking
    "cursor": ("▶", ">"),
    "cursor-right": ("◀", "<"),
    "happened": ("•", "."),
    "bullet": ("·", "-"),
    "chosen": ("◉", "x"),
    "unchosen": ("○", "o"),
    "up": ("▲", "^"),
    "down": ("▼", "v"),
    "left": ("◀", "<"),
    "right": ("▶", ">"),
    "times": ("×", "x"),
    "dash": ("–", "-"),
    "sum": ("Σ", "="),
    "ellipsis": ("…", "~"),
    "full": ("█", "#"),
    "upper": ("▀", " "),
    "bar": ("▄", "="),  # of bars on lines below one another, which must not touch
    "shade": ("░", "."),
    "ornament": ("❖", "*"),
    # days of the past
    "day-won": ("■", "#"),
    "day-played": ("□", "o"),
    "day-open": ("○", "?"),
    # light lines
    "h": ("─", "-"),
    "v": ("│", "|"),
    "nw": ("┌", "+"),
    "ne": ("┐", "+"),
    "sw": ("└", "+"),
    "se": ("┘", "+"),
    "tee-up": ("┴", "+"),
    "tee-right": ("├", "+"),
    "tee-left": ("┤", "+"),
    "cross": ("┼", "+"),
    # heavy lines, for what the cursor is on
    "H": ("━", "="),
    "V": ("┃", "#"),
    "NW": ("┏", "#"),
    "NE": ("┓", "#"),
    "SW": ("┗", "#"),
    "SE": ("┛", "#"),
}


class Glyphs:
    """The signs of one app: `glyphs["turn"]`. Games add their own to the shared ones."""

    def __init__(self, *, ascii_only: bool, more: Iterable[Pairs] = ()) -> None:
        self._pairs = (GLYPHS, *more)
        self._colours: Sequence[int] = ()
        self.use(ascii_only=ascii_only)

    def use(self, *, ascii_only: bool) -> None:
        """Switch to the Unicode or ASCII sign of every pair."""
        self.ascii_only = ascii_only
        column = 1 if ascii_only else 0
        self._signs = {name: pair[column] for pairs in self._pairs for name, pair in pairs.items()}
        self.give(self._colours)

    def give(self, colours: Sequence[int]) -> None:
        """Give each seat the shape that goes with its colour; seats without one get their usual shape."""
        self._colours = colours
        column = 1 if self.ascii_only else 0
        for seat in range(SEATS):
            self._signs[f"owner-{seat}"] = GLYPHS[f"owner-{colour_of(seat, colours)}"][column]

    @cached_property
    def twins(self) -> Mapping[int, str]:
        """The ASCII signs of those that are spelled in no other way, for sentences that speak of them."""
        pairs = [pair for pairs in self._pairs for pair in pairs.values()]
        return {ord(sign): twin for sign, twin in reversed(pairs) if in_ascii(sign) == "?"}

    @property
    def form(self) -> tuple[bool, tuple[int, ...]]:
        """A key of these signs: equal keys mean equal signs."""
        return self.ascii_only, tuple(self._colours)

    def __getitem__(self, name: str) -> str:
        return self._signs[name]

    def owner(self, seat: int) -> str:
        """Return letter and shape of a seat: A and a disc, B and a square ..."""
        return f"{letter(seat)}{self[f'owner-{seat}']}"


def colour_of(seat: int, colours: Sequence[int]) -> int:
    """Return the number of a seat's colour and shape."""
    return colours[seat] % SEATS if seat < len(colours) else seat


def letter(seat: int) -> str:
    """Return the letter of a seat."""
    return chr(ord("A") + seat)


def wants_ascii(environment: Mapping[str, str]) -> bool:
    """Return whether a terminal should get ASCII: KK_ASCII says so, or the locale is not UTF-8."""
    setting = environment.get("KK_ASCII")
    if setting is not None:
        return setting not in ("", "0")
    if environment.get("TERM") == "linux":  # the console's fonts lack most of the signs
        return True
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return bool(locale) and "utf" not in locale.lower()


def figures(of_seats: Sequence[int]) -> str:
    """Return letter and figure for all seats that have one, e.g. "A 4 B 2"."""
    return " ".join(f"{letter(seat)} {figure}" for seat, figure in enumerate(of_seats) if figure) or "0"
