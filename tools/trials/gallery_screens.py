"""Every screen of the app, and the way to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, TypeAlias
from unittest.mock import patch

import msgspec

from kk_core.chance import Chance
from kk_core.errors import KkError
from kk_core.game import AnyGame
from kk_core.protocol.messages import GoOn, Keys, OpenLesson, OpenTable, Play, SetBot, TakeSeat
from kk_core.registry import has_lesson
from kk_core.search import review
from kk_core.search.advice import SIMULATIONS, Study, study
from kk_core.search.analysis import Effort, Question, answer
from kk_core.search.opponents import BotKnowledge
from kk_core.search.review import Expectation, Judgement, SearchDepth, weigh
from kk_core.search.search import Budget
from kk_core.text import text
from kk_core.types import CommonObservation, Move
from kk_core.views import DailyLine, DailyPast, DailyTable, KeyLine, LeaderLine, LessonView, RatingView
from kk_server.bots.pool import Chooser, Pool
from kk_server.tables.place import Place
from kk_tui.match.hint import HintScreen
from kk_tui.match.lesson import LessonPage
from kk_tui.match.moves import Asked
from kk_tui.match.replay import PlayOnFromScreen, ReplayScreen
from kk_tui.match.result import ResultScreen
from kk_tui.match.screen import SheetScreen
from kk_tui.match.table import TableScreen
from kk_tui.match.table_menu import TableMenuScreen
from kk_tui.match.table_setup import TableSetupScreen
from kk_tui.scoring_animation.stage import Stage
from kk_tui.screens.base import KkScreen
from kk_tui.screens.chat import ChatScreen
from kk_tui.screens.commands import CommandsScreen
from kk_tui.screens.daily import DailyScreen
from kk_tui.screens.dialogs import CannotShowDialog, ConfirmScreen, HandoverDialog, LostDialog
from kk_tui.screens.help import HelpScreen
from kk_tui.screens.history import LeaderboardScreen, PastMatchesScreen
from kk_tui.screens.lobby import LobbyScreen
from kk_tui.screens.menu import MenuScreen
from kk_tui.screens.new_game import NewGameScreen
from kk_tui.screens.settings import SettingsScreen
from kk_tui.screens.ssh_keys import SshKeysScreen
from kk_tui.settings import Recent
from tools.trials.gallery_visits import PEOPLE, NoSuchMoment, Start, Visit

Way: TypeAlias = Callable[[Visit], Awaitable[None]]


@dataclass(frozen=True)
class Screen:
    """How the app starts, and the way from its first screen; `size` if the screen has only one."""

    name: str
    start: Start
    way: Way
    size: tuple[int, int] | None = None


def to(screen: type[KkScreen | CommandsScreen] | UnionType, *keys: str) -> Way:
    """Return the way to a screen by some keys."""

    async def way(here: Visit) -> None:
        await here.press(*keys)
        await here.until(lambda: isinstance(here.app.screen, screen))
        await here.settle()

    return way


def table(*keys: str, end: type[KkScreen | CommandsScreen] | UnionType = TableScreen) -> Way:
    """Go from the lobby to the table, unless the app has gone directly to it, or past it."""

    async def way(here: Visit) -> None:
        if here.app.store.lobby is not None:
            await here.pilot.press("enter")
        await here.until(lambda: isinstance(here.app.screen, TableScreen | ResultScreen))
        await here.press(*keys)
        await to(end)(here)

    return way


HALF: Final = {
    "land_cards": ("tab", "enter", "tab", "right"),
    "web_of_power": ("1", "tab", "tab"),
    "ku_ka_king": ("tab", "down"),
}
"""Keys that begin a choice."""


async def half_a_choice(here: Visit) -> None:
    """Go to the table, and stop before the last key of a choice, once its effect is foretold."""
    await table()(here)
    assert here.app.store.scene is not None, "a table shows one"
    await here.press(*HALF[here.app.store.scene.match.game])
    screen = here.app.screen
    assert isinstance(screen, TableScreen)
    await here.until(lambda: screen.is_previewed)
    await here.settle()


async def chosen_once(here: Visit) -> None:
    """Go to the table, and choose a step that has to be confirmed, once."""
    await table()(here)
    mover, scene = here.app.screen.mover, here.app.store.scene  # type: ignore[attr-defined]
    assert scene is not None, "a table shows one"
    mover.asked = Asked(scene.viewer or 0, max(scene.legal), "turn")
    here.app.screen.place_changed()  # type: ignore[attr-defined]


def great_moment(steps: int, *keys: str) -> Way:
    """Return the way to a scoring or reveal, and `steps` further."""

    async def way(here: Visit) -> None:
        await table()(here)
        await here.play()
        screen = here.app.screen
        assert isinstance(screen, TableScreen)
        await here.until(lambda: screen.scoring_player.is_playing)
        await here.press(*["enter"] * steps, *keys)
        assert screen.scoring_player.is_playing, "the scoring animation has fewer steps"

    return way


def scoring(lines: int, *keys: str) -> Way:
    """Return the way to a scoring with `lines` lines counted."""

    async def way(here: Visit) -> None:
        await great_moment(0)(here)
        screen = here.app.screen
        assert isinstance(screen, TableScreen)
        while (step := screen.scoring_player.step) is not None:
            if step.scoring is not None and step.scoring.counted >= lines:
                break
            await here.press("enter")
        assert step is not None, "the scoring has fewer lines"
        await here.press(*keys)

    return way


async def scrolled(here: Visit) -> None:
    """Go to the end of a scoring, and back to lines that do not fit. Raises `NoSuchMoment` if all do."""
    await great_moment(0, "a")(here)
    if not here.app.screen.query_one(Stage).hidden:
        raise NoSuchMoment
    await here.press("up", "up")


async def waiting_room(here: Visit) -> None:
    """Open a table that waits for people."""
    await here.app.request(lambda n: OpenTable(n, "land_cards", {}, 4))
    await here.app.request(lambda n: TakeSeat(n, 0))
    await here.app.request(lambda n: SetBot(n, 2, "greedy"))
    await to(TableSetupScreen)(here)


async def notice(here: Visit) -> None:
    """Show a notice at home."""
    reason = text("The folder cannot be written to: no space is left on the device that has it.")
    here.hub.sessions.announce(text("Matches are not being saved: {reason}", reason=reason))
    await here.until(lambda: here.app.notice is not None)
    here.app.post_message(here.app.PlaceChanged())
    await to(MenuScreen)(here)


async def form(here: Visit) -> None:
    """Open the form of a game."""
    here.app.push_screen(NewGameScreen(here.game))
    await to(NewGameScreen)(here)


async def called(here: Visit) -> None:
    """Go to the table after somebody has said something."""
    await table()(here)
    await here.hub.say("beate", here.hub.tables["table"], "I have not the faintest idea what to do here.")
    await here.until(lambda: here.app.chat_reader.fresh is not None)
    await here.settle()


async def chat(here: Visit) -> None:
    """Open the chat at the table."""
    await called(here)
    await here.hub.say("anna", here.hub.tables["table"], "That is what I hoped for.")
    await to(ChatScreen, "o")(here)


async def leaders(here: Visit) -> None:
    """Show a leaderboard with some good players."""
    await to(LeaderboardScreen, "s")(here)
    screen = here.app.screen
    assert isinstance(screen, LeaderboardScreen)
    names = ("Konrad", *PEOPLE, "anna")
    ratings = [RatingView(1790 - 53 * place, place < len(names)) for place in range(1, len(names) + 1)]
    screen._show(
        [
            LeaderLine(
                place if rating.is_settled else 0,
                name,
                rating,
                40 - 3 * place,
                19.5 - 2 * place,
                90 + 15 * place,
            )
            for place, (name, rating) in enumerate(zip(names, ratings, strict=True), 1)
        ]
    )
    await here.settle()


async def daily(here: Visit) -> None:
    """Show the table of a day to somebody who has finished its deal."""
    await to(DailyScreen, "d")(here)
    screen = here.app.screen
    assert isinstance(screen, DailyScreen)
    names = ("Konrad", *PEOPLE, "anna")
    lines = tuple(DailyLine(place, name, 90 - 7 * place, place < 3) for place, name in enumerate(names, 1))
    screen._table = _daily_table(
        here, finished=len(lines), lines=lines, own=lines[-1], signs="█▄▁▁▄▄█▄", tried=True,
        server="kk.example.org",
    )  # fmt: skip
    screen._show(screen._table)
    await here.settle()


async def daily_home(here: Visit) -> None:
    """Show the table of a day at home to somebody who has played on many days."""
    await to(DailyScreen, "d")(here)
    screen = here.app.screen
    assert isinstance(screen, DailyScreen)
    screen._table = _daily_table(here, ranked=False)
    screen._show(screen._table)
    await here.settle()


def _daily_table(here: Visit, **more: Any) -> DailyTable:
    """Return the table of a day for somebody who has played on most days of four weeks."""
    games = [*here.app.games]
    days = [f"2026-11-{day:02}" for day in range(1, 24)]
    past = tuple(
        DailyPast(day, game, 40 + number, float(number % 3 == 0))
        for number, day in enumerate(reversed(days))
        for place, game in enumerate(games)
        if (number + 2 * place) % (3 + place) and (number < 12 or place == 0)
    )
    return DailyTable(
        games[0], "2026-11-24", False, 3, "medium", bytes(range(32)), streak=12, earlier="2026-11-23",
        bots=("Ottilie", "Krösus"), left=17_000, past=past, **more,
    )  # fmt: skip


async def no_leaders(here: Visit) -> None:
    """Show an empty leaderboard."""
    await to(LeaderboardScreen, "s")(here)
    screen = here.app.screen
    assert isinstance(screen, LeaderboardScreen)
    screen.take_back()  # that matches here are not rated
    screen._show([])
    await here.settle()


_STUDIES: Final[dict[bytes, Study]] = {}
"""What hints were found, so that pictures in other languages need not look for them."""


async def hint(here: Visit) -> None:
    """Show a hint."""

    async def at_once(
        _pool: Pool, rules: AnyGame, seen: CommonObservation, known: BotKnowledge, seed: bytes
    ) -> Study:
        await asyncio.sleep(0)
        if seed not in _STUDIES:
            _STUDIES[seed] = study(rules, seen, Chance(seed), Budget(SIMULATIONS), known)
        return _STUDIES[seed]

    with patch.object(Pool, "study", at_once):
        await table("h", end=HintScreen)(here)


_ANSWERS: Final[dict[tuple[str, bytes], Expectation | Judgement | None]] = {}
"""What the coach has found, likewise."""


async def coach(here: Visit) -> None:
    """Show the analysis of a match, made with little effort."""

    async def at_once(_pool: Pool, rules: AnyGame, question: Question) -> Expectation | Judgement | None:
        await asyncio.sleep(0)
        key = rules.meta.id, msgspec.msgpack.encode(question)
        if key not in _ANSWERS:
            _ANSWERS[key] = answer(rules, question)
        return _ANSWERS[key]

    little = Effort(1, SearchDepth(1, 2), 6, 3)
    with (
        patch.object(Place, "effort", little),
        patch.object(review, "_LOOKS", (10, 20)),
        patch.object(Pool, "think", at_once),
    ):
        await table("h", end=ReplayScreen)(here)
        screen = here.app.screen
        assert isinstance(screen, ReplayScreen)
        await here.until(lambda: screen._coach.share == 1)
        await here.press("1")


async def cannot_show(here: Visit) -> None:
    """Go to a table that cannot be drawn."""
    await table()(here)
    here.app.cannot_show(KkError(text("Nobody knows where X9 is.")))
    await to(CannotShowDialog)(here)


async def lost(here: Visit) -> None:
    """Lose the connection."""
    here.app.push_screen(LostDialog(text("The server has closed the connection.")))
    await to(LostDialog)(here)


async def hand_over(here: Visit) -> None:
    """Hand the keyboard from one person to another."""
    await here.pilot.press("enter")
    await here.until(lambda: isinstance(here.app.screen, TableScreen | HandoverDialog))
    await here.settle()


async def lobby(here: Visit) -> None:
    """Go to the lobby, away from the table where the app has started."""
    await table("q", end=ConfirmScreen)(here)
    await to(LobbyScreen, "y")(here)


def lesson(steps: int, *keys: str) -> Way:
    """Return the way into a lesson, `steps` further. Raises `NoSuchMoment` for a game without one."""

    async def way(here: Visit) -> None:
        if not has_lesson(here.game):
            raise NoSuchMoment
        here.hub.pace.seconds = 0  # replies come at once
        await here.app.request(lambda number: OpenLesson(number, here.game, "Anna"))
        for _ in range(steps):
            before = await _next_step(here, None)
            await here.app.request(lambda n, wanted=before: Play(n, 0, _ply(here), wanted.wanted[0]))  # type: ignore[misc]
            await _next_step(here, before)
        await _next_step(here, None)
        await here.press(*keys)

    return way


async def strayed(here: Visit) -> None:
    """Make a different move from the one that a lesson asks for."""
    await lesson(0)(here)
    while isinstance(here.app.screen, LessonPage):
        await here.press("enter")
    scene, asked = here.app.store.scene, await _next_step(here, None)
    assert scene is not None, "a lesson shows one"
    other = min(scene.legal - {*asked.wanted})
    await here.app.request(lambda number: Play(number, 0, _ply(here), other))
    await here.settle()


async def _next_step(here: Visit, before: LessonView | None) -> LessonView:
    """Wait until the learner may do the next step of a lesson, and return it; what it skips is passed."""

    def now() -> LessonView | None:
        scene = here.app.store.scene
        return None if scene is None else scene.table.lesson

    def is_next() -> bool:
        scene, found = here.app.store.scene, now()
        return scene is not None and scene.may_act and bool(found and found.wanted) and found != before

    def is_skipping() -> bool:
        found = now()
        return found is not None and found.skips is not None

    await here.until(lambda: is_next() or is_skipping())
    if is_skipping():
        await here.app.request(GoOn)
        await here.until(is_next)
    await here.settle()
    found = now()
    assert found is not None, "it has just been there"
    return found


def _ply(here: Visit) -> int:
    assert here.app.store.scene is not None, "a table shows one"
    return here.app.store.scene.match.ply


async def warned(here: Visit) -> None:
    """Get the coach's warning about the costliest of some moves. Raises `NoSuchMoment` if none has a cost."""
    here.app.recent.save(Recent(coached=("Anna",)))
    await table()(here)
    scene, screen = here.app.store.scene, here.app.screen
    assert scene is not None, "a table shows one"
    assert isinstance(screen, TableScreen)
    match = here.hub.tables["table"].state.match
    assert match is not None, "there is one"
    moves = [*filter(screen.board.places, sorted(scene.legal))]
    # of many moves some are enough
    some = moves[:: 1 if len(moves) < _FEW else 3]
    worst = _worst(match.game, match.game.observe(match.state, scene.viewer), some)
    if worst is None or not worst.cost:
        raise NoSuchMoment

    async def judged(_: Chooser, *_asked: AnyGame | CommonObservation | Move) -> Judgement:
        await asyncio.sleep(0)
        return worst

    with patch.object(Chooser, "weigh", judged):
        screen.mover.play(scene, scene.viewer or 0, worst.played.move)
        await here.until(lambda: screen.mover.warned is not None)
        await here.settle()


