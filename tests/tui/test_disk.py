"""What is written has to reach the disk, on every system."""

from __future__ import annotations

import fcntl
import os
from errno import ENOSPC, ENOTSUP
from pathlib import Path

import pytest

from kk_tui import disk

FULL = 51
"""The number of the request on macOS."""


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the system was asked for."""
    done: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda _file: done.append("fsync"))
    return done


def test_what_is_written_is_synced_as_other_systems_do_it(tmp_path: Path, done: list[str]) -> None:
    with (tmp_path / "file").open("wb") as file:
        disk.sync(file.fileno())
    assert done == ["fsync"]


def test_on_macos_the_drive_is_asked_to_write_its_cache_too(
    tmp_path: Path, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_FULL", FULL)
    monkeypatch.setattr(fcntl, "fcntl", lambda _file, request: done.append(f"fcntl {request}"))
    with (tmp_path / "file").open("wb") as file:
        disk.sync(file.fileno())
    assert done == [f"fcntl {FULL}"]


@pytest.mark.parametrize("number", [ENOTSUP, ENOSPC])
def test_where_a_file_system_does_not_know_that_the_usual_request_is_made_and_tells_what_is_wrong(
    tmp_path: Path, done: list[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(_file: int, _request: int) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(disk, "_FULL", FULL)
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with (tmp_path / "file").open("wb") as file:
        disk.sync(file.fileno())
    assert done == ["fsync"]
