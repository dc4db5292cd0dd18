"""Events at a table: the news since the viewer's turn, the log, and the last event in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, pairwise
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec.structs import replace
from rich.cells import cell_len
from textual.content import Content

from kk_core.text import Text, text
from kk_core.types import Event, Seat
from kk_core.views import LogEntry
from kk_tui.games import Befell, Face, RevealSummary, TellOf
from kk_tui.i18n import _, ngettext, render
from kk_tui.keymap import KEYS
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explained
from kk_tui.widgets.lines import GLUE, sentence_lines, wrapped_with_glue

_BETWEEN: Final = "  "
"""Between the news of two players on one line."""

_INDENT = 3
"""Columns of the sign of a player, by which further lines are indented."""

_WORDS: Final = 26
_SENTENCE: Final = 48
"""Columns of the log from which a turn has room for words, and each sentence mostly for itself."""

_MEANING: Final = 76
"""Columns of a sentence that has room below a board of 80 columns."""

_MORE: Final = text("No room for more here; {log} shows all that has happened.", log=KEYS["log"].word)


class ScoreBaseline:
    """The points from which the gains in the news are counted."""

    def __init__(self) -> None:
        self._earlier: Scene[Any] | None = None
        self._own: tuple[object, tuple[int, ...]] = (None, ())
        self._seen: dict[int, tuple[int, ...]] = {}  # by ply
        self._revealed: dict[int, tuple[int, ...]] = {}

    def follow(self, scene: Scene[Any]) -> None:
        """Take a new scene in."""
        earlier, self._earlier = self._earlier, scene
        recent, key = scene.match.recent(), (scene.match.commitment, scene.viewer)
        is_own = not recent or (recent[-1][1].seat == scene.viewer and not scene.stood_in)
        if self._own[0] != key:
            self._seen = {}
        if is_own or self._own[0] != key:
            self._own = key, scene.observation.points
        self._seen[scene.match.ply] = scene.observation.points
        if earlier is None or earlier.match.commitment != scene.match.commitment:
            self._revealed = {}
            return
        new = [ply for ply, entry in recent if ply >= earlier.match.ply and entry.events]
        if new:
            self._revealed[new[0]] = earlier.observation.points

    def before(self, scene: Scene[Any], face: Face[Any]) -> tuple[int, ...] | None:
        """Return the points at the end of the viewer's turn, or before a reveal; None if they are unknown.

        For a spectator, they are those before the last player's turn. Where moves themselves gain points,
        they are everybody's points now without what their own moves have changed: what others' moves took
        from somebody would make their own look bad.
        """
        news = face.news(scene)
        if news is not None:
            return None if news.since is None else self._revealed.get(news.since)
        if not face.scores_rarely:
            return self._without_own_moves(scene)
        if scene.viewer is None:
            return self._seen.get(scene.match.ply - len(scene.just_happened()))
        return self._own[1] or None

    def _without_own_moves(self, scene: Scene[Any]) -> tuple[int, ...]:
        """Return everybody's points now, less the change by their latest moves if all of those were seen."""
        points, recent = scene.observation.points, scene.match.recent()
        told = recent[len(recent) - len(scene.just_happened()) :]
        gains, unseen = [0] * len(points), set[Seat]()
        for seat, plies in groupby(told, key=lambda one: one[1].seat):
            numbers = [ply for ply, _entry in plies]
            earlier, later = self._seen.get(numbers[0]), self._seen.get(numbers[-1] + 1)
            if earlier is None or later is None:
                unseen.add(seat)
            else:
                gains[seat] += later[seat] - earlier[seat]
        if not scene.stood_in and scene.viewer is not None:
            unseen.add(scene.viewer)  # who has just seen the points change beside their own name
        return tuple(
            each - (0 if seat in unseen else gain)
            for seat, (each, gain) in enumerate(zip(points, gains, strict=True))
        )


def news_lines(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, before: Sequence[int] | None
) -> Iterator[Content]:
    """Yield the news of each player in the order of their turns, wrapped to a width.

    `before` are the points at the end of the viewer's turn.
    """
    return chain.from_iterable(news_of_each(scene, face, glyphs, width, before))


