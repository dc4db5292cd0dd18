"""The way to a terminal, its cells and the codes that change them; the wall around Textual's inside."""
