"""In which order the apps of a process get their turns."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial

from kk_server.frontend.run_queue import RunQueue
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

    async def run(self, fill: Callable[[], None], rounds: int) -> list[list[str]]:
        """Let something happen, and return what was done in so many rounds from then on."""
        self._begin()
        fill()
        for _ in range(rounds - 1):
            await asyncio.sleep(0)
        self._is_over = True
        return self.done


async def test_alone_an_app_has_its_turn_at_once() -> None:
    rounds = Rounds()
    assert await rounds.run(lambda: rounds.queue.other(rounds("frame")), 1) == [["frame"]]
    await rest()
    again = Rounds()
    again.queue = rounds.queue
    assert await again.run(lambda: again.queue.key(again("key")), 1) == [["key"]]


async def test_in_a_round_one_turn_is_taken_and_keys_go_first() -> None:
    rounds = Rounds()

    def fill() -> None:
        for name in ("frame a", "frame b"):
            rounds.queue.other(rounds(name))
        for name in ("key a", "key b"):
            rounds.queue.key(rounds(name))

    assert await rounds.run(fill, 5) == [["frame a"], ["key a"], ["key b"], ["frame b"], []]


async def test_however_many_keys_wait_something_else_has_a_turn_after_some() -> None:
    rounds = Rounds()

    def fill() -> None:
        for number in range(30):
            rounds.queue.key(rounds(f"key {number}"))
        for number in range(2):
            rounds.queue.other(rounds(f"frame {number}"))

    done = [name for each in await rounds.run(fill, 40) for name in each]
    assert [name for name in done if name.startswith("key")] == [f"key {number}" for number in range(30)]
    first, second = (done.index(f"frame {number}") for number in range(2))
    assert 1 < first < second < 20
    assert second - first == first + 1


async def test_a_turn_that_fails_costs_nobody_else_theirs() -> None:
    loop, failures = asyncio.get_running_loop(), list[dict[str, object]]()
    loop.set_exception_handler(lambda _loop, context: failures.append(context))
    rounds = Rounds()

    def fill() -> None:
        rounds.queue.key(rounds("a"))
        rounds.queue.key(lambda: 1 / 0)  # type: ignore[arg-type]
        rounds.queue.key(rounds("c"))

    assert await rounds.run(fill, 3) == [["a"], [], ["c"]]
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
