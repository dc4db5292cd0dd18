"""The file of a finished match's record, in a folder of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kk_core.errors import KkError
from kk_core.protocol.messages import RecordText
from kk_core.reasons import system_reason
from kk_core.text import Text, text
from kk_tui.scene import Scene
from kk_tui.settings import replace_file


class RecordNotSaved(KkError):
    """A record could not be written; the reason names its file."""


def save_record(folder: Path, scene: Scene[Any], record: RecordText) -> Text:
    """Write the record of a match, and its signature beside it; returns where. Raises `RecordNotSaved`."""
    target = folder / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(target, record.text.encode())
        if record.signature is not None:
            # the signature is for exactly these bytes
            replace_file(Path(f"{target}.sig"), record.signature.encode())
    except OSError as error:
        raise RecordNotSaved(
            text(
                "Couldn't save the record as {file}: {reason}", file=str(target), reason=system_reason(error)
            )
        ) from error
    return text("Saved as {file}", file=str(target))
