"""How people are told to come to the server that one is at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kk_core.text import printable, shortened

_UNKNOWN: Final = "ADDRESS"
"""Stands for what one has typed to come here, where the server does not tell."""

_SSH_PORT: Final = 22

_LONGEST: Final = 80


@dataclass(frozen=True)
class Doorway:
    """Host and port as the server tells them; empty and 0 where it does not."""

    host: str = ""
    port: int = 0

    @property
    def for_ssh(self) -> str:
        """What follows `ssh -t`."""
        port = f"-p {self.port} " if self.port not in (0, _SSH_PORT) else ""
        return f"{port}{self._shown.strip('[]')}"

    @property
    def for_connect(self) -> str:
        """What follows `kk connect`."""
        return f"{self._shown}:{self.port}" if self.port else self._shown

    @property
    def _shown(self) -> str:
        return shortened(printable(self.host), _LONGEST) or _UNKNOWN
