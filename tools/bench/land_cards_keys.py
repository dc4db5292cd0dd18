"""The cost of a key press on the board of the card game: `python -m tools.bench.land_cards_keys [PRESSES]`.

The processor milliseconds of the whole app, without the terminal's share, for arrow keys in mid-match.
"""

from __future__ import annotations

import asyncio
import sys
from time import process_time

from kk_core.protocol.messages import OpenTable, SetBot, Start, TakeSeat
from kk_core.protocol.stream import ClientLink
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.app import KkApp
from kk_tui.games.land_cards.face import FACE
from kk_tui.screens.table import TableScreen
from tests.tui.conftest import until

SIZES = ((80, 24), (120, 40))


async def measure(size: tuple[int, int], presses: int) -> float:
    """Return the milliseconds per press."""
    hub = Hub(MemoryLog(), bot_pause=0)
    await hub.load()

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = KkApp(connect, local=True, games={"land_cards": FACE})
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.user)
        await app.request(lambda n: OpenTable(n, "land_cards", {}, 3))
        await app.request(lambda n: TakeSeat(n, 0))
        for seat in (1, 2):
            await app.request(lambda n, s=seat: SetBot(n, s, "greedy"))  # type: ignore[misc]
        await app.request(Start)
        await until(
            pilot, lambda: isinstance(app.screen, TableScreen) and app.store.scene and app.store.scene.may_act
        )
        await pilot.press("right", "left")
        idle = process_time()
        for _ in range(presses):
            await pilot.pause()
        idle = process_time() - idle
        spent = process_time()
        for number in range(presses):
            app.simulate_key(("right", "right", "down", "left", "left", "up")[number % 6])
            await pilot.pause()
        spent = process_time() - spent
    await hub.close()
    return max(0.0, spent - idle) * 1000 / presses


def main() -> None:
    """Print the figures at both sizes."""
    presses = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for size in SIZES:
        cost = asyncio.run(measure(size, presses))
        print(f"{size[0]}x{size[1]}: {cost:.2f} ms a key press")  # noqa: T201


if __name__ == "__main__":
    main()
