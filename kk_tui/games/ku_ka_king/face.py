"""The face of Ku-Ka-King: the single value that the app uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from kk_core.games.ku_ka_king import notation
from kk_core.games.ku_ka_king.model import (
    LINES,
    META,
    NO_CALL,
    AnyEvent,
    Clashed,
    Filled,
    FirstScored,
    Observation,
    Revealed,
    RoundOver,
    Taken,
    read_event,
)
from kk_core.games.ku_ka_king.notation import first_points
from kk_core.text import Text, text, texts
from kk_core.types import Seat, Viewer
from kk_core.views import LogEntry
from kk_tui.games import Face, RevealSummary, SheetEntry
from kk_tui.games.ku_ka_king import panels, reveal
from kk_tui.games.ku_ka_king.board import GROUNDS, KuKaKingBoard, collection_block
from kk_tui.games.ku_ka_king.cover import DRAWN, cover
from kk_tui.games.ku_ka_king.meaning import explain_status
from kk_tui.games.ku_ka_king.motion import motion
from kk_tui.games.ku_ka_king.scoring_animation import scoring_animation
from kk_tui.games.ku_ka_king.theme import (
    COLOURS,
    FINAL_NAMES,
    FIRST_NAMES,
    GLYPHS,
    LINE_NAMES,
    SHEET_CODES,
    SHORT_NAMES,
    group,
    group_variable,
    line_name,
    sign,
)
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explained


def brief(_scene: Scene[Observation], entry: LogEntry, _glyphs: Glyphs) -> Content:
    """Return what was called; nothing while the call is secret."""
    return Content() if entry.move is None else Content(_("called row {row}", row=entry.move))


def log(scene: Scene[Observation], entry: LogEntry, glyphs: Glyphs) -> Iterator[tuple[Seat | None, Content]]:
    """Yield whose calls were revealed and what each brought, or the viewer's own call before that."""
    if entry.move is not None and not _is_revealed(scene, entry):
        yield entry.seat, Content(_("called row {row}", row=entry.move))
    for event in entry.events:
        match read_event(event):
            case Revealed(rows):
                called = [
                    Content.styled(f"{glyphs.owner(seat)}{row}", f"$seat-{seat}")
                    for seat, row in enumerate(rows)
                    if row != NO_CALL
                ]
                yield None, Content(" ").join(called)
            case Taken(seat, row, cards):
                yield seat, _took_briefly(row, cards)
            case Clashed(row, seats, card):
                for seat in seats:
                    yield seat, _clashed_briefly(row, card)
            case FirstScored(cards):
                for seat, points in enumerate(first_points(scene.observation)):
                    yield seat, Content.styled(_("scored {points}", points=points), "bold $gold")
                yield None, Content.styled(render(notation.went_back(cards)), "$ink-dim")
            case RoundOver():
                yield None, Content.styled(_("round over"), "$ink-dim")
            case Filled():
                pass
            case _:
                yield None, Content.styled(render(notation.describe_event(scene.names, event)), "$happened")


def _is_revealed(scene: Scene[Observation], entry: LogEntry) -> bool:
    """Return whether a call has been revealed, by its own ply or a later one."""
    entries = [other for _ply, other in scene.match.recent()]
    later = entries[entries.index(entry) :]
    return any(isinstance(read_event(event), Revealed) for other in later for event in other.events)


def _short(card: int) -> Content:
    """Return a card's short name in its colour."""
    return Content.styled(render(SHORT_NAMES[card]), f"${group_variable(group(card))}-ink")


def _took_briefly(row: int, cards: bytes, told: Callable[[int], Content] = _short) -> Content:
    return Content.assemble((f"{row}: ", "$ink-dim"), Content(" ").join(map(told, cards)))


def _clashed_briefly(row: int, card: int, told: Callable[[int], Content] = _short) -> Content:
    return Content.assemble((_("clash {row}:", row=row), "$happened"), " ", told(card))


def _signed(card: int, glyphs: Glyphs) -> Content:
    """Return a card's sign on its colour, as collections show it."""
    return Content.styled(sign(card, glyphs), f"$ku_ka_king-card-ink on ${group_variable(group(card))}")


