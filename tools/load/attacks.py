"""Attacks that a server has to withstand: `python -m tools.load.attacks NAME PORT SECONDS CODE [WEB]`.

WEB is the port of the page for browsers, for those that come through it (`THROUGH_THE_PAGE`).

Each runs in a process of its own, and prints its outcome in one line.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from time import monotonic
from typing import Any, Final

import aiohttp
import asyncssh

from kk_core.protocol.frames import encode_message, frame
from kk_core.protocol.messages import (
    PROTOCOL_VERSION,
    Done,
    GoTo,
    Hello,
    Look,
    OpenTable,
    Refused,
    Resync,
    TakeSeat,
)
from tests.server.client import Client
from tests.server.remote import NoAnswers, RemoteLink, dial
from tools.load.browser import Page, open_page

ADDRESS: Final = "127.66.6.6"
"""The address that they come from."""

_MEGABYTE: Final = 1_000_000
_SILENT: Final = 650
_NAMES: Final = 63
_TABLES_EACH: Final = 9
_SCREENS: Final = 40
_AT_ONCE: Final = 8
_ADDRESSES: Final = 20
_A_PICTURE: Final = 1000
_HELD: Final = 300
_PROGRAMS: Final = 5
_WINDOW: Final = 2**26
"""Bytes that a program claims to accept, without reading them."""

_A_FRAME: Final = 4096
_ENDLESS: Final = b"\x82\xff" + (2**62).to_bytes(8, "big") + bytes(4)
"""The head of a binary frame of a page that says it is longer than anything."""

_HALF_OPEN: Final = 3000
_TAKEN: Final = 1.0
"""Seconds without an answer after which a connection counts as taken."""

_BYTES_AHEAD: Final = 100_000
_RESIZED: Final = 10
_LARGEST: Final = 65535
_SESSIONS: Final = 4
_NO_WORD: Final = b"xx"
_REFUSALS: Final = (asyncssh.Error, OSError, RuntimeError, TimeoutError)


@dataclass(frozen=True)
class Aim:
    """The target: a server's port, the duration in seconds, the code of a table of honest people, and the
    port of the page, if there is one.
    """

    port: int
    seconds: float
    code: str
    web: int = 0

    @property
    def end(self) -> float:
        """The time on the `monotonic` clock at which it ends if it begins now."""
        return monotonic() + self.seconds


async def noise(aim: Aim) -> str:
    """Type a megabyte of random bytes."""
    eve, sent, dice, end = await _terminal(aim), 0, random.Random(1), aim.end
    while monotonic() < end:
        if eve.is_closed:
            eve = await _terminal(aim)
        if eve.waiting < _MEGABYTE // 2:  # what a server does not accept must not fill our own memory
            eve.type(dice.randbytes(_MEGABYTE // 2))
            sent += _MEGABYTE // 2
        await asyncio.sleep(0.05)
    return f"wrote {sent / 1e6:.1f} MB, of which the server took {(sent - eve.waiting) / 1e6:.2f}"


async def held(aim: Aim) -> str:
    """Hold an arrow key down, a thousand times a second."""
    eve, sent, end = await _terminal(aim), 0, aim.end
    while monotonic() < end:
        eve.type(b"\x1b[C" * 10)
        sent += 10
        await asyncio.sleep(0.01)
    return f"{sent} keys"


async def silent(aim: Aim) -> str:
    """Keep very many idle connections open, and reopen them when they are closed."""
    end, opened, held_open = aim.end, 0, 0
    words: set[str] = set()

    async def hold() -> None:
        nonlocal opened, held_open
        while monotonic() < end:
            reader, writer = await asyncio.open_connection("127.0.0.1", aim.port, local_addr=(ADDRESS, 0))
            opened += 1
            first = await reader.readline()
            if not first.startswith(b"SSH-"):
                words.add(first.decode(errors="replace").strip())
            held_open += first.startswith(b"SSH-")
            try:
                async with asyncio.timeout(max(0.0, end - monotonic())):
                    await reader.read()
            except (TimeoutError, OSError):
                pass
            writer.close()
            await asyncio.sleep(1)

    await asyncio.gather(*(hold() for _ in range(_SILENT)), return_exceptions=True)
    return f"{opened} connections, {held_open} of them taken; the others read {_quoted(words)}"


async def names(aim: Aim) -> str:
    """Be one client under many names, with keys and as guests, that opens tables and sits down at them."""
    tables, end = 0, aim.end
    words: set[str] = set()
    for number in range(_NAMES):
        if monotonic() > end:
            break
        try:
            connection = await dial(aim.port, f"eve{number}", is_guest=number % 4 > 0, address=ADDRESS)
        except _REFUSALS as error:
            words.add(str(error))
            continue
        tables += await _open_tables(connection, words)
    return f"{tables} tables under {number + 1} names; was told {_quoted(words)}"


async def _open_tables(connection: asyncssh.SSHClientConnection, words: set[str]) -> int:
    """Open as many tables as possible, and return their number."""
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client, opened = Client(RemoteLink(connection, process)), 0
    try:
        await client.ask(Hello, PROTOCOL_VERSION)
        for _ in range(_TABLES_EACH):
            reply = await client.ask(OpenTable, "land_cards", {}, 3, "")
            if isinstance(reply, Refused):
                words.add(str(reply.reason))
                break
            await client.ask(TakeSeat, 0)
            opened += 1
    except KeyError:
        words.add(str(client.goodbye))
    await client.close()
    return opened


async def screens(aim: Aim) -> str:
    """Open and close lobby screens in a loop."""
    return await _open_and_close(aim, (80, 24))


async def large(aim: Aim) -> str:
    """Open and close very large lobby screens in a loop."""
    return await _open_and_close(aim, (400, 200))


async def _open_and_close(aim: Aim, size: tuple[int, int]) -> str:
    shown, end = 0, aim.end
    last = asyncio.get_running_loop().time() + aim.seconds + 1
    words: set[str] = set()

    async def again(number: int) -> None:
        nonlocal shown
        while monotonic() < end:
            try:
                async with asyncio.timeout_at(last):
                    connection = await dial(aim.port, f"eve{number}", address=ADDRESS)
                    await _first_picture(connection, size)
                shown += 1
                connection.close()
            except _REFUSALS as error:
                words.add(str(error))
                await asyncio.sleep(0.5)

    await asyncio.gather(*(again(number) for number in range(_SCREENS)))
    return f"{shown} screens by {_SCREENS} at once; others were told {_quoted(words)}"


async def _first_picture(connection: asyncssh.SSHClientConnection, size: tuple[int, int]) -> None:
    process: Any = await connection.create_process(encoding=None, term_type="xterm-256color", term_size=size)
    received = 0
    while received < _A_PICTURE and (data := await process.stdout.read(65536)):
        received += len(data)


async def compressed(aim: Aim) -> str:
    """Send a compression bomb if the server agrees to compress, otherwise a lot of data without meaning."""
    try:
        await _dial_compressed(aim.port, ("zlib@openssh.com", "zlib"))
    except asyncssh.Error as error:
        answer = str(error)
    else:
        answer = "compression was spoken"
    connection = await _dial_compressed(aim.port, ("zlib@openssh.com", "none"))
    spoken = connection.get_extra_info("send_compression")
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    process.stdin.write(bytes(20 * _MEGABYTE))
    try:
        async with asyncio.timeout(aim.seconds):
            await process.wait_closed()
        outcome = "ended the session"
    except TimeoutError:
        outcome = "were left unread"
    connection.abort()  # an orderly close would wait until all of it is sent
    return f"was told {answer!r}; with a choice, {spoken!r} is spoken; 20 MB of zeros {outcome}"


async def _dial_compressed(port: int, algorithms: tuple[str, ...]) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1", port, username="eve", known_hosts=None, config=None, agent_path=None, client_keys=None,
        client_factory=NoAnswers, local_addr=(ADDRESS, 0), compression_algs=algorithms,
    )  # fmt: skip


async def files(aim: Aim) -> str:
    """Open more connections than the server may open files, from many addresses."""
    end, kept = aim.end, []
    words: set[str] = set()
    gate = asyncio.Semaphore(_AT_ONCE)

    async def hold(number: int) -> None:
        async with gate:
            if monotonic() > end:
                return
            try:
                address = f"127.66.7.{1 + number % _ADDRESSES}"
                async with asyncio.timeout(5):
                    kept.append(await dial(aim.port, f"eve{number}", is_guest=True, address=address))
            except _REFUSALS as error:
                words.add(str(error))

    await asyncio.gather(*(hold(number) for number in range(_HELD)))
    await asyncio.sleep(max(0.0, end - monotonic()))
    return f"{len(kept)} of {_HELD} connections; others were told {_quoted(words)}"


async def opening(aim: Aim) -> str:
    """Open a table as a guest and leave it, repeatedly."""
    return await _ask_on(aim, [(OpenTable, "land_cards", {}, 3), (GoTo, None)])


async def looking(aim: Aim) -> str:
    """Look at one's own table through one of its seats and another, alternately."""
    first: list[_Request] = [(OpenTable, "land_cards", {}, 3), (TakeSeat, 0), (TakeSeat, 1)]
    return await _ask_on(aim, [(Look, 0), (Look, 1), (Look, None)], first)


