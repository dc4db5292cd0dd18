"""Words about one's settings: what they are, and what they can be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kk_core.text import Text, quoted, text, text_in
from kk_tui.i18n import _, render, typed
from kk_tui.languages import languages
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain.console import TextConsole
from kk_tui.plain.words import TypedWord, UnknownWords
from kk_tui.setting_choices import AUTO, CHOICES, LANGUAGE, SettingChoice, meant_by, written

_SETTINGS: Final = text_in("typed", "settings")
_NAME: Final = text("Name")


class SettingWords:
    """The word for settings, everywhere."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        self.words = (
            TypedWord(_SETTINGS, text("your settings, or another value for one"), self._set,
                    text_in("typed", "[SETTING VALUE]"), example=(LANGUAGE, "de")),
        )  # fmt: skip

    async def _set(self, rest: str) -> None:
        first, _space, after = rest.partition(" ")
        if not rest:
            for choice in _choices():
                self._tell(choice)
            own = self._console.settings.name or _("that of your account")
            self._console.say(_("{option}: {value}.", option=_NAME, value=own))
            self._console.say(_("For example: {open}.", open=typed(_SETTINGS, render(LANGUAGE), "de")))
        elif after.strip() and meant(words_of(first), [(True, ways_of(_NAME))])[1]:
            self._console.change_settings(name=after.strip())
            self._console.say(_("{option}: {value}.", option=_NAME, value=after.strip()))
        else:
            self._choose(rest)

    def _choose(self, line: str) -> None:
        """Choose the value that a line means, or tell the setting that it means. Raises `UnknownWords`."""
        choices = _choices()
        _how, found = meant(
            words_of(line.replace("-", " ")),
            (((choice, value), _forms(choice, value)) for choice in choices for value in choice.values),
        )
        named = [choice for choice in choices if any(one is choice for one, _value in found)]
        if not named:
            self._refuse_value(line)
        if len(named) != 1:
            raise UnknownWords(
                text("{line} is no setting; {settings} lists them.",
                     line=quoted(line), settings=typed(_SETTINGS))
            )  # fmt: skip
        if len(found) == 1:
            self._console.change_settings(**{named[0].name: meant_by(found[0][1])})
        self._tell(named[0])

    def _refuse_value(self, line: str) -> None:
        """Raise `UnknownWords` if a line names a setting, and a value that it does not have."""
        words = line.split()
        labels = [(choice, (*ways_of(choice.label), choice.name.replace("_", " "))) for choice in _choices()]
        for n in range(len(words) - 1, 0, -1):
            _how, found = meant(words_of(" ".join(words[:n]).replace("-", " ")), labels)
            if len(found) == 1:
                label, values = found[0].label, ", ".join(map(render, found[0].values.values()))
                raise UnknownWords(
                    text(
                        "{value} is none of the values of {label}: {values}.",
                        value=quoted(" ".join(words[n:])), label=quoted(render(label)), values=values,
                    )
                )  # fmt: skip

    def _tell(self, choice: SettingChoice) -> None:
        """Say what a setting is, and what else it can be."""
        now = written(getattr(self._console.settings, choice.name))
        value = render(choice.values[now]) if now in choice.values else now
        others = ", ".join(render(other) for each, other in choice.values.items() if each != now)
        self._console.say(_("{label}: {value}; or {others}.", label=choice.label, value=value, others=others))


def _choices() -> list[SettingChoice]:
    """Return the settings with their values; languages are called by their own names."""
    # their own names, which are the same in every language
    own = {code: Text("{name}", (("name", name),)) for code, name in languages().items()}
    spoken = {"": AUTO, **own}
    return [SettingChoice("language", LANGUAGE, spoken, LANGUAGE), *CHOICES]


def _forms(choice: SettingChoice, value: str) -> Iterator[str]:
    """Yield the ways to type a setting with a value: by their names, or as they are in the file."""
    for label in (*ways_of(choice.label), choice.name.replace("_", " ")):
        for one in (*ways_of(choice.values[value]), value.replace("-", " ") or "auto"):
            yield f"{label} {one}"