def news_of_each(
    scene: Scene[Any],
    face: Face[Any],
    glyphs: Glyphs,
    width: int,
    before: Sequence[int] | None,
    *,
    is_brief: bool = False,
    in_signs: bool = False,
) -> Iterator[list[Content]]:
    """Yield the lines of each player; brief ones may be cut, so that what was gained is in front.

    Brief ones are `in_signs` where words have no room and the game has signs for what was chosen at once, or
    can tell plies by what matters most in them.
    """
    news = face.news(scene)
    if news is not None and news.in_signs is not None and in_signs:
        news = dataclasses.replace(news, briefly=news.in_signs(glyphs))
    reached = scene.observation.points if news is None or news.reached is None else news.reached
    tell = (face.tight or face.brief) if is_brief else face.brief
    tell = (in_signs and face.bare) or tell
    # clauses that would break in the middle are told in shorter ones
    gathered = face.gathered if is_brief or width < _SENTENCE else None
    for seat, parts in _told(scene, face, glyphs, news, tell, gathered, is_brief=is_brief).items():
        first = Content()
        if before is not None and (gain := reached[seat] - before[seat]):
            figure = f"{gain:+}"
            words = _("scored {points}", points=figure) if face.scores_rarely else figure
            if face.all_at_once and gain < 0 and not is_brief:  # which nobody's own choice brings about
                words = _("{points}, others now have the most", points=figure)
            if words == figure and parts and (is_brief or not face.all_at_once):
                # several plies of a turn may be cut: what they gained is in front of them
                first = Content.styled(f"{figure} ", "bold $gold")
            else:
                parts.append(Content.styled(words, "bold $gold"))
        if parts:
            parts[0] = Content.assemble(first, parts[0])
            said = (
                Content("\n").join(_each_whole(parts, width - _INDENT))
                if gathered is not None
                else _in_a_row(parts, is_tight=is_brief and face.tight is not None)
            )
            sign = Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
            meaning = text("{name}'s latest moves and gains.", name=scene.name(seat))
            lines = list[Content]()
            for line in wrapped_with_glue(_glued(said), width - _INDENT):
                lines.append(explained(Content.assemble(sign, line), meaning))
                sign = Content(" " * _INDENT)
            yield lines


def _in_a_row(parts: Sequence[Content], *, is_tight: bool) -> Content:
    """Return parts one after another, with commas between words, and elsewhere unless they are signs."""
    said = parts[0]
    for last, part in pairwise(parts):
        # signs need no comma, and the edge of a card's ground divides, too
        has_edge = _is_grounded(last) or not part.plain[0].isalpha()
        comma = " " if (is_tight and has_edge) or last.plain.endswith(" ") else ", "
        said = Content.assemble(said, (comma, "$ink-dim"), part)
    return said


def _each_whole(parts: Sequence[Content], width: int) -> list[Content]:
    """Return parts in rows, none of them begun where it has no room."""
    rows = list[Content]()
    for part in parts:
        longer = _in_a_row([rows[-1], part], is_tight=True) if rows else part
        rows = [*rows[:-1], longer] if longer.cell_length <= width else [*rows, part]
    return rows


def _is_grounded(part: Content) -> bool:
    """Return whether the end of a part is on a ground of its own."""
    return any(" on " in str(span.style) and span.end == len(part.plain) for span in part.spans)


def _glued(said: Content) -> Content:
    """Return the same with blanks that no line breaks within words on a ground or in an ink of their own."""
    plain = list(said.plain)
    for span in said.spans:
        if " on " in str(span.style) or str(span.style).endswith("-ink"):
            plain[span.start : span.end] = said.plain[span.start : span.end].replace(" ", GLUE)
    return Content("".join(plain), list(said.spans))


