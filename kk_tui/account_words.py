"""Words about somebody's account: the keys that open it, and where its owner is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kk_core.protocol.messages import CallWays, LinkCode
from kk_core.text import Text, shortened, text, texts
from kk_core.views import KeyLine
from kk_tui.i18n import _, spelled
from kk_tui.server_address import ServerAddress

GUESTS: Final = text("Guests have no account; connect with an SSH key, and the name is yours.")
"""Why guests have neither keys nor calls."""

FORGOTTEN: Final = text("You are no longer called, and your address is forgotten.")

_TELLS_APART: Final = 16
"""Characters of a fingerprint that distinguish keys."""


def name_of_key(key: KeyLine) -> str:
    """Return a key's name, or that it has none."""
    return key.name or _("(no name)")


def key_words(key: KeyLine) -> str:
    """Return a key's name with the start of its fingerprint."""
    # names may repeat
    return f"{name_of_key(key)} ({shortened(key.fingerprint, _TELLS_APART)})"


def link_commands(code: LinkCode, address: ServerAddress) -> Iterator[Text]:
    """Yield what is typed on another machine, so that its key opens the account too."""
    if address.host:
        yield text("On the other machine:")
    else:
        yield text("On the other machine, where ADDRESS is what you typed to connect here:")
    yield Text(f"ssh -t {address.for_ssh} link {code.code}")
    yield Text(f"kk connect {address.for_connect} --link {code.code}")


def link_terms(code: LinkCode, address: ServerAddress) -> Iterator[Text]:
    """Yield how long a code is good for, and where else it can be typed."""
    minutes = texts("{n} minute", "{n} minutes", code.seconds // 60)
    yield text(
        "The code works once, within {minutes}. Keep it secret: anybody who has it can log in as you.",
        minutes=minutes,
    )
    if url := address.link(""):
        yield text('On the page {url}, type it under "I have an account here already".', url=url)


def called_at(known: CallWays) -> Text:
    """Return where somebody is called when it is their turn."""
    if known.unconfirmed:
        return text("A code is on its way to {address}.", address=spelled(known.unconfirmed))
    if known.address:
        return text("You are called at {address}.", address=spelled(known.address))
    if known.ways:
        return text("You are not called yet.")
    return text("This server calls nobody: its host has not set that up.")


def about_calls(known: CallWays) -> Sequence[Text]:
    """Return when somebody is called, and at which addresses."""
    if not known.ways:
        return ()
    away = texts("{n} minute", "{n} minutes", known.minutes)
    return (
        text(
            "When others wait for your move and you have been away for {time}, the server tells you, "
            "once for each turn, with the command that leads to the table.",
            time=away,
        ),
        text("You can be called at: {ways}", ways=", ".join(map(spelled, known.ways))),
        text("Nobody else sees the address. A code is sent there first."),
    )


def confirmed(address: str) -> Text:
    """Return what is said once an address has been confirmed by its code."""
    return text("From now on you are called at {address}.", address=spelled(address))
