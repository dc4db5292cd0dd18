"""What measures a server says so if it has measured nothing, and tells each figure once it is known."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from tools.bench.lobby import Cost, Evening, Pieces, times_for
from tools.load import attacks, harm
from tools.load.harm import Seen
from tools.load.hosted import hosted


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


def test_a_server_whose_start_is_measured_compiles_what_it_imports_only_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    with hosted(tmp_path) as server:
        environment = Path(f"/proc/{server.pids[0]}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"PYTHONDONTWRITEBYTECODE" not in environment


@pytest.mark.parametrize(("screens", "times"), [(0, 10), (12, 10), (40, 10), (100, 4), (400, 1), (1000, 1)])
def test_an_event_is_measured_less_often_if_more_screens_see_it(screens: int, times: int) -> None:
    assert times_for(screens) == times


async def test_what_an_event_in_the_lobby_costs_is_told_before_the_next_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, measured = Hub(MemoryLog()), list[Callable[[], Awaitable[object]]]()
    evening = Evening(hub, Pieces())

    async def cost(event: Callable[[], Awaitable[object]]) -> Cost:
        measured.append(event)
        return Cost(0.0, 0, 0.0, 0.0)

    monkeypatch.setattr(evening, "cost", cost)
    told = [(len(found), len(measured)) async for _name, found in evening.costs(3)]
    assert told == [(3, 3 * n) for n in range(1, len(told) + 1)]
    await evening.talker.close()
    await hub.close()
