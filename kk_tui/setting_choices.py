"""The settings that one chooses from values: their names, what each value is called, and what it means."""

from __future__ import annotations

from typing import Final, NamedTuple

from kk_core.text import Text, text

PALETTES: Final = {
    "manuscript": text("manuscript"),
    "contrast": text("high contrast"),
    "colour-blind": text("colour-blind safe"),
}
DEPTH_NAMES: Final = {
    "truecolor": text("16 million colours"),
    "256": text("256 colours"),
    "16": text("16 colours, patterns"),
    "none": text("no colours"),
}
AUTO: Final = text("from the terminal")


class SettingChoice(NamedTuple):
    """A setting with its label, its values (as written in the file) with their names, and its meaning."""

    name: str
    label: Text
    values: dict[str, Text]
    meaning: Text


CHOICES: Final = (
    SettingChoice(
        "palette",
        text("Colours"),
        PALETTES,
        text("The colours of cards, pieces and pages; on the right you see each set."),
    ),
    SettingChoice(
        "light",
        text("Background"),
        {"auto": AUTO, "dark": text("dark"), "light": text("light")},
        text("Whether pages are dark or light; normally as your terminal is."),
    ),
    SettingChoice(
        "depth",
        text("Depth"),
        {"auto": AUTO, **DEPTH_NAMES},
        text("How many colours your terminal can show; choose fewer if colours look wrong."),
    ),
    SettingChoice(
        "ascii",
        text("Signs"),
        {"auto": AUTO, "off": text("drawn signs"), "on": text("plain letters only")},
        text("Whether pictures use special characters; plain letters work anywhere."),
    ),
    SettingChoice(
        "motion",
        text("Animation"),
        {
            "full": text("step by step"),
            "timed": text("automatic"),
            "off": text("none"),
        },
        text("Whether a scoring waits for a key, runs by itself or is skipped."),
    ),
    SettingChoice(
        "bot_speed",
        text("Bot speed"),
        {"slow": text("slow"), "normal": text("normal"), "instant": text("instant")},
        text("How long bots wait before they move, so that you can follow them."),
    ),
    SettingChoice(
        "confirm",
        text("Last steps"),
        {"yes": text("ask to confirm"), "no": text("happen at once")},
        text("Whether the step that ends your turn needs a second Enter or click."),
    ),
    SettingChoice(
        "bell",
        text("Bell"),
        {"yes": text("rings at your turn"), "no": text("is silent")},
        text("Whether the terminal's bell rings when it is your turn."),
    ),
    SettingChoice(
        "window_title",
        text("Window"),
        {"yes": text("shows your turn"), "no": text("shows nothing")},
        text("Whether the title of the terminal's window shows when it is your turn."),
    ),
    SettingChoice(
        "mouse",
        text("Mouse"),
        {"yes": text("plays"), "no": text("left to terminal")},
        text("Whether clicks play; left to the terminal, they select text instead."),
    ),
)

LANGUAGE: Final = text("Language")
SPOKEN: Final = text("The language of everything here; chat stays as people write it.")
OWN_NAME: Final = text("The name that you play under at home.")


def written(value: str | bool) -> str:
    """Return a value of a setting as it is written: yes and no for what is on or off."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


def meant_by(value: str) -> str | bool:
    """Return the value of a setting that is written so."""
    return {"yes": True, "no": False}.get(value, value)
