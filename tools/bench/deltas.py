"""The bytes that a move costs a viewer: `python -m tools.bench.deltas GAME [MATCHES]`.

Plays random matches with every number of seats in turn and packs, for every viewer after every move, the
message that keeps them up to date, and the snapshot that they would get instead.
"""

from __future__ import annotations

import sys
from itertools import cycle
from statistics import median

from kk_core.protocol.frames import encode_message
from kk_core.protocol.messages import Delta, Snapshot
from kk_core.tree import diff, fingerprint
from kk_core.types import Tree, Viewer
from kk_core.views import MatchView, SeatView, TableView, encode_place
from tests.core.contract.tables import Table, tables_of


def table_tree(table: Table, view: MatchView, viewer: Viewer) -> Tree:
    """Return the tree of a table around a match, as a hub would send it, with names of four letters."""
    seats = tuple(SeatView("Anna", "anna", None, True, seat) for seat in range(table.seats))
    return encode_place(
        TableView("a1b2c3", "", "anna", table.game_id, table.options, False, "playing", seats, viewer, view)
    )


def measure(game_id: str, matches: int) -> tuple[list[int], list[int]]:
    """Return the bytes of all deltas and of all snapshots."""
    deltas: list[int] = []
    snapshots: list[int] = []
    for number, table in zip(range(matches), cycle(tables_of(game_id)), strict=False):
        trees: dict[Viewer, Tree] = {}
        for revision, match in enumerate(table.random_match(number)):
            for viewer in table.viewers:
                tree = table_tree(table, match.view(viewer), viewer)
                snapshots.append(len(encode_message(Snapshot(revision, tree))))
                if viewer in trees:
                    old = trees[viewer]
                    deltas.append(len(encode_message(Delta(revision, fingerprint(old), diff(old, tree)))))
                trees[viewer] = tree
    return deltas, snapshots


def main() -> None:
    """Print the figures of one game."""
    game_id, matches = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    deltas, snapshots = measure(game_id, matches)
    deltas.sort()
    print(  # noqa: T201
        f"{game_id}: {matches} matches, {len(deltas)} deltas: median {median(deltas):.0f} bytes, "
        f"90 % {deltas[len(deltas) * 9 // 10]}, largest {deltas[-1]}; "
        f"snapshots: median {median(snapshots):.0f}, largest {max(snapshots)}"
    )


if __name__ == "__main__":
    main()
