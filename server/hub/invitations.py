"""Invitations: codes that lead to tables which are not for everybody."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Final, Protocol, TypeVar

from kk_core.text import Text, text
from kk_core.wire.codes import INVITATION_LENGTH, bare_code, codes_in
from server.accounts.codes import new_code
from server.hub.limits import LimitReached, Limits, TokenBuckets
from server.hub.place import NotPossible

_TOO_MANY: Final = text("Too many codes were tried; please wait a minute.")
UNHEARD: Final = text("Nobody heard this line: whoever reads the code in it could use it.")
UNNAMED: Final = text("This cannot be a name: whoever reads the code in it could use it.")
UNTITLED: Final = text("This cannot be a title: everybody reads it, and could use the code in it.")


class Inviting(Protocol):
    """What has a code."""

    @property
    def code(self) -> str | None:
        """The code that leads there; None where everybody may come."""
        ...


T = TypeVar("T", bound=Inviting)


class Invitations:
    """Makes codes, and finds what they lead to; who tries out many has to wait."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self.use(limits)

    def use(self, limits: Limits) -> None:
        """Count by other limits from now on.

        There are 882 million codes: whoever comes hundredfold tries for days, and keeps nobody else from a
        right one.
        """
        self._tries = TokenBuckets(limits.codes_per_minute / 60, limits.codes_at_once, self._clock)

    def new(self) -> str:
        """A code such as K3RTZW, of letters and digits that are not mistaken for each other."""
        return new_code(INVITATION_LENGTH)

    def find(self, user: str, raw: str, tables: Iterable[T]) -> T:
        """What a code leads to that somebody has typed. Raises `KkError`."""
        if not self._tries.take(user):
            raise LimitReached(_TOO_MANY)
        code = bare_code(raw).encode(errors="replace")
        for table in tables:
            if table.code is not None and hmac.compare_digest(table.code.encode(), code):
                self._tries.put_back(user)
                return table
        raise NotPossible(text("No table here has this code: it may be mistyped, or its table is gone."))

    def check_said(
        self, user: str, line: str, tables: Iterable[Inviting], is_link: Callable[[str], bool],
        refusal: Text,
    ) -> None:  # fmt: skip
        """Refuse to have others hear or read a line with a code that leads somewhere, or links a key.

        What may be one counts as a try, so that nobody finds codes in this way. Raises `KkError`.
        """
        for code in codes_in(line):
            if not self._tries.take(user):
                raise LimitReached(_TOO_MANY)
            if is_link(code) or any(table.code == code for table in tables):
                self._tries.put_back(user)
                raise NotPossible(refusal)
