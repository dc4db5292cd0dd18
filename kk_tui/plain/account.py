"""Words in the lobby about the user's account: the keys that open it, and where they are called."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from kk_core.protocol.messages import (
    CallWays,
    ConfirmCalls,
    GetCalls,
    GetKeys,
    GetLinkCode,
    Keys,
    LinkCode,
    NameKey,
    OrderCalls,
    RemoveKey,
    StopCalls,
)
from kk_core.text import Text, joined, quoted, text, text_in
from kk_core.views import KeyLine
from kk_tui.account_words import (
    FORGOTTEN,
    GUESTS,
    about_calls,
    called_at,
    confirmed,
    key_words,
    link_commands,
    link_terms,
    name_of_key,
)
from kk_tui.i18n import _, format_when, render, spelled, typed
from kk_tui.matching import meant, ways_of, words_of
from kk_tui.plain.console import TextConsole
from kk_tui.plain.words import TooFewWords, TypedWord, UnknownWords

_KEYS: Final = text_in("typed", "keys")
_ADD: Final = text_in("typed", "add")
_NAME: Final = text_in("typed", "name")
_REMOVE: Final = text_in("typed", "remove")

_CALLS: Final = text_in("typed", "calls")
_AT: Final = text_in("typed", "at")
_CONFIRM: Final = text_in("typed", "confirm")
_STOP: Final = text_in("typed", "stop")


class AccountWords:
    """Words for keys and calls, which only people with an account have."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        self._keys: Sequence[KeyLine] = ()
        self._warned = ""
        """The fingerprint of the key whose removal would end this session, if that was said just now."""
        self.words = (
            TypedWord(_KEYS, text("the SSH keys that open your account; adds, names or removes one"),
                    self._do_keys, text_in("typed", "[add|name N NAME|remove N]"),
                    example=(_ADD,)),
            TypedWord(_CALLS, text("where you are called when it is your turn and you are away"),
                    self._do_calls, text_in("typed", "[at ADDRESS|confirm CODE|stop]"),
                    example=(_AT, "anna@example.org")),
        )  # fmt: skip

    # -- keys ------------------------------------------------------------------------------------------------

    async def _do_keys(self, rest: str) -> None:
        self._check_account()
        what, after = _meant(rest, (_ADD, _NAME, _REMOVE), _KEYS)
        warned, self._warned = self._warned, ""
        if what is None:
            await self._list_keys()
        elif what == _ADD:
            await self._add_key()
        else:
            number, _space, name = after.partition(" ")
            key = await self._key(number)
            if what == _REMOVE:
                if key.fingerprint != warned and await self._warns_of(key):
                    return
                await self._console.request(partial(RemoveKey, fingerprint=key.fingerprint))
                self._console.say(_("{key} no longer opens your account.", key=spelled(key_words(key))))
            elif name.strip():
                await self._console.request(partial(NameKey, fingerprint=key.fingerprint, name=name.strip()))
                self._console.say(
                    _("{key} is now called {name}.", key=spelled(key_words(key)), name=name.strip())
                )
            else:
                raise TooFewWords(text("Type a name after it."))

    async def _list_keys(self) -> None:
        reply = await self._fetch_keys()
        for number, key in enumerate(reply.keys, 1):
            said = (
                spelled(name_of_key(key)),
                _("this one") if key.fingerprint == reply.own else "",
                _("since {when}", when=format_when(key.since)) if key.since else "",
                _("last used {when}", when=format_when(key.used)) if key.used else "",
                spelled(key.fingerprint),
            )
            self._console.say(f"{number}. {', '.join(filter(None, said))}.")
        self._console.say(
            _(
                "{add} shows what to type on another machine, whose key is then added.",
                add=typed(_KEYS, render(_ADD)),
            )
        )

    async def _warns_of(self, key: KeyLine) -> bool:
        """Say that removing a key would end this session, and return True, if it would."""
        now: Keys = await self._console.request(GetKeys)
        if key.fingerprint != now.own or len(now.keys) == 1:  # the only key is refused, which ends nothing
            return False
        self._warned = key.fingerprint
        self._console.say(
            _(
                "{key} is the key you're connected with. Type that again to remove it: you are disconnected "
                "at once and need another key to return.",
                key=spelled(key_words(key)),
            )
        )
        return True

    async def _fetch_keys(self) -> Keys:
        reply: Keys = await self._console.request(GetKeys)
        self._keys = reply.keys
        return reply

    async def _key(self, number: str) -> KeyLine:
        """Return the key of a number in the list. Raises `UnknownWords`."""
        if not self._keys:
            await self._fetch_keys()
        if not number.isdecimal() or not 0 < int(number) <= len(self._keys):
            raise UnknownWords(text("Type the number of a key: see {keys}.", keys=typed(_KEYS)))
        return self._keys[int(number) - 1]

    async def _add_key(self) -> None:
        code: LinkCode = await self._console.request(GetLinkCode)
        address = self._console.server_address
        self._console.say(*map(render, (*link_commands(code, address), *link_terms(code, address))))

    # -- calls -----------------------------------------------------------------------------------------------

    async def _do_calls(self, rest: str) -> None:
        self._check_account()
        what, word = _meant(rest, (_AT, _CONFIRM, _STOP), _CALLS)
        if what in (_AT, _CONFIRM) and not word:
            raise TooFewWords(
                text("Type the address after it.") if what == _AT else text("Type the code after it.")
            )
        if what == _AT:
            await self._console.request(partial(OrderCalls, address=word))
            self._say_code(word)
        elif what == _CONFIRM:
            known = await self._ways()
            await self._console.request(partial(ConfirmCalls, code=word))
            self._console.say(render(confirmed(known.unconfirmed)))
        elif what == _STOP:
            await self._console.request(StopCalls)
            self._console.say(render(FORGOTTEN))
        else:
            await self._tell_calls()

    async def _ways(self) -> CallWays:
        reply: CallWays = await self._console.request(GetCalls)
        return reply

    async def _tell_calls(self) -> None:
        known = await self._ways()
        if known.unconfirmed:
            self._say_code(known.unconfirmed)
        else:
            self._console.say(render(called_at(known)))
        self._console.say(*map(render, about_calls(known)))
        if known.address or known.unconfirmed:
            self._console.say(_("{stop} has the address forgotten.", stop=typed(_CALLS, render(_STOP))))
        elif known.ways:
            address = render(text_in("typed", "ADDRESS"))
            self._console.say(_("{at} has a code sent there.", at=typed(_CALLS, render(_AT), address)))

    def _say_code(self, address: str) -> None:
        code = render(text_in("typed", "CODE"))
        self._console.say(
            _("A code is on its way to {address}: type {confirm}.", address=spelled(address),
              confirm=typed(_CALLS, render(_CONFIRM), code))
        )  # fmt: skip

    def _check_account(self) -> None:
        if not self._console.has_account:
            raise UnknownWords(GUESTS)


def _meant(rest: str, words: Sequence[Text], asked: Text) -> tuple[Text | None, str]:
    """Return the one of some words that a line begins with, and what is behind it; None for an empty line.

    Raises `UnknownWords` if it begins with another one.
    """
    first, _space, after = rest.partition(" ")
    if not first:
        return None, ""
    _how, found = meant(words_of(first), ((word, ways_of(word)) for word in words))
    if len(found) != 1:
        known = joined([typed(asked, render(word)) for word in words], is_choice=True)
        raise UnknownWords(
            text("{line} is no word here; there are {known}.", line=quoted(first), known=known)
        )
    return found[0], after.strip()
