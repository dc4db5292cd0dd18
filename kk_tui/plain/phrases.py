"""The phrases in which a table is told in lines of text: what matters most first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from time import monotonic
from typing import Any, Final

from kk_core.text import joined, text, text_in
from kk_core.types import Seat
from kk_core.views import LogEntry, ProposalView, SeatView, TableView
from kk_tui.games import Face, appearances, faces
from kk_tui.games.plain import PlainFace, plain_face
from kk_tui.i18n import _, ngettext, render, typed
from kk_tui.plain.moves import name as move_name
from kk_tui.plain.words import HELP
from kk_tui.rules_pages import HelpDrawing, HelpTable, Paragraph, Section
from kk_tui.scene import Scene
from kk_tui.server_address import UNKNOWN, ServerAddress
from kk_tui.table.news import waiting_for
from kk_tui.table.outcome import end_words, outcome_notes
from kk_tui.table_words import (
    after_name,
    away_words,
    format_left,
    format_rule,
    given_up_words,
    proposal_words,
    replay_words,
    status_words,
    waits_for,
)
from kk_tui.theme.glyphs import Glyphs

LOOK: Final = text_in("typed", "look")
"""The word that tells all that can be seen."""

MOVES: Final = text_in("typed", "moves")
RULES: Final = text_in("typed", "rules")
"""The words that list one's moves, and that tell the rules."""

JOIN: Final = text_in("typed", "join")
"""The word that takes a seat."""

START: Final = text_in("typed", "start")
LEAVE: Final = text_in("typed", "leave")
SCORE: Final = text_in("typed", "score")
"""The words that begin a match or a rematch, that lead back to the lobby, and that tell the points."""

SEAT: Final = text_in("typed", "seat")
"""The word that looks through a seat of one's own."""


@cache
def signs() -> Glyphs:
    """Return the signs for the little that is shared with lines of the screen."""
    return Glyphs(ascii_only=True, more=[each.glyphs for each in appearances().values()])


def game_name(game: str) -> str:
    """Return the name of a game, or its identifier if it is not known here."""
    face = faces().get(game)
    return game if face is None else render(face.meta.name)


def free_seat(table: TableView) -> Seat | None:
    """Return the first seat that nobody has."""
    return next((n for n, seat in enumerate(table.seats) if not (seat.owner or seat.bot)), None)


def seats(table: TableView) -> str:
    """Return who sits where, before a match."""
    if not any(seat.owner or seat.bot for seat in table.seats):
        return ngettext("{n} seat, which is free.", "{n} seats, which are all free.", len(table.seats))
    holders = [
        render(
            text("{n} {name}", n=number, name=f"{seat.name}{after_name(seat)}" if seat.name else _("free"))
        )
        for number, seat in enumerate(table.seats, 1)
    ]
    return _("Seats: {seats}.", seats=", ".join(holders))


def proposed(table: TableView, proposal: ProposalView, user: str) -> str:
    """Return what is proposed, and who has to answer."""
    said = proposal_words(table, proposal)
    if user in proposal.waits:
        return _("{proposal}: yes or no?", proposal=said)
    return _("{proposal}; waiting for {names}.", proposal=said, names=waits_for(table, proposal))


def seat_taken(number: int, seat: SeatView, user: str) -> str:
    """Return who has just sat down on a seat, or that nobody has it any more."""
    name = f"{seat.name}{after_name(seat)}"
    if not (seat.owner or seat.bot):
        return _("Seat {n} is now free.", n=number)
    if seat.owner == user:
        return _("You now have seat {n}: {name}.", n=number, name=name)
    return _("{name} now has seat {n}.", n=number, name=name)


def head_lines(table: TableView, address: ServerAddress, *, local: bool) -> Iterator[str]:
    """Yield what kind of table it is, and how others get there."""
    name = game_name(table.game)
    is_named = table.title and not local  # a replay has no title
    yield _("Table {title}: {game}.", title=table.title, game=name) if is_named else f"{name}."
    face = faces().get(table.game)
    chosen = dict(table.options)
    for option in face.meta.options if face is not None else ():
        for value in option.values:
            if chosen.get(option.name) == value.value != option.values[0].value:
                yield _("{option}: {value}.", option=option.label, value=value.label)
    if table.clock is not None:
        yield _("Clock: {rule}.", rule=format_rule(table.clock.rule))
    if table.code is not None:
        yield _("By invitation: others join with the code {code}.", code=table.code)
    if url := address.way_to(table):
        yield _("In a browser: {url}", url=url)
        if UNKNOWN in url:
            yield _("ADDRESS is what you typed to connect here.")