def _told(
    scene: Scene[Any], face: Face[Any], glyphs: Glyphs, news: RevealSummary | None, tell: Tell,
    gathered: Gathered | None, *, is_brief: bool,
) -> dict[Seat, list[Content]]:  # fmt: skip
    """Return the news by seat, as the game tells them, gathered or else ply by ply."""
    if news is not None:
        given = news.briefly if is_brief else news.told
        return {seat: list(parts) for seat, parts in given.items()}
    told = dict[Seat, list[Content]]()
    for seat, entries in _by_seat(scene).items():
        parts = (
            [part for entry in entries for part in _parts(scene, face, entry, glyphs, tell)]
            if gathered is None
            else gathered(scene, entries, glyphs, lambda words, _ply: words)
        )
        told[seat] = [*_counted(parts)]
    lately = sorted(lately_befell(scene, face), key=attrgetter("seat"))
    for seat, each in groupby(lately, key=attrgetter("seat")):
        said = (Content.styled(render(befell.told), "$happened") for befell in each)
        told.setdefault(seat, []).extend(_counted(said, how="({times})"))
    if scene.viewer is None or scene.stood_in:
        return told
    first, seats = scene.viewer + 1, len(scene.names)
    return {seat: told[seat] for seat in sorted(told, key=lambda seat: (seat - first) % seats)}


def lately_befell(scene: Scene[Any], face: Face[Any]) -> list[Befell]:
    """Return what befell anybody since the viewer's own turn, or in it as far as it has got, oldest first."""
    recent, lately = scene.match.recent(), scene.just_happened()
    is_own = bool(lately) and lately[0].seat == scene.viewer and scene.is_turn_begun and not scene.stood_in
    # the viewer's ply before these may have had others skip; the one before a turn of theirs is past
    since = max(0, len(recent) - len(lately) - (not is_own))
    return [befell for _ply, entry in recent[since:] for befell in face.befell(entry)]


def _counted(parts: Iterable[Content], how: str = "{times}") -> Iterator[Content]:
    """Join equal words in a row into one, with their number; after a whole clause it stands in brackets."""
    for _words, same in groupby(parts, attrgetter("plain")):
        part, *again = same
        if again:
            times = _("twice") if len(again) == 1 else _("{n} times", n=1 + len(again))
            part = Content.assemble(part, " ", (how.format(times=times), "$ink-dim"))
        yield part


def _by_seat(scene: Scene[Any]) -> dict[Seat, list[LogEntry]]:
    """Return the newest plies by seat, oldest first, whoever acted first in front."""
    found: dict[Seat, list[LogEntry]] = {}
    for entry in reversed(scene.just_happened()):
        found.setdefault(entry.seat, []).append(entry)
    # the viewer's own are no news, unless a stand-in made them or there are no others
    if scene.stood_in:
        return found
    others = {seat: entries for seat, entries in found.items() if seat != scene.viewer}
    return others or found


Tell: TypeAlias = Callable[[Scene[Any], LogEntry, Glyphs], Content | None]
"""Tells of a ply in a few words or signs."""

Gathered: TypeAlias = Callable[[Scene[Any], Sequence[LogEntry], Glyphs, TellOf], Sequence[Content]]
"""Tells of all plies of a seat, a part for each kind of thing that it did."""


def _parts(
    scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs, tell: Tell
) -> Sequence[Content]:
    brief = tell(scene, entry, glyphs)
    if brief is not None:
        return [brief] if brief.plain else []
    return [Content.styled(render(sentence).rstrip("."), "$ink") for sentence in face.describe(scene, entry)]


def _abreast(lines: Iterable[Content], width: int) -> list[Content]:
    """Return lines one after another, as many on each as have room."""
    rows = list[Content]()
    for line in lines:
        if rows and rows[-1].cell_length + len(_BETWEEN) + line.cell_length <= width:
            rows[-1] = Content.assemble(rows[-1], _BETWEEN, line)
        else:
            rows.append(line)
    return rows


