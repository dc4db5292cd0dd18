"""A server accepts no more connections than it may open files, and says so once."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import resource

import pytest

from kk_server.frontend.listener import INFINITY, LoopFaults, backlog_of, fitting, raise_limit
from kk_server.limits import ServerLimits


def test_where_there_are_files_enough_the_limits_are_those_of_the_host(journal: io.StringIO) -> None:
    assert fitting(ServerLimits(), 1024) == ServerLimits()
    assert journal.getvalue() == ""


@pytest.mark.parametrize("files", [1, 64, 100, 200, 300, 500])
def test_all_that_may_be_open_at_once_fits_into_the_files_and_somebody_may_come(
    files: int, journal: io.StringIO
) -> None:
    limits = fitting(ServerLimits(), files)
    assert min(limits.connections, limits.unauthenticated) >= 1
    most = limits.connections + limits.unauthenticated + backlog_of(files)
    assert most <= max(files - 80, 2 + backlog_of(files))
    (line,) = journal.getvalue().splitlines()
    assert json.loads(line)["connections"] == limits.connections


def test_the_limit_is_raised_also_where_the_system_allows_less_than_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = [(256, INFINITY)]

    def set_limit(_: int, wanted: tuple[int, int]) -> None:
        if wanted[0] == INFINITY:
            raise ValueError("current limit exceeds maximum limit")
        limits.append(wanted)

    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    raise_limit()
    assert limits[-1] == (10_240, INFINITY)


async def test_out_of_files_is_said_once_and_without_a_traceback(journal: io.StringIO) -> None:
    faults, loop = LoopFaults(), asyncio.get_running_loop()
    for _ in range(1000):
        faults(
            loop, {"message": "socket.accept()", "exception": OSError(errno.EMFILE, "Too many open files")}
        )
    (line,) = journal.getvalue().splitlines()
    assert json.loads(line)["reason"] == "Too many open files"


async def test_any_other_fault_of_the_loop_is_a_line(journal: io.StringIO) -> None:
    LoopFaults()(asyncio.get_running_loop(), {"message": "failed", "exception": ValueError("of a hand")})
    (line,) = journal.getvalue().splitlines()
    assert "ValueError" in line
    assert "of a hand" not in line
