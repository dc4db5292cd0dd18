"""The way to a terminal, its cells and the codes that change them; also isolates Textual's private parts."""