async def going(aim: Aim) -> str:
    """Go to a table and back to the lobby, repeatedly."""
    connection, client = await _guest(aim)
    await client.do(OpenTable, "land_cards", {}, 3)
    await client.do(TakeSeat, 0)
    table = client.table.id
    return await _ask_on(aim, [(GoTo, None), (GoTo, table)], guest=(connection, client))


async def resyncing(aim: Aim) -> str:
    """Request the whole lobby repeatedly, and read it."""
    return await _ask_on(aim, [(Resync,)])


async def searching(aim: Aim) -> str:
    """Type lines in several sessions whose words are looked for among all moves, each at another position."""
    connection = await dial(aim.port, "eve", is_guest=True, address=ADDRESS)
    end, answered = aim.end, 0

    async def read(process: Any) -> None:
        nonlocal answered
        while data := await process.stdout.read(65536):
            answered += data.count(_NO_WORD)

    sessions = [await connection.create_process("plain", encoding=None) for _ in range(_SESSIONS)]
    reading = [asyncio.create_task(read(session)) for session in sessions]
    for session in sessions:
        session.stdin.write(b"open web_of_power 3\njoin 2\njoin 3\nstart\n")
    while monotonic() < end:
        for session in sessions:
            if not session.is_closing() and session.channel.get_write_buffer_size() < _BYTES_AHEAD:
                session.stdin.write(b"".join(b"seat %d\n%s\n" % (seat, _NO_WORD) for seat in (1, 2)) * 100)
        await asyncio.sleep(0.05)
    connection.abort()
    await asyncio.gather(*reading, return_exceptions=True)
    return f"{answered} lines were answered"


