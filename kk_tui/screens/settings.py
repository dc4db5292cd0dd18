"""Settings: language, colours with samples, pace, signals; every choice takes effect at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from kk_core.errors import KkError
from kk_core.text import text
from kk_tui.i18n import _, render
from kk_tui.keymap import Action
from kk_tui.keys_page import EVERYWHERE
from kk_tui.languages import languages
from kk_tui.screens.base import KkScreen
from kk_tui.screens.game_card import CoverView
from kk_tui.screens.keys import KeysScreen
from kk_tui.setting_choices import (
    AUTO,
    CHOICES,
    DEPTH_NAMES,
    LANGUAGE,
    OWN_NAME,
    PALETTES,
    SPOKEN,
    meant_by,
    written,
)
from kk_tui.settings import LONGEST_NAME
from kk_tui.terminal.capabilities import DEPTHS, ColourDepth
from kk_tui.terminal.colour import PATTERNS, Colour
from kk_tui.terminal.sgr import AS_IS
from kk_tui.theme.glyphs import SEATS, Glyphs
from kk_tui.theme.palette import NAMES, Palette
from kk_tui.widgets.form import Form, LineSelect, TextField

_WIDE: Final = 2
"""Columns of a sample."""


@dataclass(frozen=True)
class Sample:
    """A value of a setting, with a label and the look to show; without a palette it is a heading."""

    setting: str
    value: str
    label: str
    palette: Palette | None = None
    depth: ColourDepth = ColourDepth.TRUE


class Swatches(Widget):
    """Choices one below the other, each with a line of samples; a click chooses."""

    class Chosen(Message):
        """A choice was clicked."""

        def __init__(self, sample: Sample) -> None:
            super().__init__()
            self.sample = sample

    def __init__(self, glyphs: Glyphs, grounds: Sequence[str], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._grounds = tuple(grounds)
        self._lines: list[tuple[Sample, Strip]] = []

    def show(self, samples: Sequence[Sample], chosen: frozenset[tuple[str, str]]) -> None:
        """Show samples, marking the chosen ones, which are given by setting and value."""
        self._lines = []
        for sample in samples:
            is_chosen = (sample.setting, sample.value) in chosen
            self._lines.append((sample, self._head(sample, is_chosen)))
            if sample.palette is not None:
                self._lines.append((sample, self._samples(sample, sample.palette)))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        return self._lines[y][1].adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Choose the sample under the mouse."""
        if event.y < len(self._lines) and (sample := self._lines[event.y][0]).palette is not None:
            self.post_message(self.Chosen(sample))

    def _head(self, sample: Sample, is_chosen: bool) -> Strip:
        variables = self.app.theme_variables
        ink = "gold" if sample.palette is None else "ink" if is_chosen else "ink-dim"
        sign = "" if sample.palette is None else f"{self._glyphs['chosen' if is_chosen else 'unchosen']} "
        style = Style(color=variables[ink], bgcolor=variables["ground"], bold=is_chosen)
        return Strip([Segment(f"{sign}{sample.label}", style)])

    def _samples(self, sample: Sample, palette: Palette) -> Strip:
        colours = palette.colours
        page = colours["ground"]
        parts = [Segment(" ", _style(page, page, sample.depth))]
        for name in self._grounds:
            ground = colours[name]
            parts.append(
                Segment(self._blank(ground, sample.depth) * _WIDE, _style(ground, ground, sample.depth))
            )
        parts.append(Segment(" ", _style(page, page, sample.depth)))
        for seat in range(SEATS):
            style = _style(colours["seat-ink"], colours[f"seat-{seat}"], sample.depth)
            parts.append(Segment(self._glyphs.owner(seat), style))
        parts.append(Segment(" ", _style(page, page, sample.depth)))
        return Strip(parts)

    def _blank(self, ground: Colour, depth: ColourDepth) -> str:
        # if colours are too few to distinguish the grounds, signs do so
        patterns = {ColourDepth.SIXTEEN: ground.pattern, ColourDepth.MONO: ground.mono}
        sign = patterns.get(depth, " ")
        return PATTERNS.get(sign, sign) if self._glyphs.ascii_only else sign


def _style(ink: Colour, ground: Colour, depth: ColourDepth) -> Style:
    """Return a style that looks as in this depth, whatever the depth in use."""
    if depth is ColourDepth.MONO:
        return Style(reverse=True, meta={AS_IS: True})
    if depth is ColourDepth.TRUE:
        return Style(color=ink.hex, bgcolor=ground.hex, meta={AS_IS: True})
    before, behind = (
        (ink.ink, ground.sixteen) if depth is ColourDepth.SIXTEEN else (ink.indexed, ground.indexed)
    )
    return Style(color=Color.from_ansi(before), bgcolor=Color.from_ansi(behind), meta={AS_IS: True})


_COVERED: Final = (100, 38)
"""Columns and lines from which the games are shown in the chosen colours, too."""

_ARROW: Final = 3
"""Columns between name and value: spaces and an arrow."""

_DEPTH_OF: Final = {depth: value for value, depth in DEPTHS.items()}


