"""All front processes of a server: as many as are wanted, a new one where one has come to its end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import asyncssh

from kk_core.text import Text
from server.counts import Counts
from server.front.collector import Traffic
from server.front.counting import Counted
from server.front.settings import FrontSettings
from server.front.visits import Visits
from server.fronts import process
from server.fronts.messages import Beat, Begin, Use
from server.fronts.process import FrontLost, FrontProcess
from server.log import get_logger, is_silent

SOON: Final = 3.0
"""Seconds after which an end is no sign that the next one would come as soon."""

PAUSES: Final = (0.5, 30.0)
"""Seconds before a front is started again that has ended soon: the first time, and at most."""

LOOK: Final = 1.0
"""Seconds between two looks at whether all are well; fronts and hub tell each other so as often."""

_WELL: Final = 4
"""Looks after which one that has not told of itself gets no connections that another one could have."""

HANGS: Final = 60
"""Looks after which it is ended."""

_log = get_logger()


class Fronts:
    """Gives every connection to the front that has the fewest."""

    def __init__(
        self,
        number: int,
        visits: Visits,
        key: asyncssh.SSHKey,
        settings: FrontSettings,
        program: str = process.PROGRAM,
    ) -> None:
        """`key` is the private one that people know the server by; `program` the module that is started."""
        self.on_ready: Callable[[], None] = lambda: None
        """Called when there is one more front for connections."""
        self.fronts: dict[int, FrontProcess] = {}
        """Those that run, by their numbers from 1."""
        self._number = number
        self._visits = visits
        self._key = key.export_private_key()
        self._settings = settings
        self._program = program
        self._past = Counts()
        """What those have counted that are gone."""
        self._tasks: list[asyncio.Task[None]] = []
        self._is_closing = False

    @property
    def traffic(self) -> Traffic:
        """What goes on in this process."""
        return self._visits

    def counted(self) -> dict[str, Counts]:
        """What each of them has counted by its number, and all together that have ended."""
        running = {str(number): front.counts for number, front in sorted(self.fronts.items())}
        return {"ended": self._past, **running}

    # -- what is asked of them -------------------------------------------------------------------------------

    def take(self, connection: socket.socket, counted: Counted) -> bool:
        """Have SSH spoken on a connection; False where no front can."""
        order = sorted(self.fronts.values(), key=lambda front: (front.silence >= _WELL, front.load))
        return any(front.take(connection, counted) for front in order)

    def use(self, settings: FrontSettings) -> None:
        """Have these settings count for whoever comes from now on."""
        self._settings = settings
        for front in self.fronts.values():
            front.tell(Use(settings))

    async def close(self, reason: Text) -> None:
        """Let everybody go, and end them."""
        self._is_closing, self.on_ready = True, lambda: None
        await asyncio.gather(*(front.close(reason) for front in list(self.fronts.values())))
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    # -- life ------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start all of them. Raises `FrontLost`."""
        numbers = range(1, self._number + 1)
        started = await asyncio.gather(*map(self._start, numbers), return_exceptions=True)
        if faults := [each for each in started if isinstance(each, BaseException)]:
            for front in self.fronts.values():
                await front.end()
            raise faults[0]
        self._tasks = [asyncio.create_task(self._keep(front)) for front in self.fronts.values()]
        self._tasks.append(asyncio.create_task(self._watch()))

    async def _start(self, number: int) -> FrontProcess:
        begin = Begin(number, self._key, self._settings, not is_silent(), LOOK)
        front = await process.start(self._visits, begin, self._program)
        front.tell(Use(self._settings))  # they may have changed meanwhile
        front.tell(Beat())  # from now on it notices when no more come
        self.fronts[number] = front
        _log.info("front started", front=number, pid=front.pid)
        self.on_ready()
        return front

    async def _keep(self, front: FrontProcess) -> None:
        """Have another front in the place of one that has come to its end, again and again."""
        loop, number, pause = asyncio.get_running_loop(), front.number, 0.0
        running: FrontProcess | None = front
        while not self._is_closing:
            since = loop.time()
            try:
                await self._run(running or await self._start(number))
            except (FrontLost, OSError) as error:  # no files for it, say
                _log.error("front not started", front=number, reason=str(error))
            running = None
            pause = pause_after(loop.time() - since, pause)
            await asyncio.sleep(pause)

    async def _run(self, front: FrontProcess) -> None:
        status = await front.run()
        self._past += front.counts
        del self.fronts[front.number]
        if not self._is_closing:
            _log.error("front lost", front=front.number, status=status)

    async def _watch(self) -> None:
        """End those that hang, and tell all of them that the hub does not."""
        while True:
            await asyncio.sleep(LOOK)
            for front in self.fronts.values():
                front.tell(Beat())
                front.silence += 1
                if front.silence == HANGS:
                    _log.error("front hangs", front=front.number)
                    front.kill()


def pause_after(lived: float, pause: float) -> float:
    """Seconds until a front is started again that has lived so long, where the last pause was so long."""
    if lived > SOON:
        return 0.0
    return min(max(PAUSES[0], 2 * pause), PAUSES[1])