_Request = tuple[Any, ...]
_Guest = tuple[asyncssh.SSHClientConnection, Client]


async def _guest(aim: Aim) -> _Guest:
    connection = await dial(aim.port, "eve", is_guest=True, address=ADDRESS)
    process: Any = await connection.create_process(subsystem="kk-sync", encoding=None)
    client = Client(RemoteLink(connection, process))
    await client.ask(Hello, PROTOCOL_VERSION)
    return connection, client


async def _ask_on(
    aim: Aim, requests: Iterable[_Request], first: Iterable[_Request] = (), guest: _Guest | None = None
) -> str:
    """Have a guest make one request after the other, as fast as they are answered."""
    connection, client = guest or await _guest(aim)
    answered, refused = 0, 0
    words: set[str] = set()
    for request in first:
        await client.do(*request)
    end = aim.end
    for request in cycle(requests):
        if monotonic() > end or client.goodbye is not None:
            break
        reply = await client.ask(*request)
        client.sent.clear()  # the client of the tests keeps everything
        del client.trees[:-1]
        answered += isinstance(reply, Done)
        if isinstance(reply, Refused):
            refused += 1
            words.add(str(reply.reason))
            await asyncio.sleep(0)
    connection.abort()
    return f"{answered} requests carried out, {refused} refused; was told {_quoted(words)}"


