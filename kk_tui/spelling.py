"""Words in plain letters, for terminals that have no others."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from unicodedata import combining, normalize

_TWINS: Final = {
    "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "Æ": "Ae",
    "œ": "oe", "Œ": "Oe", "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
    "þ": "th", "Þ": "Th", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "×": "x",
}  # fmt: skip


@lru_cache(maxsize=2048)
def in_ascii(words: str) -> str:
    """Letters with marks as people write them without, a question mark for what cannot be written so.

    Capitals alone, such as those of a code, stay as many as they are.
    """
    if words.isascii():
        return words
    twins = {} if words.isupper() else _TWINS
    return "".join(twins.get(sign) or _plain(sign) for sign in normalize("NFC", words))


def _plain(sign: str) -> str:
    plain = "".join(part for part in normalize("NFKD", sign) if not combining(part))
    return plain if plain.isascii() else "?"
