"""The state that belongs to a table but not to its log: chat, votes, and what was added to the next shuffle.

It is stored from time to time, and read again by whoever serves the table next.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kk_server.storage.entries import Entry, Invited, Moved, Undone
from kk_server.tables.chat import ChatState
from kk_server.tables.proposals import Proposal


class TransientState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part of a table's state that no entry of its log tells.

    `matches`, `host_seed` and `added` are those of its `Shuffle`, which is used up if more matches have begun
    since; `proposed_at` is the number of entries there were when this was true of the proposal. `term` counts
    the objects that the table has had: what an earlier one stores late does not replace what a later one did.
    """

    term: int
    matches: int
    host_seed: bytes
    added: dict[str, bytes] = {}
    chat: ChatState = ChatState()
    proposal: Proposal | None = None
    proposed_at: int = 0

    def after(self, entries: Iterable[Entry]) -> TransientState:
        """Return the state after more entries, which may have ended the proposal."""
        if self.proposal is None or not any(map(ends_proposals, entries)):
            return self
        return msgspec.structs.replace(self, proposal=None)


def ends_proposals(entry: Entry) -> bool:
    """Return whether an entry changes the situation that a proposal was about."""
    return not isinstance(entry, Moved | Undone | Invited)


def encode_transient(state: TransientState) -> str:
    """Encode a state for the log."""
    return msgspec.json.encode(state).decode()


def decode_transient(kept: str) -> TransientState | None:
    """Decode what `encode_transient` made; None if it cannot be read."""
    try:
        return msgspec.json.decode(kept, type=TransientState)
    # no reason to keep people from their match
    except msgspec.MsgspecError:
        return None
