"""The record of a match as a file of one's own."""

from __future__ import annotations

from pathlib import Path

from kk_core.text import text
from kk_core.wire.messages import GetRecord, RecordText
from kk_tui.i18n import _
from kk_tui.screens.base import KkScreen


async def save_record(screen: KkScreen, folder: Path) -> None:
    """Write the record of the match on the screen into a folder, and say where, or why not."""
    reply, scene = await screen.kk.request(GetRecord), screen.kk.store.scene
    if not isinstance(reply, RecordText) or scene is None:
        return
    target = folder / f"{scene.match.game}-{scene.match.commitment.hex()[:12]}.json"
    try:
        _write(target, reply)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        screen.complain(
            text("The record cannot be saved as {file}: {reason}", file=str(target), reason=reason)
        )
        return
    screen.say(_("Saved as {file}", file=str(target)), "$happened")


def _write(target: Path, record: RecordText) -> None:
    """The record byte for byte, and beside it the signature that was made of these bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(record.text.encode())
    if record.signature is not None:
        Path(f"{target}.sig").write_bytes(record.signature.encode())
