"""The app as one person has set it: colours, signs, keys, mouse and pace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as replace_field
from functools import cache
from typing import Any, Final

from msgspec.structs import replace
from textual.message import Message

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_tui.games import Appearance, Face, appearances, faces
from kk_tui.keymap import check_keys
from kk_tui.settings import (
    AppSettings,
    KeysIgnored,
    PaceControl,
    SessionSettings,
    SettingsStore,
    changed,
    set_pace,
)
from kk_tui.terminal.capabilities import DEPTHS, ColourDepth, TerminalKind
from kk_tui.terminal.driver import PaintedApp
from kk_tui.terminal.textual_private import key_name
from kk_tui.theme import PaletteName
from kk_tui.theme.glyphs import Glyphs
from kk_tui.theme.palette import Palette, palettes, theme_name
from kk_tui.widgets.canvas import Canvas

_FEW: Final = (ColourDepth.SIXTEEN, ColourDepth.MONO)
"""Depths with no darker shade of each colour: a screen below a dialog cannot be dimmed, so is hidden."""


@cache
def _palettes() -> Mapping[str, Palette]:
    return palettes(game.colours for game in appearances().values())


class ConfiguredApp(PaintedApp):
    """The part of the app that knows the settings; parameters as those of the app."""

    class PlaceChanged(Message):
        """The place has changed, or how it is drawn."""

    def __init__(
        self,
        *,
        kind: TerminalKind | None = None,
        games: Mapping[str, Face[Any]] | None = None,
        settings: SettingsStore | None = None,
        pace: PaceControl | None = None,
        ascii_only: bool = False,
        light: bool = False,
    ) -> None:
        self._settings_store = settings or SessionSettings()
        self.settings_fault: Text | None = None
        self.own_keys: Mapping[str, str] = {}
        """The keys that the user has chosen: characters by action, without those that everybody has."""
        self.settings = self._load_settings()
        self._pace = pace
        set_pace(self._pace, self.settings)
        self.faces = faces() if games is None else games
        self.games: Mapping[str, Appearance] = appearances() if games is None else games
        super().__init__(kind=kind)
        self._bind_keys()
        self._palettes = _palettes() if games is None else palettes(game.colours for game in games.values())
        self._seat_colours: Sequence[int] = ()
        self.has_light_page = light
        self.glyphs = Glyphs(ascii_only=ascii_only, more=[game.glyphs for game in self.games.values()])
        self._is_ascii = ascii_only
        self.set_class(ascii_only, "-ascii")
        self._show_signs()
        self._painted: tuple[str, ColourDepth, bool] | None = None
        self.show_colours()

    @property
    def palette(self) -> Palette:
        """The palette in use."""
        light = self.has_light_page if self.settings.light == "auto" else self.settings.light == "light"
        return self.palette_of(self.settings.palette, is_dark=not light)

    @property
    def depth(self) -> ColourDepth:
        """The depth set by the user, or else the terminal's own."""
        return DEPTHS.get(self.settings.depth, self.kind.depth)

    def palette_of(self, name: PaletteName, *, is_dark: bool) -> Palette:
        """Return a palette by name."""
        return self._palettes[theme_name(name, is_dark=is_dark)]

    def show_colours(self) -> None:
        """Use the palette and depth from the settings; "auto" follows the terminal."""
        theme = self.palette.theme(self._seat_colours)
        if self.get_theme(theme.name) is None:
            self.register_theme(theme)
        self.theme = theme.name
        # At once, not when Textual gets to it: lines drawn until then would keep the old colours.
        self.stylesheet.set_variables(self.get_css_variables())
        depth = self.depth
        colours = self.palette.on(ascii_only=self.glyphs.ascii_only)
        wanted = (self.theme, depth, self.glyphs.ascii_only)
        self.set_class(depth in _FEW, "-few-colours")
        if wanted != self._painted:
            self._painted, had_colours = wanted, self.has_colours
            self.paint_with(replace_field(self.kind, depth=depth), colours)
            if had_colours is not self.has_colours:  # without colours, other signs are drawn
                self._draw_anew()

    def give_colours(self, seats: Sequence[int]) -> None:
        """Show the seats of a table in these colours, by number; if empty, each in its usual one."""
        # The usual order needs no separate theme.
        seats = () if list(seats) == list(range(len(seats))) else tuple(seats)
        if seats != self._seat_colours:
            self._seat_colours = seats
            self.glyphs.give(seats)
            self.show_colours()

    def _show_signs(self) -> None:
        """Use the signs set by the user, or else those that the terminal can show."""
        wanted = {"on": True, "off": False}.get(self.settings.ascii, self._is_ascii)
        if wanted != self.glyphs.ascii_only:
            self.glyphs.use(ascii_only=wanted)
            self.set_class(wanted, "-ascii")
            self._draw_anew()

    def _draw_anew(self) -> None:
        for screen in self.screen_stack if self.is_running else ():
            for canvas in screen.query(Canvas):
                canvas.forget()
                canvas.refresh()
            screen.refresh(layout=True)
        self.post_message(self.PlaceChanged())

    def _bind_keys(self) -> None:
        self.set_keymap({action: key_name(typed) for action, typed in self.own_keys.items()})

    def set_mouse(self) -> None:
        """Capture the mouse, or leave it to the terminal, according to the settings."""
        self.take_mouse(self.settings.mouse)

    def _load_settings(self) -> AppSettings:
        try:
            settings = self._settings_store.load()
        except KeysIgnored as error:
            self.settings_fault = error.reason
            return error.rest
        except KkError as error:
            self.settings_fault = error.reason
            return AppSettings()
        try:
            self.own_keys = check_keys(settings.keys)
        except KkError as error:
            self.settings_fault = text("Your own keys were ignored: {reason}.", reason=error.reason)
            return replace(settings, keys={})
        return settings

    def change_settings(self, **changes: Any) -> None:
        """Use other values from now on, and save them.

        Raises `KkError` if a value does not exist (then nothing is changed), or if the settings cannot be
        saved (then they apply until the app ends).
        """
        settings = changed(self.settings, **changes)
        keys = check_keys(settings.keys)
        before, self.settings = self.settings, replace(settings, keys=keys)
        if keys != self.own_keys:
            self.own_keys = keys
            self._bind_keys()
        self.settings_fault = None
        set_pace(self._pace, self.settings)
        self._show_signs()
        self.show_colours()
        if self.settings.mouse != before.mouse:
            self.set_mouse()
        self._settings_store.save(self.settings)
