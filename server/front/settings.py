"""What those who speak SSH have to know of the settings."""

from __future__ import annotations

from msgspec import Struct

from server.front.limits import ServerLimits
from server.log import Style


class FrontSettings(Struct, frozen=True):
    """The limits, the language of those who ask for none, how the log looks, and what ssh prints first."""

    limits: ServerLimits
    language: str | None = None
    log: Style = "json"
    banner: str = ""