async def unread(aim: Aim) -> str:
    """Request the whole lobby from five programs that claim to accept very much, and read nothing."""
    asked = 0
    hello, again = (frame(encode_message(each)) for each in (Hello(1, PROTOCOL_VERSION), Resync(2)))
    programs: list[Any] = []
    for number in range(_PROGRAMS):
        connection = await dial(aim.port, f"eve{number}", is_guest=True, address=ADDRESS)
        process: Any = await connection.create_process(
            subsystem="kk-sync", encoding=None, window=_WINDOW, max_pktsize=_WINDOW
        )
        process.stdin.write(hello)
        programs.append(process)
    end = aim.end
    while monotonic() < end:
        for process in programs:
            # Our own buffer must not grow when the server stops reading.
            if not process.is_closing() and process.channel.get_write_buffer_size() < _BYTES_AHEAD:
                process.stdin.write(again * 100)
                asked += 100
        await asyncio.sleep(0.05)
    ended = sum(process.is_closing() for process in programs)
    return f"asked {asked} times; {ended} of {_PROGRAMS} were hung up on"


async def resized(aim: Aim) -> str:
    """Resize ten very large terminals a hundred times a second."""
    return await _resize(aim, [(_LARGEST, _LARGEST), (_LARGEST - 1, _LARGEST)])


async def dragged(aim: Aim) -> str:
    """Resize ten terminals to sizes that are drawn, with as many cells as share turns with ordinary ones."""
    return await _resize(aim, [(200, 80), (199, 80)])