_FEW: Final = 12

_WORST: Final[dict[str, Judgement | None]] = {}


def _worst(rules: AnyGame, seen: CommonObservation, moves: Sequence[Move]) -> Judgement | None:
    """Return the costliest of some moves in the position that all pictures of a game show."""
    if rules.meta.id not in _WORST:
        chance = Chance(bytes(32))
        studied = study(rules, seen, chance, Budget(60))
        told = [
            weighed for move in moves if (weighed := weigh(rules, seen, studied, move, chance, least=0.0))
        ]
        _WORST[rules.meta.id] = max(told, key=lambda judgement: judgement.cost, default=None)
    return _WORST[rules.meta.id]


async def ssh_keys(here: Visit) -> None:
    """Show the keys of an account that has two."""
    await to(SshKeysScreen, "k")(here)
    screen = here.app.screen
    assert isinstance(screen, SshKeysScreen)
    digests = (
        "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
        "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGLp0qqx8uE",
    )
    names = (("laptop", 1_790_000_000, 1_795_000_000), ("", 1_794_000_000, 0))
    lines = tuple(KeyLine(digest, *name) for digest, name in zip(digests, names, strict=True))

    async def keys(_make: object) -> Keys:
        await asyncio.sleep(0)
        return Keys(0, lines, digests[0])

    with patch.object(here.app, "request", keys):
        await screen._fetch()
    await here.settle()


