"""Lines of the skeleton: header and prompt."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Line(Static):
    """One line of text that never changes the layout."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False)
        self._shown: Content | None = None

    def say(self, content: Content | str, style: str = "") -> None:
        """Show something else; nothing is sent when it is the same."""
        line = Content.styled(content, style) if isinstance(content, str) else content
        if self._shown is None or not line.is_same(self._shown):
            self._shown = line
            self.update(line, layout=False)
