"""The address to pass on to other people, so that they can reach the same server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from kk_core.match_name import match_name
from kk_core.text import printable, shortened
from kk_core.views import TableView

UNKNOWN: Final = "ADDRESS"
"""Stands for the address that the user has typed, if the server does not give its own."""

_SSH_PORT: Final = 22
_WEB_PORTS: Final = {"http": 80, "https": 443}

_LONGEST: Final = 80

_SENTENCE_ENDS: Final = ".,;:!?"
"""What is copied along with a link from a sentence."""


class _Origin(NamedTuple):
    scheme: str
    host: str
    port: int | None


@dataclass(frozen=True)
class ServerAddress:
    """Host, port and page for browsers as given by the server; empty and 0 if it gives none."""

    host: str = ""
    port: int = 0
    web: str = ""

    @property
    def for_ssh(self) -> str:
        """The arguments after `ssh -t`."""
        port = f"-p {self.port} " if self.port not in (0, _SSH_PORT) else ""
        return f"{port}{self._shown.strip('[]')}"

    @property
    def for_connect(self) -> str:
        """The argument after `kk connect`."""
        return f"{self._shown}:{self.port}" if self.port else self._shown

    def link(self, path: str) -> str:
        """Return the address of a page for browsers; empty if there is none."""
        return f"{shortened(printable(self.web), _LONGEST)}{path}" if self.web else ""

    def path_in(self, url: str) -> str | None:
        """Return the path of a page of this server; None for an address of another one.

        While the host of this one is unknown, any will do. What ends a sentence may stand behind the address.
        """
        try:
            given = urlsplit(url.rstrip(_SENTENCE_ENDS))
            own, other = _origin(urlsplit(self.web)), _origin(given)
        except ValueError:
            return None
        if own.host == UNKNOWN.lower():
            own = own._replace(host=other.host)
        return unquote(given.path) if self.web and own == other else None

    def way_to(self, table: TableView) -> str:
        """Return the page that leads others to a table: to a private one by its code.

        Empty if there is none, or if others cannot go there.
        """
        is_alone = table.lesson is not None or table.daily is not None or table.phase == "replay"
        is_open = table.watched or table.phase == "open"
        if is_alone or not is_open:
            return ""
        return self.link(f"join/{table.code}" if table.code is not None else f"table/{table.id}")

    def replay_of(self, table: TableView) -> str:
        """Return the page with the replay of the match that has ended at a table.

        Empty if there is none, or if the match is not for everybody to see.
        """
        is_public = table.watched and table.code is None and table.lesson is None and table.daily is None
        is_there = table.phase == "finished" and table.number > 0
        return self.link(f"match/{match_name(table.id, table.number)}") if is_public and is_there else ""

    @property
    def _shown(self) -> str:
        return shortened(printable(self.host), _LONGEST) or UNKNOWN


def _origin(url: SplitResult) -> _Origin:
    """Return the origin of an address. Raises `ValueError`."""
    return _Origin(url.scheme, url.hostname or "", url.port or _WEB_PORTS.get(url.scheme))