def news(scene: Scene[Observation]) -> RevealSummary:
    """Return everybody's gains in the round of the last reveal that the viewer took part in."""
    told: dict[Seat, list[Content]] = {}
    reached: Sequence[int] | None = None
    since, entries = _since(scene)
    events = [read_event(event) for entry in entries for event in entry.events]
    for event in events:
        match event:
            case FirstScored():  # from then on kept cards count again, which is no gain of this reveal
                reached = first_points(scene.observation)
            case Taken(seat, row, cards):
                told.setdefault(seat, []).extend(_took(row, cards))
            case Clashed(row, seats, card):
                for seat in seats:
                    is_own = scene.viewer is not None and scene.viewer in seats
                    told.setdefault(seat, []).append(_clashed(row, card, is_own=is_own))
    # viewers know their own cards
    each = {seat: told[seat] for seat in sorted(told) if seat != scene.viewer}
    return RevealSummary(
        since,
        each,
        _briefly(events, each, _short),
        lambda glyphs: _briefly(events, each, lambda card: _signed(card, glyphs)),
        reached,
    )


def _briefly(
    events: Sequence[AnyEvent], seats: Iterable[Seat], told: Callable[[int], Content]
) -> dict[Seat, list[Content]]:
    """Return what matters most for each seat: what it took, or where nothing, the clashes it was in."""
    took, clashed = dict[Seat, Content](), dict[Seat, list[Content]]()
    for event in events:
        match event:
            case Taken(seat, row, cards):
                took[seat] = _took_briefly(row, cards, told)
            case Clashed(row, seats_in_it, card):
                for seat in seats_in_it:
                    clashed.setdefault(seat, []).append(_clashed_briefly(row, card, told))
    return {seat: [took[seat]] if seat in took else clashed[seat] for seat in seats}


def _since(scene: Scene[Observation]) -> tuple[int | None, list[LogEntry]]:
    """Return the ply of the reveal that the news starts with, and the plies from there on; none before it.

    It is the first of its round: who clashed and called again has not seen what others took meanwhile.
    """
    log = [(ply, entry) for ply, entry in scene.match.recent() if entry.events]
    last = max((ply for ply, entry in log if _has_part(entry, scene.viewer)), default=None)
    if last is None:
        return None, []
    ended = max((ply for ply, entry in log if ply < last and _ends_round(entry)), default=-1)
    round_ = [(ply, entry) for ply, entry in log if ply > ended]
    return round_[0][0], [entry for _ply, entry in round_]


def _ends_round(entry: LogEntry) -> bool:
    return any(isinstance(read_event(event), RoundOver) for event in entry.events)


def _has_part(entry: LogEntry, viewer: Viewer) -> bool:
    """Return whether a reveal shows a call of the viewer; for a spectator every one counts."""
    calls = [event.calls for event in map(read_event, entry.events) if isinstance(event, Revealed)]
    return any(viewer is None or call[viewer] != NO_CALL for call in calls)


def _took(row: int, cards: bytes) -> Iterator[Content]:
    """Yield the row, and in their colours the cards that were in it."""
    first, *others = map(_short, cards)
    yield Content.assemble(Content(_("row {row}:", row=row)), " ", first)
    yield from others


_LOST: Final = "\0"
"""Where the coloured name of a lost card goes."""


def _clashed(row: int, card: int, *, is_own: bool) -> Content:
    """Return the row that somebody called in vain, maybe with the viewer, and in its colour the card that
    this cost.
    """
    lost = Content.styled(render(SHORT_NAMES[card]), f"${group_variable(group(card))}-ink")
    if is_own:
        said = _("clash with you in row {row} (lost: {card})", row=row, card=_LOST)
    else:
        said = _("clash in row {row} (lost: {card})", row=row, card=_LOST)
    return lost.join(map(Content, said.split(_LOST)))


_LABEL: Final = 12
_COLUMN: Final = 16
"""Columns of a label, and of each seat."""

_AMPLE: Final = 99
"""Lines in which all collections have room, with a free one between them."""