def cut_news(each: Sequence[Sequence[Content]], room: int, width: int, glyphs: Glyphs) -> list[Content]:
    """Return the beginning of everybody's news, or where even that has no room, how many are left out.

    Before any are left out, those of several players stand on a line, if they have room there.
    """
    if len(each) > room:
        abreast = _abreast([lines[0] for lines in each], width)
        if len(abreast) <= room and all(len(lines) == 1 for lines in each):
            return abreast
        left = len(each) - room + 1
        more = (ngettext("{n} more", "{n} more", left), "$ink-dim")
        rest = Content.assemble((f"{glyphs['down']}  ", "$gold"), more)
        return [*cut_news(each[: room - 1], room - 1, width, glyphs), explained(rest, _MORE)]
    rows = [1] * len(each)
    longer = [seat for seat, lines in enumerate(each) if len(lines) > 1]
    while longer and sum(rows) < room:
        shortest = min(longer, key=lambda place: rows[place])
        rows[shortest] += 1
        longer = [place for place in longer if rows[place] < len(each[place])]
    cut = explained((glyphs["ellipsis"], "$ink-dim"), _MORE)
    shown = list[Content]()
    for lines, share in zip(each, rows, strict=True):
        *first, last = lines[:share]
        is_cut = share < len(lines)
        shown += [*first, Content.assemble(last.truncate(width - 1), cut) if is_cut else last]
    return shown


def log_lines(scene: Scene[Any], face: Face[Any], glyphs: Glyphs, width: int, room: int) -> list[Content]:
    """Return the log, oldest first, each turn or sentence with the sign of its player, in lines of a width.

    Turns are told in the words of the news, or in few columns in signs, unless sentences have room. Between
    two rounds is a line. It ends with free lines, so that the last `room` rows begin with the first line of
    an entry.
    """
    tell = _log_in_sentences if width >= _SENTENCE else _brief_log
    entries = list[list[Content]]()
    for plies in _rounds(face, [entry for _ply, entry in scene.match.recent()]):
        if entries:
            line = Content.styled(glyphs["h"] * width, "$ink-line")
            entries.append([explained(line, text("From the log: here a new round begins."))])
        entries += tell(scene, face, plies, glyphs, width)
    lines = list(chain.from_iterable(entries))
    seen = max((n for n in accumulate(map(len, reversed(entries))) if n <= room), default=room)
    return lines if len(lines) <= room else [*lines, *[Content()] * (room - seen)]


class _Part(NamedTuple):
    """A ply without those of its events that belong to the next round, or these alone."""

    ply: LogEntry
    events: tuple[Event, ...]
    has_move: bool = True

    @property
    def entry(self) -> LogEntry:
        """The part as an entry of the log."""
        return replace(self.ply, move=self.ply.move if self.has_move else None, events=self.events)


def _rounds(face: Face[Any], entries: Iterable[LogEntry]) -> Iterator[list[_Part]]:
    """Yield the plies of each round; all of them at once if everybody acts at the same time.

    Seats that are passed over have had their turns, too: the first of them can begin a round.
    """
    parts = list[_Part]()
    last: Seat = 0
    for entry in entries:
        if parts and entry.seat < last and not face.all_at_once:
            yield parts
            parts = []
        begins = None if face.all_at_once else _round_begins_in(face, entry)
        parts.append(_Part(entry, entry.events[:begins]))
        if begins is not None:
            yield parts
            parts = [_Part(entry, entry.events[begins:], has_move=False)]
        passed_over = face.befell(entry)
        last = passed_over[-1].seat if passed_over else entry.seat
    if parts:
        yield parts


def _round_begins_in(face: Face[Any], entry: LogEntry) -> int | None:
    """Return the first event of a ply that befell a seat before its own; None if there is none."""
    if all(befell.seat >= entry.seat for befell in face.befell(entry)):
        return None
    for number, event in enumerate(entry.events):
        if any(befell.seat < entry.seat for befell in face.befell(replace(entry, events=(event,)))):
            return number
    return None


def _log_in_sentences(
    scene: Scene[Any], face: Face[Any], parts: Iterable[_Part], glyphs: Glyphs, width: int
) -> Iterator[list[Content]]:
    for part in parts:
        yield list(entry_lines(scene, face, part.entry, glyphs, width))


