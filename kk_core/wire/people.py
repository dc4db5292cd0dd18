"""What the name of a user tells of him."""

from __future__ import annotations

from typing import Final

import msgspec

GUEST_MARK: Final = "~"
"""What stands before the name of a guest, who has no key; it survives where a list cuts names."""


def is_guest(user: str) -> bool:
    """Whether a user has come without a key."""
    return user.startswith(GUEST_MARK)


def bare_name(user: str) -> str:
    """A name as people type it who care for neither its case nor the mark of guests."""
    return user.removeprefix(GUEST_MARK).casefold()


class KeyLine(msgspec.Struct, frozen=True, array_like=True):
    """An SSH key that opens an account: its fingerprint as `ssh-keygen -l` prints it, and what it is called.

    `since` it does so, and `used` was it last, to the hour, in seconds since 1970; 0 where that is not known.
    """

    fingerprint: str
    name: str
    since: int
    used: int
