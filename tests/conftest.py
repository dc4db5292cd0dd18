"""What holds for all tests: chance that can be repeated, any order, and patience."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from random import Random
from typing import Any

import hypothesis
import pytest

from kk_core.bot_names import QUICK
from tests.chance import seeded
from tests.waiting import be_patient


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kk")
    group.addoption("--chance", type=int, default=0, help="what bots, shuffles and properties draw (0)")
    group.addoption("--order-seed", type=int, help="run the tests in an order drawn from this number")
    group.addoption("--lag-seed", type=int, help="hold the app back at random, drawn from this number")
    group.addoption("--redraw-seed", type=int, help="draw screens again at random, drawn from this number")
    group.addoption("--patience", type=float, default=1.0, help="wait so many times as long (1)")


_LANGUAGES = ("KK_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # what programs say and draw here does not depend on the language and terminal of whoever runs the tests
    for name in _LANGUAGES:
        os.environ.pop(name, None)
    os.environ |= {"LANG": "C.UTF-8", "TERM": "xterm"}
    chance, patience = config.getoption("--chance"), config.getoption("--patience")
    if config.getoption("--lag-seed") is not None:
        patience *= 3
    be_patient(patience)
    if config.option.timeout is None:
        config.option.timeout = float(config.getini("timeout")) * patience
    hypothesis.settings.register_profile(
        "kk",
        derandomize=not chance,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("kk")
    if chance:
        hypothesis.core.global_force_seed = chance


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = config.getoption("--order-seed")
    if seed is not None:
        Random(seed).shuffle(items)


_YOUNG = 25_000
"""New objects after which Python looks for garbage among them; its own 700 cost a tenth of all work."""

_MIDDLE = 10
"""Such looks until it looks at what survived the last few, too."""

_OLD = 20
"""Looks of that kind until it looks at everything, which it mostly does between tests, at half as many."""


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: who looks for garbage need not look there every time."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish() -> None:
    """Look for all garbage between tests, where much is new; what is in use then is kept for others."""
    if gc.get_count()[2] >= _OLD // 2:
        gc.unfreeze()  # what was in use the last time may be garbage by now
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _chance(request: pytest.FixtureRequest) -> Iterator[None]:
    with seeded(f"{request.config.getoption('--chance')} {request.node.nodeid}"):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """What several tests share does not depend on which of them comes first."""
    if fixturedef.scope == "function":
        return (yield)
    with seeded(f"{request.config.getoption('--chance')} {fixturedef.baseid} {fixturedef.argname}"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        names = ("chance", "order-seed", "lag-seed", "redraw-seed")
        given = {name: item.config.getoption(f"--{name}") for name in names}
        told = " ".join(f"--{name} {number}" for name, number in given.items() if number is not None)
        report.sections.append(("drawn from", f"PYTHONHASHSEED={os.environ.get('PYTHONHASHSEED')} {told}"))
    return report


@pytest.fixture
def quick_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints of a few simulations, where nothing depends on how good they are."""
    from tests.server.thinking import studied_here  # here alone: most tests need no server

    monkeypatch.setattr("kk_server.bots.pool.Pool.study", studied_here)


@pytest.fixture
def quick_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals of the day with bots that do not search, where nothing depends on how well they play."""
    monkeypatch.setattr("kk_server.accounts.daily.BOT", QUICK[0])