_FREE: Final = 3
"""Columns left blank before a seat's name, which starts above its first scoring."""


class KuKaKingScoreChart(Widget):
    """Both scorings, and below them what everybody has collected, if there is room for it."""

    DEFAULT_CSS = "KuKaKingScoreChart { width: auto; height: 1fr; }"

    def __init__(self, scene: Scene[Observation], glyphs: Glyphs) -> None:
        super().__init__()
        self._scene = scene
        self._glyphs = glyphs
        self._chart = [*chart_lines(scene, glyphs)]
        self.styles.min_height = len(self._chart)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the columns of the chart."""
        return self._chart[0].cell_length

    def render(self) -> Content:
        """Return the text for the current height."""
        room = self.size.height - len(self._chart) - 1
        collected = [*collected_lines(self._scene, self._glyphs, self.size.width, room)]
        return Content("\n").join([*self._chart, *([Content(), *collected] if collected else [])])


def collected_lines(scene: Scene[Observation], glyphs: Glyphs, width: int, room: int) -> Iterator[Content]:
    """Yield everybody's cards beside the names, or around them if that takes fewer lines; none if there is
    no room for all of them.
    """
    blocks = [collection_block(scene, width, _AMPLE, glyphs, hangs=hangs) for hangs in (False, True)]
    spaced = min(blocks, key=len)[:-1]  # without the free line at the end
    forms = (spaced, [line for line in spaced if line])
    for line in next((lines for lines in forms if len(lines) <= room), ()):
        yield Content.assemble(*((words, _style(colour, is_bold=is_bold)) for words, colour, is_bold in line))


def _style(colour: str, *, is_bold: bool) -> str:
    ink = f"$ku_ka_king-card-ink on ${colour}" if colour in GROUNDS else f"${colour}"
    return f"bold {ink}" if is_bold else ink


def chart_lines(scene: Scene[Observation], glyphs: Glyphs) -> Iterable[Content]:
    """Yield both scorings side by side, line by line, with sums; the highest scores of each are bold."""
    view, count, seats = scene.observation, len(LINES), range(len(scene.names))
    first, final = view.sheet[:count], view.sheet[count:]
    ruler = Content.styled(glyphs["h"] * (_LABEL + _COLUMN * len(seats)), "$ink-line")
    heads = [(_head(scene, seat, glyphs), f"bold $seat-{seat}") for seat in seats]
    yield Content.assemble(" " * _LABEL, *heads)
    half = _COLUMN // 2
    yield Content.assemble(
        " " * _LABEL, *[(_("first").rjust(half) + _("final").rjust(half), "$ink-dim")] * len(seats)
    )
    for line, label, *rows in zip(LINES, LINE_NAMES, first, final, strict=True):
        name = f" {render(label)}"
        ground = f"$country-ink on ${group_variable(line)}"
        yield Content.assemble((set_cell_size(name, _LABEL), ground), *_pairs(rows))
    sums = [tuple(sum(column) for column in zip(*rows, strict=True)) for rows in (first, final)]
    yield ruler
    yield Content.assemble((set_cell_size(" " + _("Subtotal"), _LABEL), "$ink"), *_pairs(sums))
    totals = [(f"{points:>{_COLUMN}}", f"bold $seat-{seat}") for seat, points in enumerate(view.points)]
    yield Content.assemble((set_cell_size(" " + _("Total"), _LABEL), "bold $gold"), *totals)


def _pairs(rows: Sequence[Sequence[int]]) -> Iterator[tuple[str, str]]:
    """Yield each seat's points in both scorings; zeros are faint."""
    for seat, pair in enumerate(zip(*rows, strict=True)):
        for points, row in zip(pair, rows, strict=True):
            weight = "bold " if points == max(row) else ""
            yield f"{points:>{_COLUMN // 2}}", f"{weight}$seat-{seat}" if points else "$ink-dim"


def _head(scene: Scene[Observation], seat: Seat, glyphs: Glyphs) -> str:
    """Return sign and name above both columns of a seat."""
    owner = glyphs.owner(seat)
    room = _COLUMN - _FREE - cell_len(owner) - 1
    name = Content(scene.names[seat]).truncate(room, ellipsis=not glyphs.ascii_only).plain
    return set_cell_size(f"{' ' * _FREE}{owner} {name}", _COLUMN)


