"""Figures for Prometheus: on this machine alone, and right."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

import pytest

from kk_server.serve.metrics import NoMetrics
from kk_server.serve.server import start
from tests.server.client import Client
from tests.server.hosting import PLENTY, here
from tests.server.probe import make_probe
from tests.server.remote import screen
from tests.server.test_accounts import come, refusal
from tests.waiting import patience


async def figures(port: int) -> dict[str, float]:
    def read() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=patience()) as answer:
            said: bytes = answer.read()
        return said.decode()

    lines = (await asyncio.to_thread(read)).splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


async def test_what_happens_is_counted(tmp_path: Path) -> None:
    settings = here(tmp_path, metrics=0, limits=PLENTY, bot_pause=0, guests="no")
    server = await start(settings, make_probe)
    assert server.metrics is not None
    before = await figures(server.metrics.port)
    terminal, anna = await screen(server, "beate"), await come(server, "anna")
    await terminal.until("size=80x24.")
    terminal.type("a")
    await terminal.until("key=a.")
    await anna.open("land_cards", 3)
    await anna.sit(0, 1, 2)
    await anna.start()
    await anna.look(0)
    await anna.play(0, anna.observation.legal_moves[0])
    await refusal(server, "carl", is_guest=True)
    last = ("kk_key_to_paint_seconds_count", "kk_loop_lag_seconds_count", "kk_frame_bytes_total")
    grown = dict.fromkeys(last, 0.0)
    while not all(grown[name] for name in last):
        after = await figures(server.metrics.port)
        grown = {name: after[name] - before[name] for name in after}
    assert grown["kk_moves_total"] == 1
    assert grown["kk_refused_logins_total"] == 1
    assert after['kk_tables{phase="playing"}'] == 1
    assert after["kk_sessions"] == 2
    for name in ("kk_frame_bytes_total", "kk_delta_bytes_total", "kk_key_to_paint_seconds_count"):
        assert grown[name] > 0
    assert after["kk_loop_lag_seconds_count"] == after['kk_loop_lag_seconds_bucket{le="+Inf"}'] > 0
    await anna.close()
    await terminal.close()
    await server.close()


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    first = await start(here(tmp_path / "one", metrics=0), make_probe)
    assert first.metrics is not None
    with pytest.raises(NoMetrics, match=str(first.metrics.port)):
        await start(here(tmp_path / "other", metrics=first.metrics.port), make_probe)
    await first.close()


async def test_without_the_setting_there_are_none(tmp_path: Path) -> None:
    server = await start(here(tmp_path), make_probe)
    assert server.metrics is None
    await Client(server.hub.connect("anna")).close()
    await server.close()