def _brief_log(
    scene: Scene[Any], face: Face[Any], parts: Iterable[_Part], glyphs: Glyphs, width: int
) -> Iterator[list[Content]]:
    """Yield the lines of each turn, or of each thing that a ply led to, in a few words."""
    is_brief = width < _WORDS
    tell = (face.tight or face.brief) if is_brief else face.brief

    def in_full(words: Content, ply: LogEntry) -> Content:
        return explained(words, partial(_in_full, scene, face, ply))

    for (seat, has_moves), turn in groupby(parts, lambda part: (part.ply.seat, part.has_move)):
        plies = [*turn]
        if face.log is not None:
            for of, said in chain.from_iterable(face.log(scene, part.entry, glyphs) for part in plies):
                yield _marked(scene, of, said, glyphs, width)
            continue
        if is_brief and face.gathered is not None:
            told = face.gathered(scene, [part.ply for part in plies if has_moves], glyphs, in_full)
        else:
            told = [
                in_full(words, part.ply) if words else words
                for part in plies
                if has_moves
                for words in _parts(scene, face, part.ply, glyphs, tell)
            ]
        if counted := [*_counted(told)]:
            if is_brief and face.gathered is not None:
                said = Content("\n").join(_each_whole(counted, width - _INDENT))
            else:
                said = _in_a_row(counted, is_tight=is_brief and face.tight is not None)
            yield _marked(scene, seat, said, glyphs, width)
        for befell in chain.from_iterable(face.befell(part.entry) for part in plies):
            words = Content.styled(render(befell.told), "$happened")
            yield _marked(scene, befell.seat, words, glyphs, width)


def _marked(scene: Scene[Any], seat: Seat | None, said: Content, glyphs: Glyphs, width: int) -> list[Content]:
    """Return what a seat did in lines of a width, the first of them with its sign; of no seat without one."""
    sign, meaning = Content(" " * _INDENT), text("From the log: what happened at the table.")
    if seat is not None:
        sign = Content.styled(f"{glyphs.owner(seat)} ", f"bold $seat-{seat}")
        meaning = _of_log(scene, seat)
    lines = list[Content]()
    for line in wrapped_with_glue(_glued(said), width - _INDENT):
        lines.append(explained(Content.assemble(sign, line), meaning))
        sign = Content(" " * _INDENT)
    return lines


def _in_full(scene: Scene[Any], face: Face[Any], entry: LogEntry) -> Text:
    """Return the sentence of a ply, or whose it is if that is too long to be shown at once."""
    said = next(iter(face.describe(scene, entry)), None)
    return said if said is not None and cell_len(render(said)) <= _MEANING else _of_log(scene, entry.seat)


def _of_log(scene: Scene[Any], seat: Seat) -> Text:
    return text("From the log: what {name} did, and what it led to.", name=scene.name(seat))


def entry_lines(
    scene: Scene[Any], face: Face[Any], entry: LogEntry, glyphs: Glyphs, width: int
) -> Iterator[Content]:
    """Yield the sentences of one ply, in lines of a width, with the sign of its player."""
    sign = Content.styled(f"{glyphs.owner(entry.seat)} ", f"bold $seat-{entry.seat}")
    # without its move, which is secret or told before the round began, only events are left, which may be
    # those of others
    if entry.move is None:
        sign = Content("   ")
    meaning = _of_log(scene, entry.seat)
    for number, sentence in enumerate(face.describe(scene, entry)):
        style = "$ink" if number == 0 else "$ink-dim"
        for line in sentence_lines(sentence, style, width - 3):
            yield explained(Content.assemble(sign, line), meaning)
            sign = Content("   ")


def waiting_for(scene: Scene[Any]) -> str:
    """Return the names of those whose turn it is."""
    return ", ".join(scene.name(seat) for seat in scene.observation.active)


def last_words(scene: Scene[Any], face: Face[Any], width: int, before: str = "") -> str:
    """Return the last event and, if the width allows, the names of those whose turn it is.

    `before` is put in front of it in any case.
    """
    if before:
        return f"{before} {last_words(scene, face, width - cell_len(before) - 1)}"
    recent, names = scene.match.recent(), waiting_for(scene)
    own = [befell.to_viewer for befell in lately_befell(scene, face) if befell.seat == scene.viewer]
    said: Sequence[Text] = own
    if recent and not own:
        said = face.describe(scene, recent[-1][1])
    if not said:
        return _("Waiting for {names}.", names=names)
    last = render(said[0])
    if scene.observation.active == (recent[-1][1].seat,) and not own:
        return last
    both = _("{last} - waiting for {names}.", last=last.rstrip("."), names=names)
    return both if cell_len(both) <= width else last