def person(scene: Scene[Observation], seat: Seat, _glyphs: Glyphs) -> Content:
    """Return the number of a seat's cards, and whether its call is still awaited."""
    view = scene.observation
    held = sum(view.collections[seat])
    said = _progress(scene, seat, held)
    name = scene.name(seat)
    told = texts("{name} has collected {n} card.", "{name} has collected {n} cards.", held, name=name)
    return explained((render(said), "$ink-dim"), told, "the-cards")


def _progress(scene: Scene[Observation], seat: Seat, held: int) -> Text:
    """Return whether a seat is choosing, and its cards; the header says how many end the first pass."""
    view = scene.observation
    if scene.is_over or seat not in view.affected:
        return texts("{n} card", "{n} cards", held)
    if seat in view.active:
        return texts("choosing, {n} card", "choosing, {n} cards", held)
    return texts("called, {n} card", "called, {n} cards", held)


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """Return the row that the viewer has called."""
    call = scene.observation.own_call
    return [] if call == NO_CALL else [Content.styled(_("calls row {row}", row=call), "$gold")]


def sheet_label(_scene: Scene[Observation], line: int) -> Text:
    """Return a line of one of the two scorings."""
    return (*FIRST_NAMES, *FINAL_NAMES)[line]


def line_words(_scene: Scene[Observation], line: int) -> Text:
    """Return a line's cards, whichever scoring comes next."""
    kind = line % len(LINE_NAMES)
    if LINES[kind] == "churches":  # nobody else gets anything
        return text("the most churches")
    return text("farms") if LINES[kind] == "farm" else line_name(kind)


def sheet_entry(scene: Scene[Observation], line: int) -> SheetEntry:
    """Return a line under the name of its scoring, which may be still to come."""
    is_final, kind = divmod(line, len(LINE_NAMES))
    if scene.is_over or line < scene.observation.standing_from:
        part = text("Final scoring") if is_final else text("First scoring")
    else:
        part = text("Final scoring so far") if is_final else text("First scoring so far")
    return SheetEntry(part, LINE_NAMES[kind], SHEET_CODES[kind], colour=group_variable(LINES[kind]))


def holds_secrets(scene: Scene[Observation], seat: Seat) -> bool:
    """Return whether a seat has to call, which it does in secret."""
    return seat in scene.observation.affected


def help_section(scene: Scene[Observation]) -> str:
    """Return how to call, as long as there is something to call."""
    return "scoring" if scene.is_over else "choosing-a-row"


STYLES: Final = {
    "builder": text("They like more of what they have."),
    "courtier": text("They like kings and knights."),
    "denier": text("They like the rows that others want."),
    "gambler": text("They like churches and farms."),
}
"""What bots like, by style."""


FACE: Final = Face(
    meta=META,
    observation=Observation,
    drawing=None,
    colours=COLOURS,
    samples=(),
    glyphs=GLYPHS,
    board=KuKaKingBoard,
    chart=KuKaKingScoreChart,
    status=panels.status,
    explain_status=explain_status,
    person=person,
    collections=panels.collection_lines,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=reveal.move_words,
    describe=reveal.describe,
    brief=brief,
    log=log,
    has_start_player=False,
    all_at_once=True,
    news=news,
    help_section=help_section,
    holds_secrets=holds_secrets,
    last_reveal=reveal.last_reveal,
    hand=hand,
    race=panels.race,
    scored_lines=lambda scene: scene.observation.standing_from,
    line_words=line_words,
    has_lead=lambda _scene, line: LINES[line % len(LINES)] == "knights",
    merits=panels.merits,
    promises=panels.promises,
    due=panels.due,
    clash=panels.clash,
    hint_words=lambda _scene, row: text("call row {row}", row=row),
    scoring_animation=scoring_animation,
    motion=motion,
    cover=cover,
    drawn=DRAWN,
    styles=STYLES,
)
