"""`kk record analyse`: the decisive moment, the expected results turn by turn, and the costliest moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Final

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from kk_core.match import Match, Replay, told_apart
from kk_core.search.analysis import MatchAnalysis, Question, answer
from kk_core.text import Text, text, texts
from kk_core.types import Viewer
from kk_core.views import Advice, CostlyMove, Course, SeatView, TableView, encode_place
from kk_core.views import Analysis as Found
from kk_server.cli.language import note
from kk_server.cli.record import replayed, tell
from kk_tui.games import faces
from kk_tui.scene import Scene
from kk_tui.table.advice import Verdict, ahead, percents, verdict
from kk_tui.table.decisive import DecisiveMoment, Swing, decisive, swing_words, with_deeds
from kk_tui.table.place_store import PlaceStore

_DIGITS: Final = 2


def analyse(file: Path, seconds: float | None, *, as_json: bool) -> None:
    """Print what a search finds in a record, within so many seconds if given.

    If it is interrupted, it prints what was found so far.
    """
    replay = Replay(replayed(file))
    analysis = MatchAnalysis(replay)
    try:
        is_whole = _think(analysis, seconds)
    except KeyboardInterrupt:
        if analysis.found().share:
            _tell(replay, analysis.found(), as_json=as_json)
        raise
    _tell(replay, analysis.found(), as_json=as_json)
    if analysis.question is None and not is_whole:
        note(text("Each move had less time than usual; without --seconds, the results may differ."))


def _tell(replay: Replay, found: Found, *, as_json: bool) -> None:
    if as_json:
        content = msgspec.json.encode(_tree(replay, found))
        typer.echo(msgspec.json.format(content, indent=1).decode())
    else:
        _say(replay, found)


def _think(analysis: MatchAnalysis, seconds: float | None) -> bool:
    """Answer all questions; returns whether all of them had the time they wanted."""
    console, begun, is_whole = Console(stderr=True), monotonic(), True
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)
        while (question := analysis.question) is not None:
            left = None if seconds is None else begun + seconds - monotonic()
            if left is not None and left <= 0:
                return False
            # if time is short, each gets its share of what is left
            share = _share(analysis, question, left)
            analysis.take(answer(analysis.game, question, share))
            is_whole = is_whole and share() < 1
            progress.update(task, completed=analysis.found().share)
    return is_whole


def _share(analysis: MatchAnalysis, question: Question, left: float | None) -> Callable[[], float]:
    if left is None:
        return lambda: 0.0
    # by work, so that the last questions get as much time as the first ones
    begun, allotted = monotonic(), left * question.work / analysis.left
    return lambda: (monotonic() - begun) / allotted


def _say(replay: Replay, found: Found) -> None:
    names = told_apart(replay.match.seats)
    tell(replay.match.game.meta.name)
    _say_moment(replay, names)
    tell(text("Each player's expected lead at the end, in points, and chance of winning:"))
    for forecast in found.forecasts:
        lines = zip(names, forecast.margins, percents(forecast.chances), strict=True)
        told = ", ".join(f"{name}: {ahead(margin, 1)} ({chance} %)" for name, margin, chance in lines)
        tell(texts("after {n} ply: {told}", "after {n} plies: {told}", forecast.ply, told=told))
    of_match = found.costliest()
    _say_points(replay, names, of_match)
    others = [point for point in found.costly_moves if point not in of_match]
    if others:
        tell(text("The players' other most costly moves:"))
        _say_points(replay, names, others)
    if not of_match and found.share == 1:
        tell(text("No move was found that would have been much better."))
    if found.share < 1:
        tell(text("Only {percent} % of the analysis was done.", percent=int(100 * found.share)))


def _say_moment(replay: Replay, names: Sequence[str]) -> None:
    course = replay.course()
    if (swing := _swing(course, replay.match)) is None:
        return

    async def look(ply: int, viewer: Viewer) -> Scene[Any]:
        return _scene(replay, names, ply, viewer)

    sentence, short = swing_words(swing, names[swing.seat])
    moment = DecisiveMoment(swing, str(sentence), str(short))
    moment = asyncio.run(with_deeds(moment, course, look, faces()[replay.match.game.meta.id]))
    tell(sentence)
    if moment.deeds:
        tell(Text(moment.deeds))


def _swing(course: Course, match: Match) -> Swing | None:
    return decisive(course, match.game.outcome(match.state))


def _say_points(replay: Replay, names: Sequence[str], points: Sequence[CostlyMove]) -> None:
    for point in sorted(points, key=lambda point: point.ply):
        told = _in_words(replay, names, point)
        tell(
            text(
                "{ply}. {player}: {played} Better ({cost} points): {better}. {why}",
                ply=point.ply + 1,
                player=names[point.seat],
                played=told.played,
                cost=told.cost,
                better=told.better,
                why=told.why,
            )
        )


def _in_words(replay: Replay, names: Sequence[str], point: CostlyMove) -> Verdict:
    # the app's own words, so that both explain a move in the same way
    face = faces()[replay.match.game.meta.id]
    return verdict(point, _scene(replay, names, point.ply, point.seat), face)


def _scene(replay: Replay, names: Sequence[str], ply: int, viewer: Viewer) -> Scene[Any]:
    view = replay.view(ply, viewer)
    seats = tuple(SeatView(name, None, None, online=True, colour=seat) for seat, name in enumerate(names))
    table = TableView("", "", "", view.game, (), False, "replay", seats, viewer, view)
    store = PlaceStore(faces())
    store.take(encode_place(table))
    assert store.scene is not None, "the view is of a match"
    return store.scene


def _tree(replay: Replay, found: Found) -> dict[str, Any]:
    match = replay.match
    swing = _swing(replay.course(), match)
    return {
        "game": match.game.meta.id,
        "seats": told_apart(match.seats),
        "plies": len(match.plies),
        "done": _rounded(found.share),
        # the turn that decided the match for one of the winners: after how many plies it began and ended
        "decisive": swing
        and {
            "seat": swing.seat,
            "from": swing.start,
            "to": swing.ply,
            "before": swing.before,
            "after": swing.after,
        },
        "expected": [
            {
                "after": forecast.ply,
                "margins": [_rounded(margin) for margin in forecast.margins],
                "chances": [_rounded(chance) for chance in forecast.chances],
            }
            for forecast in found.forecasts
        ],
        "costly_moves": [_point(match, point) for point in found.costliest()],
        "of_each_seat": [
            [_point(match, point) for point in found.costliest(seat)] for seat in range(len(match.seats))
        ],
    }


def _point(match: Match, point: CostlyMove) -> dict[str, Any]:
    return {
        "ply": point.ply + 1,
        "seat": point.seat,
        "cost": _rounded(point.cost),
        "played": _move(match, point.played),
        "better": _move(match, point.better),
    }


def _move(match: Match, advice: Advice) -> dict[str, Any]:
    return {
        "move": match.game.format_move(advice.move),
        "margin": _rounded(advice.margin),
        "contested": _rounded(advice.contested),
        "changes": [
            {
                "line": match.game.sheet[change.line],
                "own": _rounded(change.own),
                "rival": change.rival,
                "loss": _rounded(change.loss),
                "leads": change.leads,
            }
            for change in advice.changes
        ],
    }


def _rounded(figure: float) -> float:
    return round(figure, _DIGITS) + 0.0  # which makes 0.0 of -0.0