class SettingsScreen(KkScreen):
    """The form on the left, the samples on the right, and the games' pictures below them."""

    help_section = EVERYWHERE

    CSS: ClassVar[str] = """
    SettingsScreen #settings { height: 1fr; }
    SettingsScreen #choices { width: 1fr; padding: 1 1; }
    SettingsScreen #own-name { height: 1; margin-top: 1; }
    SettingsScreen #own-name Static { width: auto; padding: 0 0 0 1; color: $ink-dim; }
    SettingsScreen #own-name Input { width: 24; }
    SettingsScreen #samples { width: 37; height: 1fr; margin: 1 1 0 0; }
    SettingsScreen #covers { display: none; height: 1fr; }
    SettingsScreen CoverView { margin: 0 2 1 2; }
    SettingsScreen.-roomy #settings, SettingsScreen.-wide #settings { align: center middle; }
    SettingsScreen.-large #settings, SettingsScreen.-huge #settings { align: center middle; }
    SettingsScreen.-roomy #choices, SettingsScreen.-wide #choices { width: 56; height: 21; }
    SettingsScreen.-large #choices, SettingsScreen.-huge #choices { width: 56; height: 21; }
    SettingsScreen.-roomy #samples, SettingsScreen.-wide #samples { height: 20; }
    SettingsScreen.-large #samples, SettingsScreen.-huge #samples { height: 20; }
    SettingsScreen.-with-covers #settings { height: 22; }
    SettingsScreen.-with-covers #covers { display: block; }
    """

    def __init__(self, first: str = "palette") -> None:
        """`first` is the setting that has the focus at first, by its name."""
        super().__init__()
        self._first = first.replace("_", "-")

    def body(self) -> ComposeResult:
        """Compose form, samples and pictures."""
        settings = self.kk.settings
        width = max(cell_len(render(label)) for label in (LANGUAGE, *(choice.label for choice in CHOICES)))
        with Horizontal(id="settings"):
            with Form(id="choices"):
                spoken = [("", render(AUTO)), *languages().items()]
                yield LineSelect(
                    set_cell_size(render(LANGUAGE), width), spoken, settings.language, id="language"
                )
                for name, label, values, _meaning in CHOICES:
                    shown = [(value, render(words)) for value, words in values.items()]
                    value = written(getattr(settings, name))
                    yield LineSelect(
                        set_cell_size(render(label), width), shown, value, id=name.replace("_", "-")
                    )
                with Horizontal(id="own-name"):
                    yield Static(set_cell_size(_("Name"), width + _ARROW), markup=False)
                    yield TextField(
                        settings.name,
                        placeholder=_("your name"),
                        max_length=LONGEST_NAME,
                        compact=True,
                        id="name",
                    )
            grounds = [name for face in self.kk.faces.values() for name in face.samples]
            yield Swatches(self.kk.glyphs, grounds, id="samples")
        with Horizontal(id="covers"):
            for _game in self.kk.games:
                yield CoverView()

    def on_resize(self) -> None:
        """Show the games' pictures if there is room."""
        super().on_resize()
        columns, lines = _COVERED
        self.set_class(self.size.width >= columns and self.size.height >= lines, "-with-covers")

    def on_mount(self) -> None:
        """Fill the pictures in and focus the first setting."""
        for cover, game in zip(self.query(CoverView), self.kk.games.values(), strict=True):
            cover.show(game)
        self.title_line(_("Settings"))
        self.query_one(f"#{self._first}").focus()
        self._explain()

    def place_changed(self) -> None:
        """Show the samples in the colours in use."""
        super().place_changed()
        settings, shown = self.kk.settings, self.kk.palette
        depth = self.kk.depth
        samples = [Sample("", "", _("Which looks right?"))]
        for name in NAMES:
            palette = self.kk.palette_of(name, is_dark=shown.is_dark)
            samples.append(Sample("palette", name, render(PALETTES[name]), palette, depth))
        samples += [Sample("", "", ""), Sample("", "", _("As your terminal shows them:"))]
        for each, value in _DEPTH_OF.items():
            samples.append(Sample("depth", value, render(DEPTH_NAMES[value]), shown, each))
        chosen = frozenset({("palette", settings.palette), ("depth", _DEPTH_OF[depth])})
        self.query_one(Swatches).show(samples, chosen)

    def on_swatches_chosen(self, event: Swatches.Chosen) -> None:
        """Choose a sample."""
        select = self.query_one(f"#{event.sample.setting}", LineSelect)
        select.choose(event.sample.value)
        select.focus()

    def on_line_select_changed(self, event: LineSelect.Changed) -> None:
        """Take the new value."""
        value = event.select.value
        self._change((event.select.id or "").replace("-", "_"), meant_by(value))

    def on_input_blurred(self, event: Input.Blurred) -> None:
        """Take the name."""
        self._change("name", event.value.strip())

    def on_input_submitted(self) -> None:
        """Leave the name on Enter."""
        self.focus_next()

    def _change(self, name: str, value: str | bool) -> None:
        # leaving the name field also reports an unchanged value
        if getattr(self.kk.settings, name) == value:
            return
        try:
            self.kk.change_settings(**{name: value})
        except KkError as error:
            self.complain(error.reason)
        self.place_changed()

    def on_descendant_focus(self) -> None:
        """Update keys and prompt, which depend on the focus."""
        self.show_keys()
        self._explain()

    def _explain(self) -> None:
        """Say what the setting in focus means."""
        here = self.focused.id if self.focused is not None else None
        meanings = {choice.name.replace("_", "-"): choice.meaning for choice in CHOICES}
        meanings |= {"language": SPOKEN, "name": OWN_NAME}
        if here in meanings:
            self.say(meanings[here])

    def actions(self) -> Sequence[Action]:
        """Return the keys; letters are text while a name is being typed."""
        if isinstance(self.focused, Input):
            return (Action("do", text("next")), Action("back"))
        return (Action("do", text("change")), Action("key", text("keys")), Action("help"), Action("back"))

    def do_key(self) -> None:
        """Open the keys, to be changed."""
        self.app.push_screen(KeysScreen())

    def do_back(self) -> None:
        """Close the settings, keeping the name as typed."""
        if isinstance(self.focused, Input):
            self._change("name", self.focused.value.strip())
        self.dismiss()
