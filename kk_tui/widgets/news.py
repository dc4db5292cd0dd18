"""What the others have done since one's own turn, a line or two for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any

from textual.content import Content

from kk_core.types import Seat
from kk_core.wire.views import LogEntry
from kk_tui.games import Befell, Face, News
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs

_GLUE = "\ue000"
"""Stands for a blank while lines are broken."""

_INDENT = 3
"""Columns of the sign of a player, and of what follows it in further lines."""


class Gains:
    """Keeps the points that what has been gained since is counted from."""

    def __init__(self) -> None:
        self._earlier: Scene[Any] | None = None
        self._own: tuple[object, tuple[int, ...]] = (None, ())
        self._revealed: dict[int, tuple[int, ...]] = {}

    def follow(self, scene: Scene[Any]) -> None:
        """Take a new scene in."""
        earlier, self._earlier = self._earlier, scene
        recent, key = scene.match.recent(), (scene.match.commitment, scene.viewer)
        is_own = not recent or (recent[-1][1].seat == scene.viewer and not scene.stood_in)
        if is_own or self._own[0] != key:
            self._own = key, scene.observation.points
        if earlier is None or earlier.match.commitment != scene.match.commitment:
            self._revealed = {}
            return
        new = [ply for ply, entry in recent if ply >= earlier.match.ply and entry.events]
        if new:
            self._revealed[new[0]] = earlier.observation.points

    def before(self, scene: Scene[Any], face: Face[Any]) -> tuple[int, ...] | None:
        """The points at the end of the viewer's turn, or before a reveal; None where they are not known."""
        news = face.news(scene)
        if news is None:
            return self._own[1] or None
        return None if news.since is None else self._revealed.get(news.since)


def news_lines(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, before: Sequence[int] | None
) -> Iterator[Content]:
    """A line per player, who acted last first, wrapped to a width.

    `before` are the points at the end of the viewer's turn.
    """
    news = face.news(scene)
    reached = scene.observation.points if news is None or news.reached is None else news.reached
    for seat, parts in _told(scene, face, glyphs, news).items():
        if before is not None and (gain := reached[seat] - before[seat]):
            figure = f"{gain:+}"
            words = _("scored {points}", points=figure) if face.scores_rarely else figure
            parts.append(Content.styled(words, "bold $gold"))
        if parts:
            said = parts[0]
            for last, part in pairwise(parts):
                comma = " " if last.plain.endswith(" ") else ", "  # a card's ground divides, too
                said = Content.assemble(said, (comma, "$ink-dim"), part)
            sign = Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
            for line in _glued(said).wrap(max(8, width - _INDENT)):
                yield Content.assemble(sign, Content(line.plain.replace(_GLUE, " "), list(line.spans)))
                sign = Content(" " * _INDENT)


def _glued(said: Content) -> Content:
    """Words on a ground or in an ink of their own are one thing that no line breaks."""
    plain = list(said.plain)
    for span in said.spans:
        if " on " in str(span.style) or str(span.style).endswith("-ink"):
            plain[span.start : span.end] = said.plain[span.start : span.end].replace(" ", _GLUE)
    return Content("".join(plain), list(said.spans))


def _told(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, news: News | None) -> dict[Seat, list[Content]]:
    """What is told of everybody, as the game has it or ply by ply."""
    if news is not None:
        return {seat: list(parts) for seat, parts in news.told.items()}
    told = {
        seat: list(_counted(part for entry in entries for part in _parts(scene, face, entry, glyphs)))
        for seat, entries in _by_seat(scene).items()
    }
    for befell in lately_befell(scene, face):
        told.setdefault(befell.seat, []).append(Content.styled(render(befell.told), "$happened"))
    return told


def lately_befell(scene: Scene[Any], face: Face[Any]) -> list[Befell]:
    """What befell anybody from the end of the viewer's own turn on, oldest first."""
    recent = scene.match.recent()
    since = max(0, len(recent) - len(scene.just_happened()) - 1)
    return [befell for _ply, entry in recent[since:] for befell in face.befell(entry)]


def _counted(parts: Iterable[Content]) -> Iterator[Content]:
    """What was done several times in a row is told once, with how often."""
    for _words, same in groupby(parts, attrgetter("plain")):
        part, *again = same
        if again:
            times = _("twice") if len(again) == 1 else _("{n} times", n=1 + len(again))
            part = Content.assemble(part, " ", (times, "$ink-dim"))
        yield part


def _by_seat(scene: Scene[Any]) -> dict[Seat, list[LogEntry]]:
    """The newest plies, oldest first, by who made them last; one's own only while there are no others, or
    where a bot made them.
    """
    found: dict[Seat, list[LogEntry]] = {}
    for entry in scene.just_happened():
        found.setdefault(entry.seat, []).insert(0, entry)
    if scene.stood_in:
        return found
    others = {seat: entries for seat, entries in found.items() if seat != scene.viewer}
    return others or found


def _parts(scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs) -> Sequence[Content]:
    brief = face.brief(scene, entry, glyphs)
    if brief is not None:
        return [brief] if brief.plain else []
    return [Content.styled(render(sentence).rstrip("."), "$ink") for sentence in face.describe(scene, entry)]
