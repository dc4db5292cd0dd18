"""The settings of a server: `config/server.toml`, overridden by a file, which the command line overrides."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import reduce
from ipaddress import ip_address
from math import inf
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import parse_qs, urlsplit

import msgspec
import platformdirs
from msgspec import Meta
from msgspec.structs import replace
from rich.cells import cell_len

from kk_core import config
from kk_core.config import Source
from kk_core.errors import KkError
from kk_core.protocol.messages import WelcomePage
from kk_core.reasons import shape_reason, system_reason, toml_reason
from kk_core.text import QUOTED, Text, printable, quoted, shortened, text
from kk_server.accounts.guests import is_address
from kk_server.accounts.names import TITLE_COLUMNS, clean_line
from kk_server.calls.ways import CallSettings, why_no_calls
from kk_server.limits import BOT_PAUSE, Count, Seconds, ServerLimits, Timeouts
from kk_server.storage.sql import POSTGRES

SHIPPED: Final = "server.toml"

AT_START: Final = (
    "host",
    "port",
    "data",
    "store",
    "node",
    "metrics",
    "metrics_host",
    "bot_processes",
    "workers",
    "web",
    "web_cert",
    "web_key",
    "times",
    "calls",
)
"""Settings that only change at the next start."""

OPTIONS: Final = (
    "host",
    "port",
    "data",
    "store",
    "guests",
    "allow",
    "admins",
    "bot_processes",
    "workers",
    "web",
)
"""Settings that are also options of `kk serve`."""

_FILES: Final = ("data", "allow", "admins", "web_cert", "web_key", "calls.smtp_password")
"""Settings that are paths; in a settings file they are relative to its folder."""


_ADDRESS: Final = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>[1-9]\d{0,4}))?", re.ASCII)
"""The forms of `address`."""

_LAST_PORT: Final = 65535

_NODE_LENGTH: Final = 51
"""The most characters of `node`, which is part of the name of a session with PostgreSQL."""


_PAGE_COLUMNS: Final = 1000
"""Maximum columns of a line of the welcome, which is wrapped on the screen."""


class BadSettings(KkError):
    """Settings that cannot be used: `reasons` has a sentence for each fault, `reason` all of them."""

    def __init__(self, *reasons: Text) -> None:
        super().__init__(reduce(_and, reasons))
        self.reasons = reasons


def _and(one: Text, other: Text) -> Text:
    return text("{one} {other}", one=one, other=other)


Page = Annotated[str, Meta(max_length=4000)]


class WelcomeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The welcome shown on arrival; empty for none."""

    name: Annotated[str, Meta(max_length=100)] = ""
    rules: Page = ""
    news: Page = ""

    def page(self) -> WelcomePage | None:
        """Return it without control characters; None if nothing is left."""
        name = clean_line(" ".join(self.name.split()), TITLE_COLUMNS)
        page = WelcomePage(name, _clean_page(self.rules), _clean_page(self.news))
        return None if page == WelcomePage() else page


