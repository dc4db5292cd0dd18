"""Chromium on the page, as people have it before the eyes: real, without a window."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from tests.waiting import patience

NEEDED: Final = "KK_NEEDS_CHROMIUM"
"""Set by the gate, where a machine without Chromium must not pass unnoticed."""


def require_chromium() -> tuple[str, str]:
    """Return the paths of Chromium and of its driver, or skip the test; in the gate, fail."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    found = {"Chromium": browser, "its driver": driver, "selenium": find_spec("selenium")}
    missing = [name for name, path in found.items() if not path]
    if missing:
        told = f"left out: {' and '.join(missing)} not installed"
        if os.environ.get(NEEDED):
            pytest.fail(told)
        pytest.skip(told)
    assert browser is not None
    assert driver is not None
    return browser, driver


BREATH: Final = 0.02
"""Seconds between two looks at the page: without them, looking costs more than what is looked at."""

# where a cell is, in pixels of the page
_CELL = """
const box = document.querySelector(".xterm-screen").getBoundingClientRect();
return [box.left, box.top, box.width, box.height];
"""

_TEXT = """
return [...document.querySelectorAll(".xterm-rows > div")].map(line => line.textContent).join("\\n");
"""


async def looking(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Look until something is so that only the browser knows."""
    async with asyncio.timeout(patience()):
        while not await is_so():  # noqa: ASYNC110
            await asyncio.sleep(BREATH)


class Browser:
    """A window on the page; everything that waits for Chromium does so beside the loop."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    async def open(self, url: str) -> None:
        await asyncio.to_thread(self.driver.get, url)

    async def reload(self) -> None:
        await asyncio.to_thread(self.driver.refresh)

    async def run(self, script: str, *arguments: object) -> Any:
        return await asyncio.to_thread(self.driver.execute_script, script, *arguments)

    async def text(self) -> str:
        """The terminal as lines."""
        shown: str = await self.run(_TEXT)
        return shown.replace("\xa0", " ")

    async def until(self, words: str) -> None:
        """Wait until the terminal shows words."""
        shown = ""

        async def is_shown() -> bool:
            nonlocal shown
            shown = await self.text()
            return words in shown

        try:
            await looking(is_shown)
        except TimeoutError:
            raise AssertionError(f"never shown: {words!r}; the page stayed:\n{shown}") from None

    async def until_so(self, script: str, *arguments: object) -> None:
        """Wait until a script of the page says so."""
        await looking(lambda: self.run(script, *arguments))

    async def until_said(self, element: str, words: str) -> None:
        """Wait until an element of the page says something to be seen."""
        # of what is hidden, `innerText` says everything
        is_seen = "said.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })"
        is_said = "said.innerText.includes(arguments[1])"
        script = f"const said = document.getElementById(arguments[0]); return {is_seen} && {is_said}"
        await self.until_so(script, element, words)

    async def until_titled(self, words: str) -> None:
        """Wait until the title of the tab begins so."""
        await self.until_so("return document.title.startsWith(arguments[0])", words)

    async def fill(self, element: str, words: str) -> None:
        """Type into a field of the page."""
        field = await asyncio.to_thread(self.driver.find_element, "id", element)
        await asyncio.to_thread(field.send_keys, words)

    async def until_asked(self) -> None:
        """Wait until the page asks who comes."""
        await self.until_so("return !document.getElementById('door').hidden")

    async def enter(self, name: str) -> None:
        """Say who one is, and press the button."""
        await self.until_asked()
        await self.fill("name", name)
        await self.press_button()

    async def press_button(self) -> None:
        """Press the button that leads into the game."""
        button = await asyncio.to_thread(self.driver.find_element, "css selector", "#door button")
        await asyncio.to_thread(button.click)

    async def type(self, keys: str) -> None:
        """Type into the terminal."""
        field = await asyncio.to_thread(self.driver.find_element, "class name", "xterm-helper-textarea")
        await asyncio.to_thread(field.send_keys, keys)

    async def copy(self, words: str) -> None:
        """Put words into the clipboard."""
        field = "const field = document.body.appendChild(document.createElement('textarea'));"
        copied = "field.value = arguments[0]; field.select(); document.execCommand('copy'); field.remove();"
        await self.run(f"const back = document.activeElement; {field} {copied} back.focus();", words)

    async def press_action(self, words: str) -> None:
        """Press a button of those that stand for the keys of the footer."""
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

        path = f"//*[@id='actions']/button[normalize-space()='{words}']"

        def press() -> bool:
            try:
                self.driver.find_element("xpath", path).click()
            except (NoSuchElementException, StaleElementReferenceException):
                return False  # made anew meanwhile, and not pressed
            return True

        await looking(lambda: asyncio.to_thread(press))

    async def click(self, x: int, y: int, size: tuple[int, int]) -> None:
        """Click a cell of a terminal of a size."""
        left, top, width, height = await self.run(_CELL)
        place = {"x": left + width * (x + 0.5) / size[0], "y": top + height * (y + 0.5) / size[1]}
        for kind, buttons in (("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)):
            event = {"type": kind, **place, "button": "left" if buttons or "R" in kind else "none"}
            event |= {"buttons": buttons, "clickCount": 0 if kind == "mouseMoved" else 1}
            await asyncio.to_thread(self.driver.execute_cdp_cmd, "Input.dispatchMouseEvent", event)

    async def tap(self, x: int, y: int, size: tuple[int, int]) -> None:
        """Tap a cell of a terminal of a size."""
        left, top, width, height = await self.run(_CELL)
        place = {"x": left + width * (x + 0.5) / size[0], "y": top + height * (y + 0.5) / size[1]}
        gesture = {**place, "tapCount": 1, "gestureSourceType": "touch"}
        await asyncio.to_thread(self.driver.execute_cdp_cmd, "Input.synthesizeTapGesture", gesture)

    async def picture(self, file: Path) -> None:
        """Take a picture of the page."""
        await asyncio.to_thread(self.driver.save_screenshot, str(file))

    async def faults(self) -> list[str]:
        """The lines that a console would show in red."""
        log = await asyncio.to_thread(self.driver.get_log, "browser")
        return [line["message"] for line in log if line["level"] == "SEVERE"]


@asynccontextmanager
async def chromium(
    size: tuple[int, int] = (1280, 800),
    *,
    is_phone: bool = False,
    language: str = "en",
    hosts: str = "",
    keeps: bool = True,
) -> AsyncIterator[Browser]:
    """A new Chromium that remembers nothing, and unless it `keeps` things allows no page to keep anything.

    `hosts` are rules for names that nobody knows.
    """
    browser, service = require_chromium()
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={size[0]},{size[1]}"):
        options.add_argument(argument)
    if hosts:
        options.add_argument(f"--host-resolver-rules={hosts}")
    allowed = {} if keeps else {"profile.default_content_setting_values.cookies": 2}
    options.add_experimental_option("prefs", {"intl.accept_languages": language, **allowed})
    if is_phone:
        metrics = {"width": size[0], "height": size[1], "pixelRatio": 2, "touch": True, "mobile": True}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = await asyncio.to_thread(
        webdriver.Chrome, options=options, service=webdriver.ChromeService(service)
    )
    try:
        yield Browser(driver)
    finally:
        await asyncio.to_thread(driver.quit)
