"""What a match between several people tells of how well each of them plays (Plackett-Luce, by openskill)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import msgspec

from kk_core.types import Seat
from kk_core.wire.ratings import SETTLED, RatingView
from server.storage.entries import Ended

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

MEAN: Final = 1500.0
"""Of somebody of whom nothing is known yet."""

DEVIATION: Final = 500.0
"""How far off that may be; a win against one who is half of it better or worse is then nothing strange."""


class Rating(msgspec.Struct, frozen=True):
    """What is known of an account in one game: how well it plays, and from how much.

    `won` counts wins; one that several share is a part of one for each.
    """

    mean: float = MEAN
    deviation: float = DEVIATION
    played: int = 0
    won: float = 0.0

    @property
    def shown(self) -> int:
        """The number that people see."""
        return round(self.mean)

    def view(self, before: Rating | None = None) -> RatingView:
        """As people see it; with the change from how it was `before` a match."""
        change = None if before is None else self.shown - before.shown
        return RatingView(self.shown, self.played >= SETTLED, change)


def places(ended: Ended) -> list[int]:
    """The place of every seat, from 1, which several can share; who has given up is behind all others."""

    def worth(seat: Seat) -> tuple[bool, bool, int]:
        return ended.seats[seat].has_given_up, seat not in ended.winners, -ended.points[seat]

    order = sorted(range(len(ended.seats)), key=worth)
    found: dict[Seat, int] = {}
    for place, seat in enumerate(order, 1):
        before = order[place - 2]
        found[seat] = found[before] if place > 1 and worth(before) == worth(seat) else place
    return [found[seat] for seat in range(len(order))]


def rated(before: Sequence[Rating], ended: Ended) -> list[Rating]:
    """What is known of all who sat there after a match, by the order of the seats."""
    model, ranks = _model(), places(ended)
    teams = [[model.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    after = model.rate(teams, ranks=[float(rank) for rank in ranks])
    return [
        Rating(player.mu, player.sigma, rating.played + 1, rating.won + ended.share_of_win(seat))
        for seat, ((player,), rating) in enumerate(zip(after, before, strict=True))
    ]


@cache
def _model() -> PlackettLuce:
    """In the proportions of openskill: a sixth of the mean, a third of that, and a hundredth for drift.

    Imported when the first match is rated: that takes as long as the rest of a start at home.
    """
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MEAN, sigma=DEVIATION, beta=DEVIATION / 2, tau=DEVIATION / 100)
