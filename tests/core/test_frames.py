"""Messages as bytes."""

from kk_core.wire.frames import to_tree
from kk_core.wire.views import LogEntry


def test_a_tree_holds_lists_only_so_that_a_delta_can_look_into_every_part() -> None:
    assert to_tree(LogEntry(1, 2, ((3, b"x"),))) == [1, 2, [[3, b"x"]]]
