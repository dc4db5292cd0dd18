"""The form of codes that people read out and type: those of invitations, and those for further keys."""

from __future__ import annotations

from typing import Final

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""None of them is taken for another when it is read out."""

INVITATION_LENGTH: Final = 6
"""Letters of the code of an invitation."""


def bare_code(typed: str) -> str:
    """A code as it was made, however it was typed: with dashes and blanks or without, large or small."""
    return typed.replace("-", "").replace(" ", "").upper()


def could_be_invitation(typed: str) -> bool:
    """Whether words have the form of an invitation's code."""
    code = bare_code(typed)
    return len(code) == INVITATION_LENGTH and set(code) <= set(LETTERS)
