"""What takes more than one: rematch, breaking off, giving up, closing, and bots for those who are gone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kk_core.protocol.messages import GetHistory, History, LeaveSeat, Play, Propose, Resync, TakeSeat, Vote
from kk_core.views import ProposalView
from kk_server.hub.hub import Hub
from kk_server.limits import Timeouts
from kk_server.storage.memory_log import MemoryLog
from kk_server.storage.table_log import TableLog
from tests.server.client import Client
from tests.server.conftest import Connect
from tests.server.hosting import PLENTY
from tests.server.playing import begin_match, finish
from tests.server.test_owners import table_of, told
from tests.server.test_storage import Failing


@pytest.fixture
async def hub(log: TableLog) -> AsyncIterator[Hub]:
    """A hub that counts whoever goes as gone at once."""
    hub = Hub(log, bot_pause=0, limits=PLENTY, times=Timeouts(vote=0))
    await hub.load()
    yield hub
    await hub.close()


async def match_of(connect: Connect, *names: str) -> list[Client]:
    """These people in a match."""
    return await begin_match(await table_of(connect, *names))


async def test_a_rematch_begins_only_when_all_have_agreed_and_the_result_stays_until_then(
    connect: Connect,
) -> None:
    anna, beate, carl = await match_of(connect, "anna", "beate", "carl")
    await finish(anna, beate, carl)
    await beate.do(Propose, "rematch")
    await carl.until(lambda c: c.table.proposal is not None)
    assert carl.table.proposal == ProposalView("rematch", None, "beate", ("beate",), ("anna", "carl"))
    for _ in range(2):
        await carl.do(Vote, True)
        assert carl.table.proposal == ProposalView("rematch", None, "beate", ("beate", "carl"), ("anna",))
    assert carl.table.phase == "finished"
    await anna.do(Vote, True)
    assert (anna.table.phase, anna.table.proposal) == ("playing", None)
    assert [seat.name for seat in anna.table.seats] == ["beate", "carl", "anna"]
    assert [seat.colour for seat in anna.table.seats] == [1, 2, 0]


async def test_a_no_ends_what_was_proposed_and_all_are_told(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    await anna.do(Propose, "abort")
    await beate.do(Vote, False)
    await anna.until(lambda c: c.table.proposal is None and "beate does not agree." in told(c))
    assert anna.table.phase == "playing"
    assert "There is no proposal" in await anna.refused(Vote, True)


async def test_who_has_proposed_takes_it_back_and_nobody_else_proposes_meanwhile(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    await anna.do(Propose, "abort")
    assert "Answer anna's proposal first" in await beate.refused(Propose, "resign", 1)
    await anna.do(Vote, False)
    await beate.until(lambda c: "anna has withdrawn the proposal." in told(c))
    await beate.do(Propose, "resign", 1)


async def test_who_only_looks_on_has_no_say(connect: Connect) -> None:
    anna, _ = await match_of(connect, "anna", "beate")
    eve = connect("eve")
    await eve.go_to(anna.table.id)
    await anna.do(Propose, "abort")
    assert "people seated here can answer" in await eve.refused(Vote, False)
    assert "players seated here" in await eve.refused(Propose, "resign", 0)
    assert "Unknown proposal" in await anna.refused(Propose, "dance")


async def test_a_match_that_is_broken_off_has_no_result_and_the_people_keep_seats_and_colours(
    connect: Connect, log: TableLog
) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    colours = {seat.name: seat.colour for seat in anna.table.seats}
    await anna.do(Propose, "abort")
    await beate.do(Propose, "abort")  # who proposes the same agrees
    await anna.until(lambda c: c.table.phase == "open")
    assert {seat.name: seat.colour for seat in anna.table.seats} == colours
    history = await anna.ask(GetHistory)
    assert isinstance(history, History)
    assert history.matches == ()
    await anna.start()
    assert {seat.name: seat.colour for seat in anna.table.seats} == colours
    again = Hub(log)
    await again.load()
    assert (await again.table(anna.table.id)).state.matches == 2


async def test_when_the_seats_move_on_nobody_looks_through_that_of_somebody_else(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    await anna.look(0)
    await anna.do(Propose, "abort")
    await beate.do(Vote, True)
    await anna.until(lambda c: c.table.phase == "open")
    assert [seat.owner for seat in anna.table.seats] == ["beate", "anna"]
    assert anna.table.viewer in (None, 1)


async def test_whoever_gives_up_watches_a_bot_play_on_to_the_end(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    assert "not your seat" in await anna.refused(Propose, "resign", 1)
    assert "Say which seat" in await anna.refused(Propose, "resign")
    await beate.do(Propose, "resign", 1)
    await anna.do(Vote, True)
    assert anna.table.seats[1].stand_in is not None
    assert anna.table.seats[1].has_given_up
    await beate.do(TakeSeat, 1, "")
    assert "A bot plays for you" in await beate.refused(Play, 1, beate.match.ply, 0)
    while anna.observation.outcome is None:
        await anna.play(0, anna.observation.legal_moves[0])
        await anna.until(lambda c: c.observation.legal_moves or c.observation.outcome)
    await beate.until(lambda c: c.table.phase == "finished")
    history = await beate.ask(GetHistory)
    assert isinstance(history, History)
    assert history.matches[0].mine == (1,)


async def test_a_bot_plays_for_who_is_gone_if_all_who_are_here_want_it_and_goes_when_he_is_back(
    connect: Connect,
) -> None:
    anna, beate, carl = await match_of(connect, "anna", "beate", "carl")
    assert "beate is online" in await anna.refused(Propose, "bot", 1)
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Propose, "bot", 1)
    assert anna.table.proposal is not None
    assert anna.table.proposal.waits == ("carl",)
    await carl.do(Vote, True)
    await anna.until(lambda c: c.table.seats[1].stand_in is not None)
    assert anna.table.seats[1].name == "beate"
    await anna.play(0, anna.observation.legal_moves[0])
    await carl.play(2, carl.observation.legal_moves[0])
    await anna.until(lambda c: 0 in c.observation.active)  # the bot has moved
    back = connect("beate")
    await anna.until(lambda c: c.table.seats[1].stand_in is None)
    await anna.until(lambda c: "beate is back and playing again." in told(c))
    await back.go_to(anna.table.id)
    assert (back.table.viewer, back.table.seats[1].stand_in) == (1, None)


async def test_only_for_who_has_been_away_for_a_while_can_a_bot_be_asked_for() -> None:
    hub = Hub(MemoryLog(), bot_pause=0, limits=PLENTY, times=Timeouts(vote=1000))
    await hub.load()
    anna, beate = await match_of(lambda user: Client(hub.connect(user)), "anna", "beate")
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    assert "has only just left" in await anna.refused(Propose, "bot", 1)
    await hub.close()


async def test_nobody_waits_for_the_answer_of_one_who_goes(connect: Connect) -> None:
    anna, beate, carl = await match_of(connect, "anna", "beate", "carl")
    await anna.do(Propose, "abort")
    await beate.do(Vote, True)
    await carl.close()
    await anna.until(lambda c: c.table.phase == "open")
    assert [seat.owner for seat in anna.table.seats] == ["beate", None, "anna"]


async def test_what_somebody_has_proposed_goes_with_them(connect: Connect) -> None:
    anna, beate, carl = await match_of(connect, "anna", "beate", "carl")
    await carl.do(Propose, "abort")
    await anna.until(lambda c: c.table.proposal is not None)
    await carl.close()
    await beate.until(lambda c: c.table.proposal is None)
    assert "There is no proposal" in await anna.refused(Vote, True)
    assert anna.table.phase == "playing"


async def test_who_was_ready_to_begin_still_is_while_they_are_away(connect: Connect) -> None:
    anna, beate, carl = await table_of(connect, "anna", "beate", "carl")
    await beate.do(Propose, "start")
    for client, seat in ((beate, 1), (carl, 2)):
        await client.close()
        await anna.until(lambda c, seat=seat: not c.table.seats[seat].online)
    assert anna.table.proposal == ProposalView("start", None, "beate", ("beate",), ("anna", "carl"))
    await anna.do(Vote, True)
    assert anna.table.phase == "open"
    back = connect("carl")
    await back.go_to(anna.table.id)
    await back.do(Vote, True)
    assert back.table.phase == "playing"


async def test_a_match_does_not_begin_without_the_word_of_who_sits_there_and_is_away(
    connect: Connect,
) -> None:
    anna, beate, carl = await table_of(connect, "anna", "beate", "carl")
    await carl.close()
    await anna.until(lambda c: not c.table.seats[2].online)
    await anna.do(Propose, "start")
    await beate.do(Vote, True)
    assert beate.table.phase == "open"
    assert beate.table.proposal == ProposalView("start", None, "anna", ("anna", "beate"), ("carl",))


async def test_what_all_have_agreed_to_and_cannot_be_stored_stays_proposed() -> None:
    log = Failing()
    hub = Hub(log, bot_pause=0, limits=PLENTY)
    await hub.load()
    anna, beate = await table_of(lambda user: Client(hub.connect(user)), "anna", "beate")
    for what, phase in (("start", "playing"), ("abort", "open")):
        await beate.do(Propose, what)
        await anna.until(lambda c: c.table.proposal is not None)
        proposed = anna.table.proposal
        log.is_full = True
        assert "full" in await anna.refused(Vote, True)
        log.is_full = False
        await anna.do(Resync)
        assert anna.table.proposal == proposed
        await anna.do(Vote, True)
        assert (anna.table.phase, anna.table.proposal) == (phase, None)
    await beate.do(Propose, "start")
    log.is_full = True
    assert "full" in await beate.refused(LeaveSeat, 0)
    await beate.do(Resync)
    assert beate.table.proposal is not None
    await hub.close()


async def test_who_stands_up_is_no_longer_ready_to_begin(connect: Connect) -> None:
    anna, beate = await table_of(connect, "anna", "beate")
    await beate.do(Propose, "start")
    await beate.do(LeaveSeat, 1)
    await anna.until(lambda c: c.table.seats[1].owner is None and c.table.proposal is None)


async def test_a_rematch_without_those_who_are_gone_waits_for_others(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    await finish(anna, beate)
    await beate.close()
    await anna.until(lambda c: not c.table.seats[1].online)
    await anna.do(Propose, "rematch")
    assert (anna.table.phase, [seat.owner for seat in anna.table.seats]) == ("open", [None, "anna"])
    await anna.until(lambda c: any(line.endswith("missing: beate.") for line in told(c)))
    history = await anna.ask(GetHistory)
    assert isinstance(history, History)
    assert len(history.matches) == 1
    await anna.seat_bots(0)
    await anna.start()


async def test_only_the_owner_proposes_to_close_and_when_all_agree_all_are_in_the_lobby(
    connect: Connect,
) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    eve = connect("eve")
    await eve.go_to(anna.table.id)
    assert "Only anna" in await beate.refused(Propose, "close")
    await anna.do(Propose, "close")
    await beate.do(Vote, True)
    for client in (anna, beate, eve):
        await client.until(lambda c: "anna has closed the table." in told(c))
        assert client.lobby.tables == ()


async def test_what_was_proposed_is_forgotten_when_the_match_ends_meanwhile(connect: Connect) -> None:
    anna, beate = await match_of(connect, "anna", "beate")
    await anna.do(Propose, "abort")
    await finish(anna, beate)
    assert anna.table.proposal is None


async def test_one_person_at_several_seats_needs_nobodys_consent(connect: Connect, log: MemoryLog) -> None:
    anna = connect("anna")
    await anna.open("ku_ka_king", 2)
    await anna.sit(0, 1)
    await anna.start()
    await anna.do(Propose, "abort")
    assert anna.table.phase == "open"
