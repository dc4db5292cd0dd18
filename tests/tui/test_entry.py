"""Lines to fill in."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.events import Paste

from kk_tui.widgets.form import TextField
from tests.tui.conftest import until


class Form(App[None]):
    def compose(self) -> ComposeResult:
        yield TextField("ab", max_length=5)


async def test_the_cursor_of_a_line_does_not_blink() -> None:
    async with Form().run_test() as pilot:
        line = pilot.app.query_one(TextField)
        for keys in ((), ("c",), ("left",)):
            line.focus()
            await pilot.press(*keys)
            assert line.has_focus
            assert line._cursor_visible
            assert line._blink_timer is not None
            assert not line._blink_timer._active.is_set()


@pytest.mark.parametrize(
    ("pasted", "value"), [("cd", "abcd"), ("cdefgh", "abcde"), ("c\nd", "abc"), ("\n", "ab"), ("", "ab")]
)
async def test_of_a_paste_a_line_takes_as_much_as_it_has_room_for(pasted: str, value: str) -> None:
    async with Form().run_test() as pilot:
        line = pilot.app.query_one(TextField)
        line.focus()
        line.select_on_focus = False
        line.action_end()
        line.post_message(Paste(pasted))
        await until(pilot, lambda: line.value == value)
