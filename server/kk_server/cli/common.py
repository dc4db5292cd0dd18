"""Parts shared by all commands: checking data files, addresses, and messages on the terminal."""

from __future__ import annotations

import getpass
import re
from typing import Final, NamedTuple

from kk_core import config
from kk_core.bot_names import other_bots
from kk_core.errors import BadData
from kk_core.reasons import system_reason
from kk_core.registry import game, game_ids
from kk_core.text import Text, text
from kk_server.cli import Usage
from kk_server.cli.language import note


def check_data() -> None:
    """Refuse data files, or a folder of them, that cannot be used. Raises `Usage` with key and reason."""
    if fault := _fault_of_folder():
        raise Usage(text("{name}: {fault}", name=f"{config.VARIABLE}={config.own_folder()}", fault=fault))
    try:
        for game_id in game_ids():
            game(game_id)
    except BadData as error:
        raise Usage(error.reason) from None
    except OSError as error:
        raise Usage(text("{name}: {reason}", name=str(error.filename), reason=system_reason(error))) from None


def _fault_of_folder() -> Text | None:
    folder, known = config.own_folder(), ", ".join(config.names())
    if folder is None:
        return None
    if not folder.is_dir():
        return text("No such folder.")
    found = config.own_names()
    if not found:
        return text("It contains none of these files: {known}.", known=known)
    unknown = next((name for name in found if name not in config.names()), None)
    return text("{name} is not one of {known}.", name=unknown, known=known) if unknown else None


DEFAULT_PORT: Final = 8022

_ADDRESS: Final = re.compile(
    r"(?:(?P<user>[^@\s]+)@)?(?P<host>\[[0-9a-fA-F:]+\]|[^@:\s\[\]]+)(?::(?P<port>\d{1,5}))?"
)


_OFFICES: Final = frozenset({"root", "admin", "administrator", "toor", "user", "ubuntu", "debian", "pi"})
"""Accounts that are named for what may be done with them, in lower case."""


def account_name() -> str:
    """Return the name of the account on this machine; empty if that is nobody's own name."""
    name = getpass.getuser()
    return "" if name.lower() in _OFFICES else name


class Address(NamedTuple):
    """A user, host and port to connect to."""

    user: str
    host: str
    port: int


def parse_address(address: str, own: str = "{user}") -> Address:
    """Parse "[NAME@]HOST[:PORT]"; HOST may be an IPv6 address in brackets. Raises `Usage`.

    NAME defaults to `own`, in which `{user}` stands for the user of this machine.
    """
    found = _ADDRESS.fullmatch(address)
    port = int(found["port"] or DEFAULT_PORT) if found else 0
    if not found or not 0 < port < 65536:
        raise Usage(text("{address} is not an address; write NAME@HOST:PORT.", address=repr(address)))
    return Address(found["user"] or own.format(user=getpass.getuser()), found["host"].strip("[]"), port)


def tell_refused_bots() -> None:
    """Print a line on stderr for each bot that could not be loaded."""
    for refused in other_bots().refused:
        note(refused.sentence)