async def settings(here: Visit) -> None:
    """Open the settings from the menu."""
    await to(SettingsScreen, "comma")(here)


HOME, SERVER = Start(is_home=True), Start()
START, MIDDLE, LATE, OVER = Start("start"), Start("middle"), Start("late"), Start("over")
INTERIM, REVEAL, FINAL = (Start(stop, plays=True) for stop in ("interim", "reveal", "over"))

ONCE: Final[Sequence[Screen]] = (
    Screen("menu", HOME, to(MenuScreen)),
    Screen("new-game", HOME, to(NewGameScreen, "n")),
    Screen("settings", HOME, settings),
    Screen("help-index", HOME, to(HelpScreen, "question_mark")),
    Screen("history-empty", HOME, to(PastMatchesScreen, "l")),
    Screen("quit", HOME, to(ConfirmScreen, "q")),
    Screen("lobby-empty", SERVER, to(KkScreen)),
    Screen("leaders", SERVER, leaders),
    Screen("leaders-empty", SERVER, no_leaders),
    Screen("ssh-keys", SERVER, ssh_keys),
    Screen("daily", SERVER, daily),
    Screen("daily-home", HOME, daily_home),
    Screen("daily-first", HOME, to(DailyScreen, "d")),
    Screen("waiting", SERVER, waiting_room),
    Screen("lost", SERVER, lost),
    Screen("too-small", SERVER, to(KkScreen), size=(70, 20)),
)