def _clean_page(raw: str) -> str:
    lines = (clean_line(line, _PAGE_COLUMNS) for line in raw.expandtabs(1).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings; `config/server.toml` explains them."""

    host: str = "localhost"
    port: Annotated[int, Meta(ge=0, le=_LAST_PORT)] = 8022
    address: str | None = None
    data: str | None = None
    store: str | None = None
    node: str | None = None
    guests: Literal["yes", "no"] | None = None
    allow: str | None = None
    admins: str | None = None
    language: str | None = None
    log: Literal["json", "text"] = "json"
    metrics: Annotated[int, Meta(ge=0, le=_LAST_PORT)] | None = None
    metrics_host: str = "127.0.0.1"
    bot_processes: Count | None = None
    # on two processors a second worker only pays for a crowd: of 200 people, 99 % of keys took 127 ms instead
    # of 57
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    web: Annotated[int, Meta(ge=0, le=_LAST_PORT)] | str | None = None
    web_address: str | None = None
    web_proxies: list[str] = msgspec.field(default_factory=list)
    web_cert: str | None = None
    web_key: str | None = None
    bot_pause: Seconds = BOT_PAUSE
    motion: bool = True
    drain_minutes: Annotated[int, Meta(ge=1, le=24 * 60)] = 30
    purge_days: Annotated[int, Meta(ge=1, le=36_500)] | Literal["never"] = 30
    address_days: Annotated[int, Meta(ge=0, le=36_500)] = 30
    welcome: WelcomeSettings = WelcomeSettings()
    calls: CallSettings = CallSettings()
    times: Timeouts = Timeouts()
    limits: ServerLimits = ServerLimits()

    def address_at(self, port: int) -> tuple[str, int]:
        """Return the host and port that people connect to if it listens on `port`; the host may be empty."""
        host, colon, told = (self.address or "").rpartition(":")
        return (host, int(told)) if colon and told.isdecimal() else (self.address or "", port)

    @property
    def web_place(self) -> tuple[str, int] | None:
        """The host and port that browsers find it at, if any; the host of `web`, or else the server's."""
        if self.web is None or isinstance(self.web, int):
            return None if self.web is None else (self.host, self.web)
        host, _, port = self.web.rpartition(":")
        return host.strip("[]") or self.host, int(port)

    @property
    def folder(self) -> Path:
        """The server's data folder."""
        return Path(self.data) if self.data else platformdirs.user_data_path("kk", appauthor=False) / "server"


_TABLES: Final = (WelcomeSettings, CallSettings, Timeouts, ServerLimits)
"""The settings that are tables of further ones."""


@dataclass(frozen=True)
class Sources:
    """The sources of settings: a file, if any, and the command line, as a mapping by name."""

    file: Path | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)

    def read(self) -> Settings:
        """Read the settings. Raises `BadSettings` with everything that is wrong."""
        layers = [_layer(config.read(SHIPPED), None)]
        if self.file is not None:
            layers.append(_layer(_read(self.file), self.file.absolute().parent))
        layers.append((_as_typed, self.typed))
        # each layer is checked separately, so that an error names its source
        if faults := [fault for name, raw in layers for fault in _faults(name, raw, Settings)]:
            raise BadSettings(*faults)
        settings = msgspec.convert(reduce(_over, (raw for _, raw in layers)), Settings)
        if settings.address is not None and not _is_address(settings.address):
            raise BadSettings(
                text("address is {value}: write HOST or HOST:PORT.", value=quoted(settings.address))
            )
        if settings.store is not None and (fault := why_no_store(settings.store)) is not None:
            raise BadSettings(fault)
        if (fault := why_no_calls(settings.calls, settings.address)) is not None:
            raise BadSettings(fault)
        if (fault := _why_no_node(settings)) is not None:
            raise BadSettings(fault)
        if (columns := cell_len(" ".join(settings.welcome.name.split()))) > TITLE_COLUMNS:
            raise BadSettings(
                text(
                    "welcome.name is {n} columns wide; at most {most} are allowed.",
                    n=columns,
                    most=TITLE_COLUMNS,
                )
            )
        # 0 means any free port, so two of them cannot collide
        if settings.metrics == settings.port != 0:
            raise BadSettings(
                text("metrics is {port}, the same as port: choose another.", port=settings.port)
            )
        if (fault := _why_no_web(settings)) is not None:
            raise BadSettings(fault)
        if settings.guests == "yes" and settings.allow is not None:
            raise BadSettings(text("allow admits only listed keys, but guests have none: leave one out."))
        return settings


def why_no_store(typed: str) -> Text | None:
    """Return what is wrong with the address of a database, which must be one that may be shown."""
    parts = urlsplit(typed)
    if not typed.startswith(POSTGRES) or not parts.path.strip("/"):
        return text("store is {value}: write postgresql://HOST/DATABASE.", value=quoted(typed))
    if ":" in parts.netloc.rpartition("@")[0] or "password" in parse_qs(parts.query):
        return text("store has a password in it: set PGPASSWORD, or use a password file, in place of that.")
    for certificate in parse_qs(parts.query).get("sslrootcert", ()):
        try:
            Path(certificate).read_bytes()
        except (OSError, ValueError) as error:  # asyncpg would not name the file
            reason = system_reason(error) if isinstance(error, OSError) else str(error)
            return text("store has sslrootcert={file}, which cannot be read: {reason}",
                        file=printable(certificate), reason=reason)  # fmt: skip
    return None


