"""The settings of one person, and the choices for their last table; stored by whoever starts the app."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from kk_core.errors import KkError
from kk_core.reasons import shape_reason, system_reason, toml_reason
from kk_core.text import Text, text
from kk_tui.disk import sync
from kk_tui.keymap import changeable, check_keys
from kk_tui.theme import PaletteName

DepthName: TypeAlias = Literal["auto", "truecolor", "256", "16", "none"]
LightName: TypeAlias = Literal["auto", "dark", "light"]
MotionName: TypeAlias = Literal["full", "timed", "off"]
BotSpeed: TypeAlias = Literal["slow", "normal", "instant"]
AsciiName: TypeAlias = Literal["auto", "on", "off"]

LONGEST_NAME: Final = 20
LONGEST_CODE: Final = 20
"""The most characters of a language's code."""

NAMELESS: Final = "Anna"
"""The name of a person at home who gives none."""

_LARGEST: Final = 10_000
"""Maximum bytes of a settings file."""

KEYS_FILE: Final = "keys.toml"
"""The name of the file with own keys, beside the settings."""

_ABOUT_KEYS: Final = 'Your keys, such as: undo = "z"'


class AppSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The settings of one person; "auto" leaves a choice to what the terminal can do."""

    language: Annotated[str, msgspec.Meta(max_length=LONGEST_CODE)] = ""
    """The code of a language; if empty, the account's counts, or else the terminal's."""
    palette: PaletteName = "manuscript"
    depth: DepthName = "auto"
    """How many colours the terminal is sent."""
    light: LightName = "auto"
    motion: MotionName = "full"
    """Whether scorings wait for Enter line by line, or continue automatically, or nothing moves at all."""
    bot_speed: BotSpeed = "normal"
    confirm: bool = True
    """Whether steps that cannot be taken back have to be chosen twice."""
    bell: bool = True
    """Whether the terminal's bell rings when it is the user's turn."""
    window_title: bool = True
    """Whether the window's title shows the game, and when it is the user's turn."""
    mouse: bool = True
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    """The name suggested for the user's own seat; empty for none."""
    ascii: AsciiName = "auto"
    keys: dict[str, str] = {}
    """The keys that the user has chosen: characters by action."""


def changed(settings: AppSettings, **changes: Any) -> AppSettings:
    """Return settings with other values. Raises `KkError` for a setting or a value that does not exist."""
    try:
        named = {name.replace("_", "-"): value for name, value in changes.items()}  # as in the file
        return msgspec.convert(msgspec.to_builtins(settings) | named, AppSettings, strict=True)
    except msgspec.ValidationError as error:
        raise KkError(text("Invalid setting: {reason}", reason=shape_reason(error))) from error


_BOT_SECONDS: Final[dict[BotSpeed, float]] = {"slow": 1.6, "normal": 0.6, "instant": 0.0}
"""Seconds before each move of a bot."""


class PaceControl(Protocol):
    """The pace of the bots, for an app that may set it."""

    seconds: float

    def hurry(self) -> None:
        """Skip the waits until it is a person's turn."""
        ...


def set_pace(pace: PaceControl | None, settings: AppSettings) -> None:
    """Have bots keep the pace that somebody's settings say, if it is theirs to set."""
    if pace is not None:
        pace.seconds = _BOT_SECONDS[settings.bot_speed]


class KeysIgnored(KkError):
    """Own keys that cannot be used; `rest` are the settings without them."""

    def __init__(self, reason: Text, rest: AppSettings) -> None:
        super().__init__(reason)
        self.rest = rest


class SettingsStore(Protocol):
    """Keeps the settings of one person."""

    def load(self) -> AppSettings:
        """Return the saved settings, or the defaults.

        Raises `KkError` if the saved ones cannot be used, `KeysIgnored` if only the keys among them cannot.
        """
        ...

    def save(self, settings: AppSettings) -> None:
        """Save the settings. Raises `KkError` if that is not possible; then the old ones stay."""
        ...


class SessionSettings:
    """A store that keeps settings as long as the app runs."""

    def __init__(self, settings: AppSettings | None = None) -> None:
        self._settings = settings or AppSettings()

    def load(self) -> AppSettings:
        """Return the settings of this session."""
        return self._settings

    def save(self, settings: AppSettings) -> None:
        """Keep the settings until the app ends."""
        self._settings = settings