PER_GAME: Final[Sequence[Screen]] = (
    Screen("continue", Start("middle", is_home=True), to(MenuScreen)),
    Screen("continue-many", Start("middle", is_home=True, more=5), to(MenuScreen)),
    Screen("notice", Start("middle", is_home=True), notice),
    Screen("form", HOME, form),
    Screen("lobby", MIDDLE, lobby),
    Screen("lobby-full", Start("start", more=102), lobby),
    Screen("lesson-1", HOME, lesson(0)),
    Screen("lesson-2", HOME, lesson(5)),
    Screen("strayed", HOME, strayed),
    Screen("handover", Start("middle", is_home=True), hand_over),
    Screen("start", START, table()),
    Screen("middle", MIDDLE, table()),
    Screen("half", MIDDLE, half_a_choice),
    Screen("late", LATE, table()),
    Screen("back", MIDDLE, table(*["left_square_bracket"] * 3)),
    Screen("log", MIDDLE, table("l")),
    Screen("sheet", LATE, table("s", end=TableScreen | SheetScreen)),
    Screen("collections", MIDDLE, table("c")),
    Screen("contests", MIDDLE, table("t")),
    Screen("influence", MIDDLE, table("i")),
    Screen("heard", MIDDLE, called),
    Screen("chat", MIDDLE, chat),
    Screen("table-menu", MIDDLE, table("j", end=TableMenuScreen)),
    Screen("what", MIDDLE, table(*["full_stop"] * 4)),
    Screen("warned", MIDDLE, warned),
    Screen("hint", MIDDLE, hint),
    Screen("palette", MIDDLE, table("ctrl+p", end=CommandsScreen)),
    Screen("leave", MIDDLE, table("q", end=ConfirmScreen)),
    Screen("chosen-once", MIDDLE, chosen_once),
    Screen("help", MIDDLE, table("question_mark", end=HelpScreen)),
    Screen("reveal-1", REVEAL, great_moment(1)),
    Screen("reveal-2", REVEAL, great_moment(4)),
    Screen("reveal-3", REVEAL, great_moment(6)),
    Screen("interim-1", INTERIM, scoring(2)),
    Screen("interim-2", INTERIM, great_moment(0, "a")),
    Screen("final-1", FINAL, scoring(4)),
    Screen("final-2", FINAL, great_moment(0, "a")),
    Screen("final-3", FINAL, scrolled),
    Screen("result", OVER, table(end=ResultScreen)),
    Screen("over", OVER, table("escape")),
    Screen("chart", OVER, table("s", end=ResultScreen)),
    Screen("replay", OVER, table("v", "tab", *["left_square_bracket"] * 2, end=ReplayScreen)),
    Screen("coach", OVER, coach),
    Screen("play-on", OVER, table("v", "pagedown", "g", end=PlayOnFromScreen)),
    Screen("history", Start("over", is_home=True), to(PastMatchesScreen, "l")),
    Screen("history-many", Start("over", is_home=True, more=11), to(PastMatchesScreen, "l")),
    Screen("cannot-show", MIDDLE, cannot_show),
)
