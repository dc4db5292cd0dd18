"""What is often said at a table, for a key each: everybody reads it in his own language."""

from __future__ import annotations

from typing import Final

from kk_core.text import text

PHRASES: Final = (
    text("Good luck, and have fun!"),
    text("Hello!"),
    text("Well played!"),
    text("Oops!"),
    text("One moment, please."),
    text("I am back."),
    text("Another one?"),
    text("Thank you, that was fun. Goodbye!"),
)
