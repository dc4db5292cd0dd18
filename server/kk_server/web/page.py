"""The files of the page, and the headers that say what a browser may do with them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Final

import msgspec

from kk_core.text import Text, text
from kk_server.frontend.listener import CROWDED, FULL, TOO_FAST, TOO_MANY
from kk_server.web.frames import locales_of
from kk_tui.languages import first_language, translate

_FILES: Final = files("kk_server.web") / "static"

_SCRIPTS: Final = ("xterm/xterm.js", "xterm/addon-fit.js", "xterm/addon-unicode11.js", "page.js")
_STYLES: Final = ("xterm/xterm.css", "page.css")
"""Each sent as one file: browsers open a connection for every file, and connections are counted."""

_MANY: Final = 10
"""Languages of a browser that are looked at."""

HEADERS: Final = {
    # xterm.js writes its colours into style elements
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "Server": "kk",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer."""

NOTHING: Final = text("There is nothing at this address.")

KEEPS_TRYING: Final[Mapping[Text, Text]] = {
    CROWDED: text("Too many connections are waiting to log in; this page keeps trying."),
    FULL: text("This server is full; this page keeps trying."),
    TOO_FAST: text("Too many new connections from your address; this page keeps trying."),
    TOO_MANY: text("Too many connections from your address; this page keeps trying."),
}
"""What an open page says for each reason for which there is no room: it need not be told to try again."""

_WORDS: Final = {
    "name": text("Your name"),
    "play": text("Play"),
    "plain": text("Play in lines of text, as for a screen reader"),
    "again": text("Play again"),
    "nothing": NOTHING,
    "table": text("This link leads to a table here."),
    "match": text("This link leads to the replay of a match."),
    "nocode": text("That is not a code: codes have letters, digits and hyphens."),
    "scripts": text("This page needs JavaScript."),
    "lobby": text("Go to the lobby"),
    "lost": text("The connection was lost. Trying again..."),
    "over": text("You have left."),
    "keyboard": text("Keyboard"),
    "account": text("I have an account here already"),
    "code": text("Code that its list of keys shows (k in the lobby, then k)"),
    "kept": text(
        "This browser keeps a key that opens your account. Browsers may forget: add a second key soon, with "
        "k in the lobby."
    ),
    "guest": text(
        "You play as a guest: this browser cannot keep a key here (that takes HTTPS, and a browser of 2025 "
        "or later). Your seats are yours only from this network, and you have no history."
    ),
}
"""What the page says before and after the game."""


@dataclass(frozen=True)
class StaticFile:
    """A file that never changes under its name, as it is and compressed."""

    name: str
    kind: str
    content: bytes
    packed: bytes


class Page:
    """The page in every language, and the two files it needs."""

    def __init__(self) -> None:
        self._page, self._terminal, self._notice = (
            Template((_FILES / name).read_text(encoding="utf-8"))
            for name in ("page.html", "terminal.html", "notice.html")
        )
        script = _joined(_SCRIPTS, "text/javascript", "js")
        style = _joined(_STYLES, "text/css", "css")
        self.files = {each.name: each for each in (script, style)}
        """By their names, which contain a part of their hash."""
        self._places = {"script": script.name, "style": style.name}
        self.script = script.name
        """The name of the script, which differs with every version of the page."""

    def html(self, language: str | None) -> str:
        """Return the page in a language."""
        words = {name: translate(sentence, language) for name, sentence in _WORDS.items()}
        # in a data block "<" could end the element, whatever a catalogue says
        said = msgspec.json.encode(words).decode().replace("<", "\\u003c")
        shown = {name: escape(word) for name, word in words.items()}
        return self._around(self._terminal.substitute(shown, **self._places, said=said), language)

    def notice(self, sentence: Text, language: str | None, way: str) -> str:
        """Return what is shown in place of the page, with a link to where it goes on."""
        notice, play = (escape(translate(each, language)) for each in (sentence, _WORDS["play"]))
        return self._around(self._notice.substitute(notice=notice, play=play, way=escape(way)), language)

    def _around(self, body: str, language: str | None) -> str:
        return self._page.substitute(self._places, body=body, language=escape(language or "en"))


def _joined(names: tuple[str, ...], kind: str, ending: str) -> StaticFile:
    content = b"\n".join((_FILES / name).read_bytes() for name in names)
    name = f"kk-{sha256(content).hexdigest()[:16]}.{ending}"
    return StaticFile(name, kind, content, gzip.compress(content, mtime=0))


def language_for(accepted: str, default: str | None) -> str | None:
    """Return the first of a browser's languages that there is, or the default."""
    wishes = [wish.partition(";")[0].strip() for wish in accepted.split(",")[:_MANY]]
    return first_language(*locales_of(wishes), default)
