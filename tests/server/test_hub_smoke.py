from server.hub.hub import Hub
from server.hub.limits import Limits
from server.storage.memory import MemoryLog
from tests.server.client import Client


async def test_smoke() -> None:
    hub = Hub(MemoryLog(), bot_pause=0, limits=Limits(burst=5000))
    await hub.load()
    anna = Client(hub.connect("anna"))
    await anna.until(lambda c: c.lobby.users == ("anna",))
    await anna.open("land_cards", 3)
    await anna.sit(0, 1)
    await anna.seat_bots(2)
    await anna.start()
    await anna.play_to_the_end()
    assert anna.table.phase == "finished"
    await hub.close()
    await anna.until_closed()
    assert "shutting down" in str(anna.goodbye)
