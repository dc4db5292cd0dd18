"""The outcome of a match in words: winners, tie-break, and what is to know of those who played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kk_core.types import Meta
from kk_tui.i18n import _, ngettext
from kk_tui.scene import Scene
from kk_tui.widgets.podium import standings


def end_words(scene: Scene[Any]) -> str:
    """Return the points of the final scoring, the best first, and the winners."""
    points, outcome = scene.observation.points, scene.observation.outcome
    placed = standings(scene.names, points, outcome)
    figures = ", ".join(f"{one.name} {one.points}" for one in placed)
    return _("Final score: {figures}. {winners}", figures=figures, winners=winner_words(scene, scene.names))


def winner_words(scene: Scene[Any], names: Sequence[str]) -> str:
    """Return who has won, under these names, or that nobody has."""
    outcome = scene.observation.outcome
    winners = outcome.winners if outcome else ()
    if not winners:
        return _("Nobody wins: points and tie-break are equal.")
    won = ", ".join(names[seat] for seat in winners)
    return ngettext("{names} wins.", "{names} share the win.", len(winners), names=won)


def outcome_notes(scene: Scene[Any], meta: Meta) -> list[str]:
    """Return how a tie was broken, who gave up, and which players are programs, as far as there are any."""
    outcome = scene.observation.outcome
    tie = outcome.tie_break if outcome else None
    lines = [_tie_words(scene, meta, tie)] if tie else []
    if gone := [scene.name(seat) for seat, holder in enumerate(scene.table.seats) if holder.has_given_up]:
        said = ngettext("{names} gave up; a bot played on.", "{names} gave up; bots played on.", len(gone),
                        names=", ".join(gone))  # fmt: skip
        lines.append(said)
    if programs := [scene.name(seat) for seat, holder in enumerate(scene.table.seats) if holder.program]:
        said = ngettext("{names} is a program.", "{names} are programs.", len(programs),
                        names=", ".join(programs))  # fmt: skip
        lines.append(said)
    return lines


def _tie_words(scene: Scene[Any], meta: Meta, figures: Sequence[int]) -> str:
    """Return who had equal points, and how the tie was broken."""
    most = max(scene.observation.points)
    tied = [seat for seat, points in enumerate(scene.observation.points) if points == most]
    compared = ", ".join(f"{scene.name(seat)} {figures[seat]}" for seat in tied)
    if meta.tie_break is None:
        return _("{points} points each; tie-break: {compared}.", points=most, compared=compared)
    return _(
        "{points} points each, so {what} are compared: {compared}.",
        points=most,
        what=meta.tie_break,
        compared=compared,
    )
