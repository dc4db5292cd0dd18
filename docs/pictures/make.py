"""Takes the pictures of the README from the running app: `make pictures`.

Every picture is a bot match from a fixed seed, stopped after some plies, as the player on the first seat
sees it at a table of a real hub, on a truecolor terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from kk_core.config import digest
from kk_core.match import Match
from kk_core.protocol.messages import GoTo
from kk_core.protocol.stream import ClientLink
from kk_core.record import record_of
from kk_core.registry import game
from kk_core.search.arena import new_match, plies, seed_of
from kk_server.hub.hub import Hub
from kk_server.storage.entries import Created, Entry, Moved, SeatHolder, Started
from kk_server.storage.memory_log import MemoryLog
from kk_server.tables.table import Table as HubTable
from kk_tui.match.result import ResultScreen
from kk_tui.match.table import TableScreen
from kk_tui.terminal.capabilities import ColourDepth, TerminalKind
from tests.tui.emulated import ShownApp, settled
from tests.tui.picture import Terminal
from tests.tui.svg import svg

FOLDER: Final = Path(__file__).parent
PEOPLE: Final = ("Anna", "Beate", "Claus", "Dora", "Emil")


@dataclass(frozen=True)
class Picture:
    """What a picture shows; `stop` is the number of plies, None the end.

    With `step` it is a step of the scoring animation of the next reveal or scoring: 1 is the first one.
    """

    name: str
    game: str
    seats: int
    stop: int | None
    size: tuple[int, int]
    light: bool = False
    step: int = 0


PICTURES: Final = (
    Picture("land_cards", "land_cards", 3, 60, (120, 40)),
    Picture("land_cards-80x24", "land_cards", 4, 51, (80, 24)),
    Picture("land_cards-result", "land_cards", 3, None, (120, 40)),
    Picture("web_of_power", "web_of_power", 4, 141, (160, 50)),
    Picture("web_of_power-scoring", "web_of_power", 4, 100, (120, 40), step=4),
    Picture("ku_ka_king", "ku_ka_king", 4, 20, (120, 40), light=True),
    Picture("ku_ka_king-reveal", "ku_ka_king", 4, 24, (120, 40), step=4),
)


def entries(picture: Picture) -> list[Entry]:
    """The log of a table whose match has come to the first seat's turn, or just past a great moment."""
    bots = ["greedy"] * picture.seats
    match = new_match(game(picture.game), {}, bots, seed_of("pictures", 1))
    before = _moments(match)
    for made in plies(match, bots):
        after = _moments(match)
        is_there = before != after if picture.step else 0 in match.game.active_seats(match.state)
        if picture.stop is not None and made >= picture.stop and is_there:
            break
        before = after
    record = record_of(match)
    seats = tuple(SeatHolder(name=name, owner=name.lower()) for name in PEOPLE[: picture.seats])
    return [
        Created(title="", host="anna", game=picture.game, options=record.options, seats=picture.seats),
        Started(record.seed, record.rules_version, seats, digest(record.rules_data)),
        *(Moved(line) for line in record.moves),
    ]


def _moments(match: Match) -> tuple[int, ...]:
    """Other numbers after every reveal of choices made at the same moment, and after every scoring."""
    rules, state = match.game, match.state
    reveals = rules.turn(state) if len(rules.active_seats(match.fresh().state)) > 1 else 0
    return rules.scorings(state), reveals


async def take(picture: Picture) -> str:
    """The picture as SVG."""
    log, written = MemoryLog(), entries(picture)
    await log.keep_data(game(picture.game).rules_data)
    last = written.pop() if picture.step else None
    for revision, entry in enumerate(written):
        await log.append("table", revision, entry)
    hub = Hub(log)
    await hub.load()
    others = [hub.connect(name.lower()) for name in PEOPLE[1 : picture.seats]]  # so that nobody is away

    async def connect() -> ClientLink:
        return hub.connect("anna")

    app = ShownApp(
        connect,
        local=False,
        light=picture.light,
        kind=TerminalKind(ColourDepth.TRUE, has_erase_colour=True),
        terminal=Terminal(*picture.size),
    )
    async with app.run_test(size=picture.size, headless=False) as pilot:
        await _until(pilot, lambda: app.store.lobby is not None or app.store.table is not None)
        if app.store.table is None:  # players return to their match automatically
            await app.request(lambda number: GoTo(number, "table"))
        await _until(
            pilot, lambda: isinstance(app.screen, ResultScreen if picture.stop is None else TableScreen)
        )
        if isinstance(last, Moved):
            await _play(hub.tables["table"], last.line)
            await _until(
                pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.scoring_player.is_playing
            )
            await pilot.press(*["enter"] * (picture.step - 1))
        elif isinstance(screen := app.screen, TableScreen):
            # the preview of the move under the cursor comes a moment later
            await _until(pilot, lambda: screen.is_previewed)
            screen.take_back()  # that one is back, which lies over the prompt
        await settled(app, pilot)
        drawn = svg(app.terminal.picture)
    for link in others:
        await link.close()
    await hub.close()
    return drawn


async def _play(table: HubTable, line: str) -> None:
    """Make the move of a line of the log."""
    match = table.state.match
    assert match is not None, "there is one in every picture"
    seat, _, notation = line.partition(" ")
    owner = table.state.seats[int(seat)].owner or ""
    await table.play(owner, int(seat), len(match.plies), match.game.parse_move(notation))


async def _until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await pilot.pause(0.05)


def main() -> None:
    """Take all pictures."""
    for picture in PICTURES:
        (FOLDER / f"{picture.name}.svg").write_text(asyncio.run(take(picture)), encoding="utf-8")


if __name__ == "__main__":
    main()
