"""The frames on a page's socket.

A binary frame is what is typed, or what is drawn. A text frame is one of the messages here, as JSON with its
name under `type`: the server begins with a challenge, the page answers with a hello, and from then on says
only new sizes, and asks whether anybody is still there. The server's last message is `ended`; a socket that
closes without one was cut off. A server without room says only that, in place of the challenge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from kk_core.errors import KkError
from kk_core.text import text

_LONGEST_NAME: Final = 100
_LONGEST_CODE: Final = 40
_MANY_LANGUAGES: Final = 10

_CODE: Final = r"^(?:[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*)?\Z"
"""The forms of a code; it never looks like an option."""

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*", re.ASCII)

Columns: TypeAlias = Annotated[int, Meta(ge=0, le=2**16)]


def locales_of(languages: Iterable[str]) -> list[str]:
    """Return the locales that a browser's languages stand for, without anything that is no language."""
    # they become parts of the paths of catalogues
    return [each.replace("-", "_") for each in languages if _LANGUAGE.fullmatch(each)]


class BadWebFrame(KkError):
    """A frame that no page of ours sends."""


Ending: TypeAlias = Literal["left", "ended", "refused", "taken", "nowhere", "stopping"]
"""How a session has ended."""


# -- from the server -----------------------------------------------------------------------------------------


class Challenge(msgspec.Struct, frozen=True, tag="challenge"):
    """The first message: what a browser's key has to sign.

    These are lines of UTF-8, joined by line feeds: purpose, the page's origin, the fingerprint of the host
    key, nonce, and the time in Unix seconds until which it holds. `script` is the name of the page's script:
    a page with another one is out of date.
    """

    purpose: str
    fingerprint: str
    nonce: str
    expires: int
    script: str


class NoRoom(msgspec.Struct, frozen=True, tag="full"):
    """Said in place of the challenge: there is no room, which changes, so the page comes back by itself."""

    reason: str


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """The answer to a `Ping`; also said now and then while frames of the page are not taken."""


class AtPlace(msgspec.Struct, frozen=True, tag="place"):
    """The table or replay that the user is at now, "" for the lobby: a page that comes back says it again."""

    place: str


class Typing(msgspec.Struct, frozen=True, tag="typing"):
    """Says when text begins or ceases to be typed, for which a phone needs a keyboard."""

    on: bool


class SessionEnded(msgspec.Struct, frozen=True, tag="ended"):
    """The last message: the exit status of the session, how it has ended, and why if the server ended it.

    It was left by its user, ended (they are banned, say, or were inactive, or it failed), refused, perhaps
    since the name is taken by an account, or led nowhere, as there is no such table, say; or the server
    stops, and the page comes back by itself.
    """

    status: int
    kind: Ending
    reason: str = ""


# -- from the page -------------------------------------------------------------------------------------------


class Greeting(msgspec.Struct, frozen=True, tag="hello", forbid_unknown_fields=True):
    """The page's first message: who comes, the size of the terminal, and the browser's languages.

    `key` is a raw Ed25519 public key and `signature` what it has signed, both in URL-safe base64, or empty
    for a guest. `go` is what to begin with, by a code: a table that one is invited to, a table by its ID, a
    finished match, or linking the key to an account; or `plain`, without one, for lines of text. `place` is
    where the page was before it came back, as the server said.
    """

    name: Annotated[str, Meta(max_length=_LONGEST_NAME)]
    columns: Columns
    rows: Columns
    languages: Annotated[tuple[Annotated[str, Meta(max_length=40)], ...], Meta(max_length=_MANY_LANGUAGES)]
    key: Annotated[str, Meta(max_length=100)] = ""
    signature: Annotated[str, Meta(max_length=100)] = ""
    go: Literal["", "join", "table", "match", "link", "plain"] = ""
    code: Annotated[str, Meta(max_length=_LONGEST_CODE, pattern=_CODE)] = ""
    place: Annotated[str, Meta(max_length=_LONGEST_CODE, pattern=_CODE)] = ""

    @property
    def command(self) -> str:
        """The command that somebody would type after `ssh HOST`."""
        return f"{self.go} {self.code}".strip() if self.go else ""

    def environment(self) -> Mapping[str, str]:
        """Return the environment of a terminal like that of the page."""
        locales = locales_of(self.languages)
        chosen = {"LANG": locales[0], "LANGUAGE": ":".join(locales)} if locales else {}
        return {"COLORTERM": "truecolor", "LC_CTYPE": "C.UTF-8", **chosen}


class NewSize(msgspec.Struct, frozen=True, tag="resize", forbid_unknown_fields=True):
    """The terminal has another size."""

    columns: Columns
    rows: Columns


class Ping(msgspec.Struct, frozen=True, tag="ping", forbid_unknown_fields=True):
    """Ask whether the server is still there: nothing has come since something was typed."""


PageMessage: TypeAlias = Greeting | NewSize | Ping

_decoder: Final[msgspec.json.Decoder[PageMessage]] = msgspec.json.Decoder(PageMessage)


def decode(packed: str) -> PageMessage:
    """Read a text frame of a page. Raises `BadWebFrame`."""
    try:
        return _decoder.decode(packed)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise BadWebFrame(text("The page has sent a message that makes no sense.")) from None


def encode(message: Challenge | NoRoom | Pong | AtPlace | Typing | SessionEnded) -> str:
    """Write a message as a text frame."""
    return msgspec.json.encode(message).decode()