def whose_turn(scene: Scene[Any], user: str) -> str:
    """Return whose turn it is, or how the match ended, and how a user plays on with another seat."""
    if scene.is_over:
        return end_words(scene)
    if scene.may_act:
        return _("It's your turn.")
    holder = None if scene.viewer is None else scene.table.seats[scene.viewer]
    if holder is not None and holder.stand_in is not None:
        back = _("A bot plays for you; {join} takes your seat back.", join=typed(JOIN))
        return given_up_words() if holder.has_given_up else back
    waiting = _("Waiting for {names}.", names=waiting_for(scene))
    holders = {seat: scene.table.seats[seat] for seat in scene.observation.active}
    own = [seat for seat, holder in holders.items() if holder.owner == user and holder.stand_in is None]
    if not own or scene.is_past:
        return waiting
    seat = typed(SEAT, own[0] + 1)
    return _("{waiting} {typed} plays for {name}.", waiting=waiting, typed=seat, name=scene.name(own[0]))


def look(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any], user: str) -> Iterator[str]:
    """Yield the whole table: the turn, what the viewer has, what lies there, and what everybody has."""
    yield f"{whose_turn(scene, user)} {status(scene, face)}"
    yield from hand(scene, face, plain)
    yield from board(scene, plain)
    yield from people(scene, face, plain)


def status(scene: Scene[Any], face: Face[Any]) -> str:
    """Return round and phase as a sentence."""
    said = ", ".join(map(render, face.status(scene)))
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."


def hand(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any]) -> Iterator[str]:
    """Yield what only the viewer knows."""
    if plain.hand is not None:
        yield from map(render, plain.hand(scene))
    elif things := [thing.plain for thing in face.hand(scene)]:
        yield _("You: {things}.", things=joined(things))


def board(scene: Scene[Any], plain: PlainFace[Any]) -> Iterator[str]:
    """Yield what lies on the table."""
    yield from map(render, plain.board(scene))


def people(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any]) -> Iterator[str]:
    """Yield everybody's points, and what they have in front of them."""
    for seat, holder in enumerate(scene.table.seats):
        held = plain.holdings(scene, seat)
        words = face.person(scene, seat, signs()).plain.strip() if held is None else render(held)
        said = _points(scene, seat)
        away = "" if holder.bot else away_words(holder)
        clock = scene.table.clock
        left = "" if clock is None else format_left(clock, seat, monotonic() - scene.seen_at)
        # which may end with what is short for something
        yield f"{', '.join(filter(None, (f'{said}{away}', left, words))).removesuffix('.')}."


def _points(scene: Scene[Any], seat: Seat) -> str:
    """Return a player's points, which until the end are those as things stand."""
    name, points = person(scene, seat), scene.observation.points[seat]
    if scene.is_over:
        return ngettext("{name}: {n} point", "{name}: {n} points", points, name=name)
    stands = sum(line[seat] for line in scene.standing)
    return ngettext(
        "{name}: {n} point as things stand", "{name}: {n} points as things stand", stands, name=name
    )


