"""The tools that load and attack the page: they come in as a browser does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kk_server.serve.server import Server, start
from tests.server.hosting import PLENTY, here
from tests.server.remote import wait_for
from tools.load.attacks import THROUGH_THE_PAGE, Aim
from tools.load.browser import Browser
from tools.load.evening import Plan
from tools.load.person import seat

pytestmark = pytest.mark.e2e


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = await start(here(tmp_path, web=0, limits=PLENTY))
    yield server
    await server.close()


async def test_people_in_browsers_sit_at_a_table_and_press_keys_under_the_names_of_their_programs(
    server: Server,
) -> None:
    assert server.web is not None
    people = [Browser(number, server.web.port) for number in range(2)]
    for person in people:
        await person.come(server.port)
    code = await seat(people, "ku_ka_king")
    for person in people:
        await person.look(code, (80, 24))
    assert {visit.user for visit in server.visits.all} == {person.name for person in people}
    assert await people[0].press("l") < 30
    for person in people:
        await person.go()
    await wait_for(lambda: server.connections == 0)


# not the one that needs thousands of files in this very process
@pytest.mark.parametrize("attack", sorted(THROUGH_THE_PAGE.keys() - {"half_open"}))
async def test_an_attack_through_the_page_is_survived_and_leaves_nothing_behind(
    server: Server, attack: str
) -> None:
    assert server.web is not None
    people = [Browser(number, server.web.port) for number in range(2)]
    for person in people:
        await person.come(server.port)
    code = await seat(people, "ku_ka_king")
    said = await THROUGH_THE_PAGE[attack](Aim(server.port, 0.5, code, server.web.port))
    assert "let in" not in said
    await people[0].look(code, (80, 24))
    assert await people[0].press("l") < 30
    for person in people:
        await person.go()
    await wait_for(lambda: server.traffic.present == 0)


def test_browsers_are_spread_evenly_over_an_evening() -> None:
    half = [Plan(8, browsers=50).is_in_browser(number) for number in range(8)]
    assert half == [False, True] * 4
    assert sum(Plan(200, browsers=25).is_in_browser(number) for number in range(200)) == 50