class SettingsFile:
    """A store in a JSON file, which is replaced atomically; without a file there are the defaults.

    Own keys are in the file `keys.toml` beside it, which people write as well.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys_path = path.with_name(KEYS_FILE)
        self._keys: dict[str, str] = {}

    def load(self) -> AppSettings:
        """Return the settings in the file. Raises `KkError`, naming the file and what is wrong in it."""
        try:
            with self.path.open("rb") as file:
                written = file.read(_LARGEST + 1)  # whatever the file is, it must not fill the memory
            if len(written) > _LARGEST:
                raise self._fault(text("it is longer than {n} bytes", n=_LARGEST))
            settings = msgspec.json.decode(written, type=AppSettings, strict=True)
        except FileNotFoundError:
            settings = AppSettings()
        except OSError as error:
            raise self._fault(system_reason(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._fault(shape_reason(error)) from error
        try:
            self._keys = self._read_keys()
        except KkError as error:
            sentence = text("The keys in {file} were ignored: {reason}.",
                            file=str(self.keys_path), reason=error.reason)  # fmt: skip
            raise KeysIgnored(sentence, settings) from error
        return replace(settings, keys=self._keys)

    def _read_keys(self) -> dict[str, str]:
        try:
            with self.keys_path.open("rb") as file:
                written = file.read(_LARGEST)
            return check_keys(tomllib.loads(written.decode()))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise KkError(system_reason(error)) from error
        except UnicodeDecodeError as error:
            raise KkError(text("it is not UTF-8")) from error
        except tomllib.TOMLDecodeError as error:
            raise KkError(toml_reason(error)) from error

    def _fault(self, reason: Text) -> KkError:
        sentence = text("The settings in {file} were ignored: {reason}.", file=str(self.path), reason=reason)
        return KkError(sentence)

    def save(self, settings: AppSettings) -> None:
        """Replace the file. Raises `KkError` with the reason if that is not possible."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            others = {name: value for name, value in msgspec.to_builtins(settings).items() if name != "keys"}
            replace_file(self.path, msgspec.json.format(msgspec.json.encode(others), indent=2) + b"\n")
            # unless they have changed, what somebody has written there stays as it is
            if settings.keys != self._keys:
                replace_file(self.keys_path, format_keys(settings.keys).encode())
                self._keys = settings.keys
        except OSError as error:
            raise KkError(
                text(
                    "Your settings last only until you leave; {file} can't be written: {reason}.",
                    file=str(self.path),
                    reason=system_reason(error),
                )
            ) from error


def format_keys(keys: Mapping[str, str]) -> str:
    """Format own keys as a file that lists all actions, with the usual keys of the others as comments."""
    lines = [f"# {_ABOUT_KEYS}", ""]
    for key in changeable():
        own, usual = keys.get(key.action), str(key.printed)
        line = f"{key.action} = {msgspec.json.encode(own or usual).decode()}"
        lines.append(line if own is not None else f"# {line}  # {key.label}")
    return "\n".join(lines) + "\n"


def replace_file(path: Path, content: bytes) -> None:
    """Write a file atomically: afterwards it is either complete or unchanged. Raises `OSError`."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            sync(file.fileno())  # otherwise a crash could leave an empty file in place of the old one
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


_LARGEST_RECENT = 20_000
"""Maximum bytes of the file of recent choices."""


_MOST_COACHED: Final = 20
"""How many names of coached people are kept; the oldest are dropped first."""


class Choice(msgspec.Struct, frozen=True):
    """A table of one game; each of the `seats` has a bot's name ("" for a person) and a person's."""

    # msgspec makes a new dict each time, unlike Python
    options: dict[str, str] = {}
    seats: tuple[tuple[str, str], ...] = ()


class Recent(msgspec.Struct, frozen=True):
    """The memory from one start to the next, apart from the settings.

    This is the game played last, the `name` under which the user last played at home, the last table of each
    game, the names of those who are coached, and the games learnt in a lesson.
    """

    game: str = ""
    name: str = ""
    tables: dict[str, Choice] = {}
    coached: tuple[str, ...] = ()
    learnt: tuple[str, ...] = ()

    def with_lesson(self, game: str) -> Recent:
        """Return the same after the lesson of a game has been finished."""
        others = [each for each in self.learnt if each != game]
        return msgspec.structs.replace(self, learnt=(*others, game))

    def playing(self, game: str) -> Recent:
        """Return the same at a match of a game."""
        return msgspec.structs.replace(self, game=game)

    def begun(self, game: str, choice: Choice) -> Recent:
        """Return the same with a table that has just been started."""
        people = (name for bot, name in choice.seats if not bot)
        name = next(people, self.name)
        return msgspec.structs.replace(self, game=game, name=name, tables={**self.tables, game: choice})

    def with_coach(self, choices: Mapping[str, bool]) -> Recent:
        """Return the same with new choices of some people: whether they are coached."""
        others = [name for name in self.coached if name not in choices]
        chosen = [name for name, is_coached in choices.items() if is_coached]
        return msgspec.structs.replace(self, coached=(*others, *chosen)[-_MOST_COACHED:])


class RecentFile:
    """A store for the last choices, in a file or as long as the app runs.

    They are a mere convenience: a file that cannot be read or written is ignored.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept = Recent()

    @property
    def kept(self) -> Recent:
        """The choices that were loaded or saved last."""
        return self._kept

    def load(self) -> Recent:
        """Return the choices saved last."""
        if self._path is not None:
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError), self._path.open("rb") as file:
                self._kept = msgspec.json.decode(file.read(_LARGEST_RECENT), type=Recent)
        return self._kept

    def save(self, recent: Recent) -> None:
        """Save the choices."""
        self._kept = recent
        if self._path is not None:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, msgspec.json.encode(recent))
