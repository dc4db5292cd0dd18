"""What a relay does while nodes do not agree on who serves a table."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from kk_core.protocol.messages import GoTo
from kk_core.text import Text
from kk_server.hub import relay
from kk_server.hub.relay import OWN, Relay
from kk_server.tables.nodes import Alone, Elsewhere, Visitor
from tests.waiting import Clock

TABLE = "cafe0001"


class Undecided:
    """A session at a node that serves the table, by its own account, and then does not."""

    def __init__(self) -> None:
        self.tries = 0
        self.farewell = asyncio.get_running_loop().create_future()

    async def come_back(self, _message: GoTo) -> None:
        self.tries += 1
        raise Elsewhere(TABLE)

    def send_away(self, reason: Text) -> None:
        self.farewell.set_result(reason)


async def test_while_nodes_do_not_agree_a_table_is_looked_for_now_and_then() -> None:
    clock, session = Clock(), cast("Any", Undecided())
    going = Relay(session, Alone(), Visitor("anna", None, None, False, False), TABLE)
    going.begin(GoTo(OWN, TABLE))
    await clock.forward(relay._PATIENCE - relay._AGAIN)
    assert not session.farewell.done()
    await clock.forward(3 * relay._AGAIN)
    assert "can't be reached" in str(session.farewell.result())
    assert session.tries == pytest.approx(relay._PATIENCE / relay._AGAIN, abs=3)
    await going.close()
