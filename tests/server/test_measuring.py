"""What measures a server says so if it has measured nothing, and tells each figure once it is known."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from tests.waiting import Clock
from tools.bench import lobby
from tools.bench.lobby import Cost, Evening, Pieces, times_for
from tools.load import attacks, harm, stored
from tools.load.harm import Seen
from tools.load.hosted import with_bytecode


async def test_terminals_are_resized_for_as_long_as_was_asked_once_they_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, seconds = 0.0, 4.0

    class Terminal:
        is_closed = False

        def resize(self, *_size: int) -> None:
            """Take an eighth of a second."""
            nonlocal now
            now += 0.125

    async def come(aim: attacks.Aim) -> Terminal:
        """Take as long as all the attack."""
        nonlocal now
        now += aim.seconds
        return Terminal()

    monkeypatch.setattr(attacks, "monotonic", lambda: now)
    monkeypatch.setattr(attacks, "_terminal", come)
    said = await attacks.resized(attacks.Aim(0, seconds, ""))
    assert said == "40 sizes; 0 of 10 were hung up on"


@pytest.mark.parametrize(("said", "status"), [("40 sizes", 0), ("", 1)])
def test_an_attack_without_a_result_is_told_and_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, status: int
) -> None:
    @contextmanager
    def silent(folder: Path, *_settings: str, files: int | None) -> Iterator[None]:
        assert files is None
        (folder / "log").touch()
        yield

    async def measure(*_given: object) -> tuple[Seen, Seen, str]:
        return Seen(), Seen(), said

    monkeypatch.setattr(harm, "hosted", silent)
    monkeypatch.setattr(harm, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["harm", "--attacks", "resized"])
    with pytest.raises(SystemExit) as ended:
        harm.main()
    assert ended.value.code == status
    assert ("Nothing was measured" in capsys.readouterr().out) is (not said)


def test_a_program_whose_work_is_measured_compiles_what_it_imports_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = dict(os.environ)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert with_bytecode() == {
        name: value for name, value in here.items() if name != "PYTHONDONTWRITEBYTECODE"
    }


def test_the_start_of_a_server_with_many_tables_is_measured_after_one_that_compiles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    starts = iter([(9.0, 9.0, 9.0), (1.5, 1.0, 80.0)])

    async def taken_in(_folder: Path) -> float:
        return 0.0

    monkeypatch.setattr(stored, "take_in", taken_in)
    monkeypatch.setattr(stored, "measure", lambda _folder: next(starts))
    monkeypatch.setattr(sys, "argv", ["stored", "--tables", "0", "--keep", str(tmp_path)])
    stored.main()
    assert "listens after 1.5 s, 1.0 s of the processor, 80 MiB" in capsys.readouterr().out


@pytest.mark.parametrize(("screens", "times"), [(0, 10), (12, 10), (40, 10), (100, 4), (400, 1), (1000, 1)])
def test_an_event_is_measured_less_often_if_more_screens_see_it(screens: int, times: int) -> None:
    assert times_for(screens) == times


async def test_what_an_event_in_the_lobby_costs_is_told_before_the_next_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, measured = Hub(MemoryLog()), list[Callable[[], Awaitable[object]]]()
    evening, rests = Evening(hub, Pieces()), list[int]()

    async def cost(event: Callable[[], Awaitable[object]]) -> Cost:
        measured.append(event)
        return Cost(0.0, 0, 0.0, 0.0)

    async def rest() -> None:
        rests.append(len(measured))

    monkeypatch.setattr(evening, "cost", cost)
    monkeypatch.setattr(evening, "rest", rest)
    told = [(len(found), len(measured)) async for _name, found in evening.costs(3)]
    assert told == [(3, 3 * n) for n in range(1, len(told) + 1)]
    assert rests == [3 * n for n in range(len(told))]
    await evening.talker.close()
    await hub.close()


async def test_what_idle_screens_take_is_known_though_they_are_never_quiet_and_one_look_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, clock = Hub(MemoryLog()), Clock()
    evening = Evening(hub, Pieces())
    begun = clock.time() + hub.lobby.pause() + lobby.AFTERWARDS

    def worked() -> float:
        """Half the time, but all of it in the first second that is looked at."""
        since = clock.time() - begun
        return 0.5 * since + 0.5 * min(max(since, 0.0), 1.0)

    monkeypatch.setattr(lobby, "process_time", worked)
    resting = asyncio.create_task(evening.rest())
    await clock.forward(10)
    assert resting.done()
    assert evening.idle == pytest.approx(0.5)
    await evening.talker.close()
    await hub.close()


async def test_every_screen_has_had_every_key_before_keys_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Keyboard:
        def __init__(self) -> None:
            self.pressed = list[str]()

        def press(self, key: str) -> None:
            self.pressed.append(key)

    hub = Hub(MemoryLog())
    evening, keyboards = Evening(hub, Pieces()), [Keyboard() for _ in range(3)]
    evening.screens, before = keyboards, list[list[str]]()  # type: ignore[assignment]

    async def cost(_event: Callable[[], Awaitable[object]]) -> Cost:
        before.extend([*each.pressed] for each in keyboards)
        return Cost(0.0, 0, 0.0, 0.0)

    async def nothing() -> None:
        """Let nothing happen in between."""

    monkeypatch.setattr(evening, "cost", cost)
    monkeypatch.setattr(evening, "quiet", nothing)
    monkeypatch.setattr(evening, "rest", nothing)
    assert [name async for name, _found in evening.keys(1)] == list(lobby.KEYS)
    assert before == [list(lobby.KEYS.values())] * len(before)
    await evening.talker.close()
    await hub.close()
