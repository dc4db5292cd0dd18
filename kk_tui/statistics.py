"""What the matches of the past come to: for each game and each name, how often, how well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kk_core.wire.past import PastMatch


@dataclass(frozen=True)
class Standing:
    """The results of one name in one game; a win that several share is a part of one for each."""

    name: str
    bot: str | None
    played: int
    won: float
    mean: float
    best: int
    is_program: bool = False
    """Whether these are the matches that a program has played under the name."""


def standings(matches: Iterable[PastMatch]) -> list[Standing]:
    """Everybody's results, those with the most wins first.

    Matches that were played on from another one are left out: their players knew the cards.
    """
    results: dict[tuple[str, str | None, bool], list[tuple[int, float]]] = {}
    for match in matches:
        if match.replayed:
            continue
        for seat, (name, bot) in enumerate(zip(match.names, match.bots, strict=True)):
            won = 1 / len(match.winners) if seat in match.winners else 0.0
            results.setdefault((bot or name, bot, seat in match.programs), []).append(
                (match.points[seat], won)
            )
    found = [_standing(*one, played) for one, played in results.items()]
    return sorted(found, key=lambda standing: (-standing.won, -standing.mean, standing.name))


def _standing(name: str, bot: str | None, is_program: bool, played: Sequence[tuple[int, float]]) -> Standing:
    points = [points for points, _won in played]
    won = sum(won for _points, won in played)
    return Standing(name, bot, len(played), won, sum(points) / len(points), max(points), is_program)
