"""The news of a table, as lines: each change told once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kk_core.text import Text
from kk_core.views import ChatLine, LogEntry, PlaceView, SeatView, TableView
from kk_tui.chat import ChatReader, said
from kk_tui.games import Face
from kk_tui.games.plain import plain_face
from kk_tui.i18n import _, ngettext, render, typed
from kk_tui.plain import phrases
from kk_tui.plain.lesson import LessonNews
from kk_tui.scene import Scene
from kk_tui.server_address import ServerAddress
from kk_tui.table_words import DATABASE_WAITS, proposal_words

_REMEMBERED: Final = 8
"""Sentences for everybody at a table that are remembered, so that none is told twice."""


class News:
    """Remembers what one reader has been told of the place where they are."""

    def __init__(self, chat_reader: ChatReader, *, local: bool) -> None:
        self._chat_reader = chat_reader
        self._local = local
        self._lesson = LessonNews()
        self.user = ""
        """The user who reads, once known."""
        self.server_address = ServerAddress()
        """Where others reach the server, once known."""
        self._place = ""
        self._chat = 0
        self._seats: Sequence[SeatView] = ()
        self._proposal: Text | None = None
        self._waits = False
        self._notes: deque[Text | str] = deque(maxlen=_REMEMBERED)
        self._notices: deque[Text | str] = deque(maxlen=_REMEMBERED)
        self._match: tuple[str, bytes] | None = None
        self._scene: Scene[Any] | None = None
        self._told: dict[int, LogEntry] = {}
        self._ended: object = None
        self._turn: object = None
        self._asked = ""
        self._is_again = False
        self._waited: tuple[int, ...] = ()
        self._is_guided = False
        self.has_ended = False
        """True if the last news were that a match of the user's has ended."""

    def follow(self, place: PlaceView, scene: Scene[Any] | None, face: Face[Any] | None) -> Iterator[str]:
        """Yield what is new in a view of the place; of another place than before, nothing but its match."""
        self.has_ended = False
        is_here = isinstance(place, TableView) and place.id == self._place
        if isinstance(place, TableView):
            yield from self._chat_lines(place.chat.said, place.chat.recent(), is_here=is_here)
            yield from self._table(place, is_here=is_here)
        else:
            is_here = self._place == ""
            yield from self._chat_lines(place.chat.said, place.chat.recent(), is_here=is_here)
            self._place, self._match, self._lesson = "", None, LessonNews()
        if scene is not None and face is not None:
            yield from self._match_lines(scene, face, is_here=is_here)

    def _chat_lines(self, total: int, recent: Sequence[ChatLine], *, is_here: bool) -> Iterator[str]:
        new = total - self._chat if is_here else 0
        self._chat = total
        for line in recent[len(recent) - min(new, len(recent)) :]:
            is_told = not line.user and self._is_told(line.words, self._notices, self._notes)
            if not is_told and self._chat_reader.hears(line):
                yield said(line).plain

    def notice(self, sentence: Text) -> Iterator[str]:
        """Yield a notice, unless the chat has said the same."""
        if not self._is_told(sentence, self._notes, self._notices):
            yield notice_words(sentence)

    def call(self, sentence: Text, *, is_at_table: bool) -> Iterator[str]:
        """Yield likewise a call to another table, and what leads there from the lobby or from a table."""
        for called in self.notice(sentence):
            join, leave = typed(phrases.JOIN), typed(phrases.LEAVE)
            if is_at_table:
                yield _("{call} {leave} and then {join} take you there.", call=called, leave=leave, join=join)
            else:
                yield _("{call} {key} goes there.", call=called, key=join)

    @staticmethod
    def _is_told(sentence: Text | str, others: deque[Text | str], own: deque[Text | str]) -> bool:
        """Return whether a sentence, which comes in two ways, was told when it came in the other one."""
        if sentence in others:
            others.remove(sentence)
            return True
        own.append(sentence)
        return False

    def _table(self, table: TableView, *, is_here: bool) -> Iterator[str]:
        before, self._seats = self._seats, table.seats
        proposal = None if table.proposal is None else proposal_words(table, table.proposal)
        asked, self._proposal = self._proposal, proposal
        self._place = table.id
        waited, self._waits = self._waits and is_here, table.waits and not self._local
        if self._waits and not waited:
            yield render(DATABASE_WAITS)
        elif waited and not self._waits:
            yield _("The database answers again, and the table goes on.")
        if is_here and len(before) == len(table.seats):
            yield from self._seat_lines(before, table)
        if proposal is not None and proposal != asked and table.proposal is not None:
            yield phrases.proposed(table, table.proposal, self.user)

    def _seat_lines(self, before: Sequence[SeatView], table: TableView) -> Iterator[str]:
        """Yield who has sat down or stood up, and who of those that sit here has gone or come back."""
        pairs = list(enumerate(zip(before, table.seats, strict=True), 1))
        changed = [(n, now) for n, (was, now) in pairs if _holder(was) != _holder(now)]
        if table.phase != "playing" and len(changed) > 1:
            yield phrases.seats(table)
        elif table.phase != "playing":
            yield from (phrases.seat_taken(n, now, self.user) for n, now in changed)
        was_here: dict[str | None, SeatView] = {
            one.owner: one for one in reversed(before) if one.owner not in (None, self.user)
        }
        for owner, seat in {one.owner: one for one in reversed(table.seats)}.items():
            was = was_here.get(owner)
            if was is None or was.online == seat.online:
                continue
            if not seat.online:
                yield _("{name} is no longer online.", name=seat.name)
            elif not was.stand_in:  # where a bot has played for them, all are told who plays again
                yield _("{name} is online again.", name=seat.name)

    def _match_lines(self, scene: Scene[Any], face: Face[Any], *, is_here: bool) -> Iterator[str]:
        match = scene.match
        is_new, was_told = scene.match_key != self._match, self._told
        self._match, self._told = scene.match_key, dict(match.recent())
        before, self._scene = self._scene, scene
        if is_new:
            was_told = {} if is_here else self._told
        elif before is not None and before.viewer != scene.viewer:
            was_told = self._told  # other eyes see the same steps, each maybe without what is secret to them
        if is_new or before is None or before.viewer != scene.viewer:
            self._ended = self._turn = None
        if is_new and is_here:
            yield _("The match begins.")
            if not self._is_guided and scene.viewer is not None and scene.table.lesson is None:
                self._is_guided = True
                yield phrases.first_words()
        same = _same(was_told, self._told)
        if taken := [entry for ply, entry in was_told.items() if ply >= same]:
            yield _taken_back(scene, taken)
            self._asked = ""  # there is something to choose again
            # a turn that was over already is begun again
            self._is_again = before is not None and not before.may_act and scene.viewer == taken[0].seat
        # nor if steps between are missing: what was known then may have changed
        first = min(self._told, default=0)
        is_known = before is not None and not is_new and first <= before.match.ply <= same
        for ply, entry in self._told.items():
            if ply >= same:
                yield from phrases.entry_lines(scene, face, ply, entry, before if is_known else None)
        if before is not None and not is_new and before.viewer == scene.viewer and not scene.is_over:
            yield from map(render, plain_face(match.game).news(before, scene))
        if scene.is_over:
            is_told, self._ended = self._ended == scene.position, scene.position
            if is_here and not is_told:
                yield from phrases.outcome(scene, face)
                self.has_ended = any(seat.owner == self.user for seat in scene.table.seats)
                yield from phrases.after_match(scene.table, self.user, self.server_address)
        elif scene.table.lesson is None:
            yield from self._turn_lines(scene, face)
        yield from self._lesson.follow(scene, face)

    def _turn_lines(self, scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
        """Yield what is to be done, at each step of the viewer, or once who is awaited."""
        active, turn = scene.observation.active, (scene.match_key, scene.match.turn_start)
        if scene.may_act:
            is_new = self._turn != turn
            asked = phrases.prompt(scene, face, plain_face(scene.match.game))
            # others who choose at the same moment are no reason to ask again
            if self._is_again:
                yield _("It's your turn again. {what}", what=asked)
            elif is_new:
                yield _("Your turn. {what}", what=asked)
            elif asked != self._asked:
                yield asked
            self._turn, self._asked, self._waited, self._is_again = turn, asked, (), False
        elif active != self._waited and not all(scene.table.seats[seat].bot for seat in active):
            self._waited = active
            yield phrases.whose_turn(scene, self.user)


def _taken_back(scene: Scene[Any], taken: Sequence[LogEntry]) -> str:
    """Return that steps were taken back, and whose if they were all of one player."""
    if len({entry.seat for entry in taken}) > 1:
        return ngettext("{n} step was taken back.", "{n} steps were taken back.", len(taken))
    name = scene.name(taken[0].seat)
    return ngettext("{name} takes {n} step back.", "{name} takes {n} steps back.", len(taken), name=name)


def _same(before: dict[int, LogEntry], now: dict[int, LogEntry]) -> int:
    """Return the first ply that is another one than before, or new."""
    ply = min(now, default=0) if not before else max(min(now, default=0), min(before))
    while ply in before and ply in now and _is_same(before[ply], now[ply]):
        ply += 1
    return ply


def _is_same(before: LogEntry, now: LogEntry) -> bool:
    # a secret choice is told when it is revealed, by the events of a later ply
    return before.seat == now.seat and before.move in (None, now.move)


def _holder(seat: SeatView) -> tuple[str | None, ...]:
    """Return who has a seat, and under which name; no names for nobody."""
    return seat.owner, seat.bot, seat.name if seat.owner or seat.bot else None


def notice_words(sentence: Text) -> str:
    """Return a notice as a line that nobody can say."""
    return f"* {render(sentence)}"