def _why_no_node(settings: Settings) -> Text | None:
    """Return what is wrong with the address by which other nodes reach a server; None if nothing is."""
    typed = settings.node
    if typed is None:
        return None
    if settings.store is None:
        return text("node is set, but not store: nodes share a PostgreSQL database.")
    if not _is_address(typed) or not typed.rpartition(":")[2].isdecimal():
        return text("node is {value}: write HOST:PORT.", value=quoted(typed))
    if len(typed) > _NODE_LENGTH:
        return text("node is {value}: at most {most} characters are allowed.",
                    value=quoted(typed), most=_NODE_LENGTH)  # fmt: skip
    if _is_unspecified(typed.rpartition(":")[0]):
        return text("node is {value}, to which other nodes can't connect: write an address that leads here.",
                    value=quoted(typed))  # fmt: skip
    if int(typed.rpartition(":")[2]) == settings.port != 0:
        return text("node is {value}, with the same port as people's: choose another.", value=quoted(typed))
    return None


def _is_unspecified(host: str) -> bool:
    """Return whether a host is an address to listen at everywhere, such as 0.0.0.0."""
    try:
        return host == "0" or ip_address(host.strip("[]")).is_unspecified
    except ValueError:  # a name
        return False


_WEB: Final = re.compile(r"(?:(?:[\w.*-]+|\[[0-9a-fA-F:.]+\])?:)?(?P<port>\d{1,5})", re.ASCII)
"""The forms of `web`, if it is not a number."""

_WEB_ADDRESS: Final = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::[1-9]\d{0,4})?/?", re.ASCII)
"""The forms of `web_address`."""


def _why_no_web(settings: Settings) -> Text | None:
    """Return what is wrong with the settings of the page for browsers; None if nothing is."""
    if isinstance(settings.web, str):
        found = _WEB.fullmatch(settings.web)
        if found is None or int(found["port"]) > _LAST_PORT:
            return text("web is {value}: write PORT or HOST:PORT.", value=quoted(settings.web))
    if settings.web_address is not None and not _WEB_ADDRESS.fullmatch(settings.web_address):
        return text(
            "web_address is {value}: write http://HOST or https://HOST, with :PORT if needed.",
            value=quoted(settings.web_address),
        )
    for proxy in settings.web_proxies:
        if not is_address(proxy):
            return text("web_proxies has {value}, which is no address.", value=quoted(proxy))
    if (settings.web_cert is None) != (settings.web_key is None):
        return text("web_cert and web_key belong together: set both, or neither.")
    if settings.web_place is None:
        return None if settings.web_cert is None else text("web_cert is set, but web is not.")
    # 0 means any free port
    if settings.web_place[1] in (settings.port, settings.metrics) and settings.web_place[1]:
        return text("web is port {port}, which is taken by another setting: choose another.",
                    port=settings.web_place[1])  # fmt: skip
    return None


def _is_address(typed: str) -> bool:
    found = _ADDRESS.fullmatch(typed)
    return found is not None and int(found["port"] or 0) <= _LAST_PORT


_Name = Callable[[str], str]
"""Returns how a source writes the name of a setting."""


