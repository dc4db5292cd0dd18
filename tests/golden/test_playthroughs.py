"""One playthrough of every table, with what every viewer saw: a change of rules or views shows here.

After a wanted change: `pytest tests/golden --snapshot-update`, and read the difference.
"""

from __future__ import annotations

from hashlib import blake2b

from syrupy.assertion import SnapshotAssertion

from kk_core.match import Match
from kk_core.types import Viewer
from tests.core.contract.tables import Table, every_table, view_bytes


@every_table
def test_a_playthrough_and_every_view_of_it_stay_as_they_are(
    table: Table, snapshot: SnapshotAssertion
) -> None:
    lines: list[str] = []
    for match in table.random_match():
        lines.append(_line(table, match))
        if match.is_over or len(match.plies) in (0, 30):
            lines += [_full(match, viewer) for viewer in table.viewers]
    assert "\n".join(lines) == snapshot


def _line(table: Table, match: Match) -> str:
    """The last move, and a digest of what each viewer saw after it."""
    seat, move = match.plies[-1] if match.plies else (None, None)
    digests = (blake2b(view_bytes(match, viewer), digest_size=3).hexdigest() for viewer in table.viewers)
    notation = "" if move is None else table.game.format_move(move)
    return f"{len(match.plies)} {seat} {notation} | {' '.join(digests)} | {table.game.events(match.state)}"


def _full(match: Match, viewer: Viewer) -> str:
    observation = match.game.observe(match.state, viewer)
    fields = (f"    {name}: {getattr(observation, name)!r}" for name in observation.__struct_fields__[1:])
    return f"  seen by {viewer}:\n" + "\n".join(fields)