def players(scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
    """Yield who plays on which seat: bots with what they like, people with whether they are here."""
    for seat, holder in enumerate(scene.table.seats):
        said = _("Seat {n}: {name}.", n=seat + 1, name=f"{person(scene, seat)}{status_words(holder)}")
        style = face.styles.get(holder.style or "")
        yield said if style is None else f"{said} {render(style)}"


def person(scene: Scene[Any], seat: Seat) -> str:
    """Return the name of a player, and whether it is the viewer."""
    return _("{name} (you)", name=scene.name(seat)) if seat == scene.viewer else scene.name(seat)


def score(scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
    """Yield the points as they stand, and line by line where they come from."""
    sheet, label = scene.standing, plain_face(scene.match.game).score_label or face.sheet_label
    totals = [sum(column) for column in zip(*sheet, strict=True)]
    figures = _figures(scene, totals, everybody=True)
    yield (
        _("Points: {figures}.", figures=figures)
        if scene.is_over
        else _("As things stand: {figures}.", figures=figures)
    )
    for line, points in enumerate(sheet):
        if any(points):
            said = _figures(scene, points, everybody=False)
            yield _("{line}: {figures}.", line=label(scene, line), figures=said)


def contests(scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
    """Yield the contests: what everybody has in each, and the points for it as things stand."""
    plain = plain_face(scene.match.game)
    for race in face.race(scene):
        line = plain.contest_label(scene, race)
        counts = _figures(scene, race.counts, everybody=False)
        points = _figures(scene, race.points, everybody=False)
        if counts and points:
            yield _("{line}: {counts}; points: {points}.", line=line, counts=counts, points=points)
        elif counts:
            yield _("{line}: {figures}.", line=line, figures=counts)
        elif points:
            yield _("{line}, points: {points}.", line=line, points=points)


def _figures(scene: Scene[Any], figures: Sequence[int], *, everybody: bool) -> str:
    return ", ".join(
        render(text_in("figures", "{name} {points}", name=scene.name(seat), points=each))
        for seat, each in enumerate(figures)
        if each or everybody
    )


def entry_lines(
    scene: Scene[Any], face: Face[Any], ply: int, entry: LogEntry, before: Scene[Any] | None = None
) -> Iterator[str]:
    """Yield the sentences of one ply; `before` is a scene from before it, if there is any."""
    yield from map(render, face.describe(scene, entry))
    if (described := plain_face(scene.match.game).described) is not None:
        yield from map(render, described(before, scene, ply, entry))


def log(scene: Scene[Any], face: Face[Any], n: int, before: Scene[Any] | None = None) -> Iterator[str]:
    """Yield the last plies, oldest first; `before` is a scene from before them, if there is any."""
    known = scene.match.recent()
    # with steps missing between, nobody knows what has become of what lay there
    is_known = before is not None and bool(known) and known[0][0] <= before.match.ply
    for ply, entry in known[-n:] if n else ():
        head = f"{ply + 1}. "
        for line in entry_lines(scene, face, ply, entry, before if is_known else None):
            yield head + line
            head = ""


def left_out(n: int) -> Iterator[str]:
    """Yield how many plies before those of the log are not told, if there are any."""
    if n:
        yield ngettext("{n} step before these is left out.", "{n} steps before these are left out.", n)


def since(scene: Scene[Any]) -> int:
    """Return the number of plies since the viewer's last turn; 0 if they have had none.

    While nothing has happened since, these are the plies since the turn before it.
    """
    own = [
        ply
        for ply, entry in scene.match.recent()
        if entry.seat == scene.viewer and (ply < scene.match.turn_start or not scene.may_act)
    ]
    last = scene.match.ply - 1
    if own and own[-1] == last:
        while own and own[-1] == last:
            last = own.pop() - 1
    return scene.match.ply - own[-1] - 1 if own else 0


def outcome(scene: Scene[Any], face: Face[Any]) -> Iterator[str]:
    """Yield how the match ended."""
    yield end_words(scene)
    yield from outcome_notes(scene, face.meta)


def after_match(table: TableView, user: str, address: ServerAddress) -> Iterator[str]:
    """Yield what a user can do after a match: see it again, play another."""
    if again := replay_words(table, address):
        yield again
    if any(seat.owner == user for seat in table.seats):
        yield next_words(table)


def next_words(table: TableView) -> str:
    """Return what can be done after a match by those who have played it."""
    if table.lesson is not None or table.daily is not None:  # whose match is played once
        return _(
            "{score} tells where the points come from; {leave} goes back to the lobby.",
            score=typed(SCORE), leave=typed(LEAVE),
        )  # fmt: skip
    return _(
        "{score} tells where the points come from, {start} asks for a rematch, "
        "{leave} goes back to the lobby.",
        score=typed(SCORE), start=typed(START), leave=typed(LEAVE),
    )  # fmt: skip


def first_words() -> str:
    """Return what somebody types who plays in lines for the first time."""
    return _(
        "{look} tells what lies on the table, {moves} lists your moves, {rules} tells the rules, "
        "{help} all words.",
        look=typed(LOOK), moves=typed(MOVES), rules=typed(RULES), help=typed(HELP),
    )  # fmt: skip


def prompt(scene: Scene[Any], face: Face[Any], plain: PlainFace[Any]) -> str:
    """Return what the viewer, who may act, can do now."""
    said, is_forced = plain.prompt(scene), len(scene.legal) == 1
    if said is None and is_forced:
        move = move_name(scene, face, plain, min(scene.legal))
        can = _("There is one move: {move}.", move=move.rstrip("."))
    else:
        can = status(scene, face) if said is None else render(said)
    return _("{what} Type ok.", what=can) if is_forced else can


def rules(section: Section) -> Iterator[str]:
    """Yield a section of the rules: a line for each paragraph, and for each row of a table."""
    for block in section.blocks:
        match block:
            case Paragraph():
                yield f"{block.mark} {block.words.plain}".strip()
            case HelpTable(rows):
                told = ("; ".join(cell.plain for cell in row if cell.plain) for row in rows)
                yield from filter(None, told)
            case HelpDrawing():  # which says the same as the words around it
                pass