def _read(file: Path) -> Source:
    try:
        return Source(str(file), file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettings(
            text("{file} cannot be read: {reason}", file=str(file), reason=system_reason(error))
        ) from None
    except UnicodeDecodeError:
        raise BadSettings(
            text("{file} cannot be read: {reason}", file=str(file), reason=text("it is not UTF-8"))
        ) from None


def _layer(source: Source, folder: Path | None) -> tuple[_Name, Mapping[str, Any]]:
    try:
        raw = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(text("{file}: {reason}.", file=source.name, reason=toml_reason(error))) from None
    for path in _FILES:
        table, _, key = path.rpartition(".")
        place = raw.get(table) if table else raw
        # paths on the command line are relative to the current folder
        if folder is not None and isinstance(place, dict) and isinstance(place.get(key), str) and place[key]:
            place[key] = str(folder / place[key])
    return lambda key: f"{source.name}: {key}", raw


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        # tables are merged, so that one limit can be set without repeating the others
        merged[key] = _over(merged.get(key, {}), value) if isinstance(value, Mapping) else value
    return merged


def _faults(name: _Name, raw: Mapping[str, Any], shape: Any, within: str = "") -> Iterator[Text]:
    fields = {field.name: field.type for field in msgspec.structs.fields(shape)}
    for key, value in raw.items():
        label = name(within + key)
        if key not in fields:
            yield _unknown(label, get_close_matches(key, fields, 1))
        elif isinstance(value, Mapping) and fields[key] in _TABLES:
            yield from _faults(name, value, fields[key], f"{within}{key}.")
        elif (reason := _why_not(value, fields[key])) is not None:
            shown = quoted(value) if isinstance(value, str) else shortened(str(value), QUOTED)
            yield text("{setting} is {value}: {reason}.", setting=label, value=shown, reason=reason)


def _as_typed(key: str) -> str:
    """Return a setting as it was typed: as an option or, if it has none, behind `--set`."""
    return f"--{key.replace('_', '-')}" if key in OPTIONS else key


def _unknown(label: str, near: list[str]) -> Text:
    if near:
        return text("{setting}: no such setting; did you mean {near}?", setting=label, near=near[0])
    return text("{setting}: no such setting.", setting=label)


def _why_not(value: object, shape: Any) -> Text | None:
    try:
        msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError as error:
        options = [word for option in get_args(shape) for word in get_args(option) or (option,)]
        words = [word for word in options if isinstance(word, str)]
        is_number = shape is int or int in options
        if words and (isinstance(value, str) or not is_number):
            wanted: list[Text | str] = [*[text("a number")] * is_number, *words]
            return text("Expected {words}", words=reduce(_or, wanted))
        if is_number and not isinstance(value, int):
            return text("Expected a whole number")
        reason = shape_reason(error)
        # without what makes no sense in TOML
        plain = [(name, str(said).replace(" | null", "").strip("`")) for name, said in reason.args]
        return replace(reason, args=tuple(plain))
    return None


def _or(one: Text | str, other: Text | str) -> Text:
    return text("{one} or {other}", one=one, other=other)


def format_settings(settings: Settings) -> str:
    """Format settings as a file; unset ones become comments."""
    tree = msgspec.to_builtins(settings)
    tables = {key: value for key, value in tree.items() if isinstance(value, dict)}
    lines = [_line(key, value) for key, value in tree.items() if key not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items())]
    return "\n".join(lines)


def _line(key: str, value: object) -> str:
    if value is None:
        return f"# {key}: not set"
    shown = "inf" if value == inf else msgspec.json.encode(value).decode()
    return f"{key} = {shown}"


def changed_settings(old: Settings, new: Settings) -> tuple[Settings, list[Text]]:
    """Return the settings to use after a reload, and a sentence for each change."""
    said = [_change(key, before, after) for key, before, after in _differences(old, new)]
    # so that a second reload still reports them as pending
    kept = replace(new, **{key: getattr(old, key) for key in AT_START})
    return kept, said or [text("No settings have changed; the lists of keys and the bans were reloaded.")]


def _change(key: str, before: object, after: object) -> Text:
    if key.partition(".")[0] in AT_START:
        return text("{key} stays {value} until the next start.", key=key, value=_shown(before))
    return text("{key} is now {value}.", key=key, value=_shown(after))


def _differences(old: Settings, new: Settings) -> Iterator[tuple[str, object, object]]:
    before, after = _flat(msgspec.to_builtins(old)), _flat(msgspec.to_builtins(new))
    return ((key, before[key], after[key]) for key in after if before[key] != after[key])


def _flat(tree: Mapping[str, Any], within: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in tree.items():
        flat |= _flat(value, f"{within}{key}.") if isinstance(value, Mapping) else {within + key: value}
    return flat


def _shown(value: object) -> str | Text:
    return text("not set") if value is None else shortened(str(value), QUOTED)
