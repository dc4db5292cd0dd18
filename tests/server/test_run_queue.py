"""In which order the apps of a process get their turns."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, cast

from kk_server.frontend.driver import Terminal
from kk_server.frontend.run_queue import _IN_A_ROW, _LONGEST, RunQueue
from kk_server.frontend.terminal import SharedScheduler
from kk_server.limits import ServerLimits
from tests.waiting import rest

_app: ContextVar[str] = ContextVar("_app")


class Rounds:
    """Notes what is done in each round of the loop."""

    def __init__(self) -> None:
        self.queue = RunQueue()
        self.done: list[list[str]] = []
        self._is_over = False

    def __call__(self, name: str) -> Callable[[], None]:
        return partial(self._note, name)

    def _note(self, name: str) -> None:
        self.done[-1].append(name)

    def _begin(self) -> None:
        self.done.append([])
        if not self._is_over:
            asyncio.get_running_loop().call_soon(self._begin)

    async def run(self, fill: Callable[[], object], rounds: int) -> list[list[str]]:
        """Let something happen, and return what was done in so many rounds from then on."""
        self._begin()
        fill()
        for _ in range(rounds - 1):
            await asyncio.sleep(0)
        self._is_over = True
        return self.done

    async def turns(self, fill: Callable[[], object], most: int = 300) -> list[str]:
        """Let something happen, and return what was done in turn, each in a round of its own."""
        done = await self.run(fill, most)
        assert max(len(each) for each in done) == 1
        return [name for each in done for name in each]


async def test_alone_an_app_has_its_turn_at_once() -> None:
    rounds = Rounds()
    assert await rounds.run(lambda: rounds.queue.other(rounds("frame")), 1) == [["frame"]]
    await rest()
    again = Rounds()
    again.queue = rounds.queue
    assert await again.run(lambda: again.queue.key(again("key")), 1) == [["key"]]


async def test_keys_go_first_one_in_a_round_and_all_else_leaves_some_rounds_after_every_turn() -> None:
    rounds = Rounds()

    def fill() -> None:
        for name in ("frame a", "frame b"):
            rounds.queue.other(rounds(name))
        for name in ("key a", "key b"):
            rounds.queue.key(rounds(name))

    done = await rounds.run(fill, 20)
    turns = ["frame a", "key a", "key b", "frame b"]
    assert [name for each in done for name in each] == turns
    # what a key, a move or a login has begun goes on in rounds without frames
    assert [done.index([name]) for name in turns] == [0, 1, 2, 6]


async def test_however_many_keys_wait_something_else_has_a_turn_after_some() -> None:
    rounds = Rounds()

    def fill() -> None:
        for number in range(70):
            rounds.queue.key(rounds(f"key {number}"))
        for number in range(2):
            rounds.queue.other(rounds(f"frame {number}"))

    done = await rounds.turns(fill)
    assert [name for name in done if name.startswith("key")] == [f"key {number}" for number in range(70)]
    first, second = (done.index(f"frame {number}") for number in range(2))
    assert first == second - first == _LONGEST + 1


async def test_of_four_turns_matches_have_three_and_the_lobby_one_and_keys_go_before_both() -> None:
    rounds = Rounds()

    def fill() -> None:
        for number in range(20):
            for name, put in (("lobby", rounds.queue.other), ("match", rounds.queue.match)):
                put(rounds(f"{name} {number}"))
        rounds.queue.key(rounds("key"))

    done = await rounds.turns(fill)
    assert done[:2] == ["lobby 0", "key"]
    assert done[2:12] == [
        "match 0", "match 1", "match 2", "lobby 1", "match 3",
        "match 4", "match 5", "lobby 2", "match 6", "match 7",
    ]  # fmt: skip
    assert [name for name in done if name.startswith("lobby")] == [f"lobby {number}" for number in range(20)]


async def test_keys_and_matches_in_plenty_leave_the_lobby_some_turns() -> None:
    rounds = Rounds()

    def fill() -> None:
        for number in range(300):
            rounds.queue.key(rounds(f"key {number}"))
            rounds.queue.match(rounds(f"match {number}"))
        for number in range(2):
            rounds.queue.other(rounds(f"lobby {number}"))

    done = await rounds.turns(fill, 400)
    first, second = (done.index(f"lobby {number}") for number in range(2))
    assert first == second - first == (_IN_A_ROW + 1) * (_LONGEST + 1)


async def test_a_first_picture_goes_with_the_keys_a_match_after_them_and_the_lobby_last() -> None:
    rounds = Rounds()
    terminals = {
        name: Terminal(cast("Any", None), "xterm-256color", (80, 24), {}, ServerLimits(), None, rounds.queue)
        for name in ("lobby", "match", "first picture")
    }
    schedulers = {name: SharedScheduler(terminal) for name, terminal in terminals.items()}
    terminals["lobby"].has_painted.set()
    terminals["match"].has_painted.set()
    schedulers["match"].is_at_match = schedulers["first picture"].is_at_match = True

    def fill() -> None:
        rounds.queue.key(rounds("key"))
        for name, scheduler in schedulers.items():
            scheduler.run(rounds(name))

    assert await rounds.turns(fill) == ["key", "first picture", "match", "lobby"]


async def test_a_frame_that_comes_of_a_turn_has_the_next_one() -> None:
    rounds = Rounds()
    terminal = Terminal(cast("Any", None), "xterm-256color", (80, 24), {}, ServerLimits(), None, rounds.queue)
    terminal.has_painted.set()
    scheduler = SharedScheduler(terminal)

    def news() -> None:
        rounds("news")()
        loop = asyncio.get_running_loop()
        for name in ("its frame", "one more"):
            loop.call_soon(scheduler.draw, rounds(name))

    def fill() -> None:
        rounds.queue.key(rounds("key"))
        scheduler.run(news)
        rounds.queue.other(rounds("another app"))

    assert await rounds.turns(fill) == ["key", "news", "its frame", "another app", "one more"]


async def test_a_turn_that_is_given_up_costs_nobody_else_a_round() -> None:
    rounds = Rounds()

    def fill() -> None:
        rounds.queue.other(rounds("a"))
        lanes = (rounds.queue.match, rounds.queue.other)
        given_up = [put(rounds("given up")) for put in lanes for _ in range(9)]
        rounds.queue.other(rounds("b"))
        for turn in given_up:
            turn.cancel()

    done = await rounds.run(fill, 20)
    assert [each for each in done if each] == [["a"], ["b"]]
    assert done.index(["b"]) == done.index(["a"]) + 4  # as without the others


async def test_a_turn_that_fails_costs_nobody_else_theirs() -> None:
    loop, failures = asyncio.get_running_loop(), list[dict[str, object]]()
    loop.set_exception_handler(lambda _loop, context: failures.append(context))
    rounds = Rounds()

    def fill() -> None:
        rounds.queue.key(rounds("a"))
        rounds.queue.key(lambda: 1 / 0)  # type: ignore[arg-type]
        rounds.queue.key(rounds("c"))

    assert await rounds.turns(fill) == ["a", "c"]
    assert [type(context["exception"]) for context in failures] == [ZeroDivisionError]


async def test_each_has_its_turn_in_its_own_context() -> None:
    seen, queue = list[str](), RunQueue()

    def come(name: str) -> None:
        _app.set(name)
        queue.key(lambda: seen.append(_app.get()))

    for name in "abc":
        asyncio.get_running_loop().call_soon(come, name)
    await rest()
    assert seen == ["a", "b", "c"]


async def test_nothing_is_kept_of_who_has_had_their_turn() -> None:
    class App:
        def draw(self) -> None:
            return None

    app, queue = App(), RunQueue()
    kept = weakref.ref(app)
    queue.other(app.draw)
    queue.other(app.draw)
    await rest()
    del app
    assert kept() is None