async def _resize(aim: Aim, sizes: list[tuple[int, int]]) -> str:
    terminals, sent = [await _terminal(aim) for _ in range(_RESIZED)], 0
    end = aim.end  # only now, since on a busy machine it takes them seconds to come
    while monotonic() < end:
        for terminal in terminals:
            # Two sizes alternately, since the same size again is not a change.
            terminal.resize(*sizes[sent // _RESIZED % len(sizes)])
            sent += 1
        await asyncio.sleep(0.01)
    ended = sum(terminal.is_closed for terminal in terminals)
    return f"{sent} sizes; {ended} of {_RESIZED} were hung up on"


# -- through the page ----------------------------------------------------------------------------------------


async def page_noise(aim: Aim) -> str:
    """Type random bytes on a page, in frames as long as the server takes."""
    page, sent, dice, end = await _page(aim), 0, random.Random(1), aim.end
    while monotonic() < end:
        if page.transport.is_closing():
            await page.close()
            page = await _page(aim)
        if page.transport.get_write_buffer_size() < _BYTES_AHEAD:
            with suppress(ConnectionResetError):  # noise may be a key that ends the session
                await page.socket.send_bytes(dice.randbytes(_A_FRAME))
                sent += _A_FRAME
        else:
            await asyncio.sleep(0.01)
    await page.close()
    return f"wrote {sent / 1e6:.2f} MB, with what the system buffers"


async def page_held(aim: Aim) -> str:
    """Hold an arrow key down on a page, a thousand times a second, each press in a frame of its own."""
    page, sent, end = await _page(aim), 0, aim.end
    while monotonic() < end:
        if page.transport.get_write_buffer_size() < _BYTES_AHEAD:
            for _ in range(10):
                await page.socket.send_bytes(b"\x1b[C")
            sent += 10
        await asyncio.sleep(0.01)
    await page.close()
    return f"{sent} keys"


async def page_unread(aim: Aim) -> str:
    """Resize five pages, which draws all of them, and read nothing that is drawn."""
    asked, pages = 0, [await _page(aim) for _ in range(_PROGRAMS)]
    for page in pages:
        page.transport.pause_reading()
    end = aim.end
    while monotonic() < end:
        for page in pages:
            if not page.transport.is_closing():
                columns = 120 + asked % 2
                await page.socket.send_str(f'{{"type":"resize","columns":{columns},"rows":40}}')
                asked += 1
        await asyncio.sleep(0.05)
    ended = sum(page.transport.is_closing() for page in pages)
    for page in pages:
        page.transport.abort()
        await page.close()
    return f"{asked} sizes; {ended} of {_PROGRAMS} were hung up on"


async def _page_or_why(aim: Aim, words: set[str]) -> Page | None:
    """Open a page; if the server refuses, note its word for it and wait a little."""
    try:
        return await open_page(aim.web, ADDRESS)
    except aiohttp.ClientError as error:
        words.add(str(getattr(error, "status", type(error).__name__)))
        await asyncio.sleep(0.1)
        return None


async def page_oversized(aim: Aim) -> str:
    """Send frames longer than the server takes, before a login and after it, and such as never end."""
    end, sent, refused = aim.end, 0, 0
    words: set[str] = set()

    async def again(number: int) -> None:
        nonlocal sent, refused
        while monotonic() < end:
            if (page := await _page_or_why(aim, words)) is None:
                continue
            with suppress(ConnectionError, EOFError):
                if number % 2:
                    await page.greet("eve", command=("join", aim.code))
                if number % 4 < 2:
                    await page.socket.send_bytes(bytes(_MEGABYTE))
                else:
                    page.transport.write(_ENDLESS + bytes(_MEGABYTE))
                sent += 1
                while await page.read():
                    pass
            refused += page.socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
            await page.close()

    await asyncio.gather(*(again(number) for number in range(_AT_ONCE)))
    return f"{sent} frames, {refused} of them refused as too long; others were told {_quoted(words)}"


async def page_replayed(aim: Aim) -> str:
    """Log in again and again with a signature that was recorded once."""
    refused, end, words = 0, aim.end, set[str]()
    first = await open_page(aim.web, ADDRESS)
    recorded = await first.greet("eve")
    await first.close()
    while monotonic() < end:
        if (page := await _page_or_why(aim, words)) is None:
            continue
        with suppress(ConnectionError, EOFError):
            await page.greet("eve", proved=recorded)
            if await page.read():
                words.add("let in")
            else:
                refused += 1
        await page.close()
    return f"{refused} refused; was told {_quoted(words)}"


async def half_open(aim: Aim) -> str:
    """Keep thousands of connections to the page open that have not logged in, and reopen them.

    They ask for nothing, begin a request, or open the socket and do not say who comes.
    """
    end, opened, kept, most = aim.end, 0, 0, 0
    words: set[str] = set()
    upgrade = (
        f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{aim.web}\r\nOrigin: http://127.0.0.1:{aim.web}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    first = (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", upgrade.encode())

    async def hold(number: int) -> None:
        nonlocal opened, kept, most
        while monotonic() < end:
            reader, writer = await asyncio.open_connection("127.0.0.1", aim.web, local_addr=(ADDRESS, 0))
            opened += 1
            writer.write(first[number % len(first)])
            try:
                async with asyncio.timeout(_TAKEN):
                    answer = await reader.read(65536)
                is_taken = answer.startswith(b"HTTP/1.1 101")
                words.add(answer.partition(b"\r\n")[0].decode(errors="replace"))
            except TimeoutError:
                is_taken = True
            except OSError as error:
                is_taken = False
                words.add(str(error))
            if is_taken:
                kept += 1
                most = max(most, kept)
                with suppress(TimeoutError, OSError):
                    async with asyncio.timeout(max(0.0, end - monotonic())):
                        await reader.read()
                kept -= 1
            writer.close()
            await asyncio.sleep(1)

    await asyncio.gather(*(hold(number) for number in range(_HALF_OPEN)), return_exceptions=True)
    return f"{opened} connections, at most {most} of them taken at once; others read {_quoted(words - {''})}"


async def elsewhere(aim: Aim) -> str:
    """Be the page of somebody else, whose visitors' browsers all try to open the socket."""
    refused, end, words = 0, aim.end, set[str]()

    async def again() -> None:
        nonlocal refused
        while monotonic() < end:
            try:
                page = await open_page(aim.web, ADDRESS, "https://evil.example")
            except aiohttp.WSServerHandshakeError as error:
                words.add(f"{error.status}")
                refused += 1
            except aiohttp.ClientError as error:
                words.add(type(error).__name__)
                refused += 1
            else:
                words.add("let in")
                await page.close()
            await asyncio.sleep(0)

    await asyncio.gather(*(again() for _ in range(_SCREENS)))
    return f"{refused} refused; was told {_quoted(words)}"


async def _page(aim: Aim) -> Page:
    """Open a page on the honest people's table, and see its first picture."""
    page = await open_page(aim.web, ADDRESS)
    await page.greet("eve", command=("join", aim.code))
    await page.read()
    return page


_Attack = Callable[[Aim], Coroutine[Any, Any, str]]

THROUGH_THE_PAGE: Final[dict[str, _Attack]] = {
    attack.__name__: attack
    for attack in (page_noise, page_held, page_unread, page_oversized, page_replayed, half_open, elsewhere)
}
"""Attacks on the page for browsers."""

ATTACKS: Final[dict[str, _Attack]] = {
    attack.__name__: attack
    for attack in (
        noise,
        held,
        silent,
        names,
        screens,
        large,
        compressed,
        files,
        opening,
        looking,
        going,
        resyncing,
        unread,
        resized,
        dragged,
        searching,
    )
} | THROUGH_THE_PAGE


class _Terminal:
    """A terminal whose owner reads everything and looks at nothing."""

    def __init__(self, connection: asyncssh.SSHClientConnection, process: Any) -> None:
        self._process = process
        self._connection = connection
        self._reader = asyncio.create_task(self._read())

    @property
    def is_closed(self) -> bool:
        """True once the server has closed it."""
        return self._reader.done()

    @property
    def waiting(self) -> int:
        """The number of bytes that the server has not accepted yet."""
        size: int = self._process.channel.get_write_buffer_size()
        return size

    def type(self, data: bytes) -> None:
        """Send bytes."""
        if not self.is_closed:
            self._process.stdin.write(data)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size."""
        if not self.is_closed:
            self._process.change_terminal_size(columns, rows)

    async def _read(self) -> None:
        while await self._process.stdout.read(65536):
            pass
        self._connection.close()


async def _terminal(aim: Aim) -> _Terminal:
    """Open a terminal that watches the honest people's table."""
    connection = await dial(aim.port, "eve", address=ADDRESS)
    process: Any = await connection.create_process(
        f"join {aim.code}", encoding=None, term_type="xterm-256color", term_size=(80, 24)
    )
    return _Terminal(connection, process)


def _quoted(words: set[str]) -> str:
    return ", ".join(repr(word) for word in sorted(words)[:3]) or "nothing"


def main() -> None:
    """Run one attack."""
    name, port, seconds, code, *web = sys.argv[1:]
    aim = Aim(int(port), float(seconds), code, *map(int, web))
    print(asyncio.run(ATTACKS[name](aim)))  # noqa: T201


if __name__ == "__main__":
    main()
