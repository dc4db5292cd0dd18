"""The data files of whoever runs the program: looked at before anything begins with them."""

from __future__ import annotations

import config
from kk_core.errors import BadData
from kk_core.registry import game, game_ids
from kk_core.text import Text, text
from server.commands import Usage


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
        reason = error.strerror or str(error)
        raise Usage(text("{name}: {reason}", name=str(error.filename), reason=reason)) from None


def _fault_of_folder() -> Text | None:
    folder, known = config.own_folder(), ", ".join(config.names())
    if folder is None:
        return None
    if not folder.is_dir():
        return text("There is no such folder.")
    found = config.own_names()
    if not found:
        return text("None of these files is there: {known}.", known=known)
    unknown = next((name for name in found if name not in config.names()), None)
    return text("{name} is none of {known}.", name=unknown, known=known) if unknown else None
