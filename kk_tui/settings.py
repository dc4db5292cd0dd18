"""What one person likes: colours, pace, signals; kept by whoever starts the app."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from kk_core.errors import KkError
from kk_core.text import Text, text
from kk_tui.theme import PaletteName

DepthName: TypeAlias = Literal["auto", "truecolor", "256", "16", "none"]
LightName: TypeAlias = Literal["auto", "dark", "light"]
MotionName: TypeAlias = Literal["full", "timed", "off"]
BotSpeed: TypeAlias = Literal["slow", "normal", "instant"]
AsciiName: TypeAlias = Literal["auto", "on", "off"]

LONGEST_NAME: Final = 20

_LARGEST: Final = 10_000
"""Bytes that a file of settings may have."""


class AppSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The settings of one person; "auto" leaves it to what the terminal can do."""

    palette: PaletteName = "manuscript"
    depth: DepthName = "auto"
    """How many colours the terminal is sent."""
    light: LightName = "auto"
    motion: MotionName = "full"
    """Whether scorings wait for Enter line by line, go on by themselves, or are shown at once."""
    bot_speed: BotSpeed = "normal"
    confirm: bool = True
    """Whether steps that cannot be taken back have to be chosen twice."""
    bell: bool = True
    """Whether the terminal rings when it is one's turn."""
    window_title: bool = True
    """Whether the window's title tells the game and whose turn it is."""
    mouse: bool = True
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    """The name offered for one's own seat; empty for none."""
    ascii: AsciiName = "auto"


def changed(settings: AppSettings, **changes: Any) -> AppSettings:
    """Settings with other values. Raises `KkError` for a name or a value that does not exist."""
    try:
        return msgspec.convert(msgspec.to_builtins(settings) | _kebab(changes), AppSettings, strict=True)
    except msgspec.ValidationError as error:
        raise KkError(text("That cannot be set: {reason}", reason=str(error))) from error


def _kebab(changes: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in changes.items()}


BOT_SECONDS: Final[dict[BotSpeed, float]] = {"slow": 1.6, "normal": 0.6, "instant": 0.0}
"""Seconds before each move of a bot."""


class PaceControl(Protocol):
    """The pace of the bots, where it is this app's to say."""

    seconds: float

    def hurry(self) -> None:
        """Skip the waits until it is a person's turn."""
        ...


class SettingsStore(Protocol):
    """Keeps the settings of one person."""

    def load(self) -> AppSettings:
        """What was kept, or the defaults. Raises `KkError` when what was kept cannot be used."""
        ...

    def save(self, settings: AppSettings) -> None:
        """Keep them. Raises `KkError` with the reason why that is not possible; then the old ones stay."""
        ...


class SessionSettings:
    """Keeps settings as long as the app runs."""

    def __init__(self, settings: AppSettings | None = None) -> None:
        self._settings = settings or AppSettings()

    def load(self) -> AppSettings:
        """What was kept, or the defaults."""
        return self._settings

    def save(self, settings: AppSettings) -> None:
        """Keep them."""
        self._settings = settings


class SettingsFile:
    """Keeps settings in a JSON file, which is replaced as a whole; without one they are the defaults."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> AppSettings:
        """What the file says. Raises `KkError` that names the file and what is wrong in it."""
        try:
            with self.path.open("rb") as file:
                written = file.read(_LARGEST + 1)
            if len(written) > _LARGEST:
                raise self._fault(text("it is longer than {n} bytes", n=_LARGEST))
            return msgspec.json.decode(written, type=AppSettings, strict=True)
        except FileNotFoundError:
            return AppSettings()
        except OSError as error:
            raise self._fault(error.strerror or str(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._fault(str(error)) from error

    def _fault(self, reason: Text | str) -> KkError:
        sentence = text("The settings in {file} are not used: {reason}.", file=str(self.path), reason=reason)
        return KkError(sentence)

    def save(self, settings: AppSettings) -> None:
        """Replace the file. Raises `KkError` with the reason why that is not possible."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.path, msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")
        except OSError as error:
            reason = error.strerror or str(error)
            raise KkError(
                text(
                    "The settings hold until you leave; {file} cannot be written: {reason}.",
                    file=str(self.path),
                    reason=reason,
                )
            ) from error


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that it is there with all of its content or as it was. Raises `OSError`."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


_LARGEST_RECENT = 20_000
"""Bytes that the file may have."""


class Choice(msgspec.Struct, frozen=True):
    """A table of one game; `seats` have a bot's name (or "" for a person) and a person's."""

    options: dict[str, str] = {}
    seats: tuple[tuple[str, str], ...] = ()


class Recent(msgspec.Struct, frozen=True):
    """The game that was begun last, and the last table of each game."""

    game: str = ""
    tables: dict[str, Choice] = {}

    def begun(self, game: str, choice: Choice) -> Recent:
        """With a table that was begun now."""
        return Recent(game, {**self.tables, game: choice})


class RecentFile:
    """Keeps the choices in a file, or without one as long as the app runs.

    They are a comfort: a file that cannot be read or written is passed over in silence.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept = Recent()

    def load(self) -> Recent:
        """What was kept."""
        if self._path is not None:
            with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError), self._path.open("rb") as file:
                self._kept = msgspec.json.decode(file.read(_LARGEST_RECENT), type=Recent)
        return self._kept

    def save(self, recent: Recent) -> None:
        """Keep it."""
        self._kept = recent
        if self._path is not None:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, msgspec.json.encode(recent))
