"""The table that the words of `kk play` describe."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kk_core import games
from kk_core.bot_names import DEFAULT_BOT, bot_names
from kk_core.protocol.messages import OpenTable
from kk_core.registry import game, game_ids
from kk_server.accounts.daily import DailyDeals
from kk_server.accounts.names import AT_HOME
from kk_server.cli import Usage
from kk_server.cli.play import TableRequest, learn, newest, parse_seed, parse_table_request, play
from kk_server.hub.hub import Hub
from kk_server.storage.memory_log import MemoryLog
from kk_tui.settings import AppSettings, Recent, RecentFile, SettingsFile

OUTSIDE = Path(__file__).parents[1] / "core" / "contract" / "outside"
"""Games that have rules alone."""


@pytest.fixture
def faceless(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A game without a face, registered beside those of the program."""
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(OUTSIDE)])
    game_ids.cache_clear()
    yield "nim"
    monkeypatch.undo()
    game_ids.cache_clear()
    game.cache_clear()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home where nothing has been chosen yet; the last choices are in the folder `kk`."""
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    return tmp_path


def wish(*seats: str, game_id: str = "land_cards") -> TableRequest:
    made = parse_table_request(game_id, ",".join(seats) or None, [], None)
    assert made is not None
    return made


def test_a_game_that_has_rules_but_no_screen_is_refused_with_that_and_what_can_play_it(faceless: str) -> None:
    told = "has rules here but no screen; kk simulate plays it without one."
    for is_plain in (False, True):
        with pytest.raises(Usage, match=told):
            play(faceless, None, [], None, go_on=False, plain=is_plain)
    with pytest.raises(Usage, match=told):
        learn(faceless)


def test_a_bots_name_seats_that_bot_and_any_other_name_a_person() -> None:
    for bot in bot_names():
        assert wish("Anna", bot, "Tom Thumb").seats == ((None, "Anna"), (bot, ""), (None, "Tom Thumb"))


def test_a_person_may_be_called_almost_like_a_bot() -> None:
    assert wish("Hardy", "mel", "Expertin").seats == ((None, "Hardy"), (None, "mel"), (None, "Expertin"))


def test_blanks_around_a_name_do_not_count() -> None:
    assert wish(" Anna", " hard ", "Tom the 2nd").seats == wish("Anna", "hard", "Tom the 2nd").seats
    assert wish(" Anna", " hard ", "Tom the 2nd").seats[1:] == (("hard", ""), (None, "Tom the 2nd"))


def test_me_is_whoever_uses_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "frieda")
    assert wish("me", "Anna", "Beate").seats[0] == (None, "frieda")


def test_me_is_the_name_in_the_settings_or_else_the_last_one_that_was_played_under(home: Path) -> None:
    RecentFile(home / "kk" / "recent.json").save(Recent(name="cleo"))
    assert wish("me", "Anna", "Beate").seats[0] == (None, "cleo")
    SettingsFile(home / "kk" / "settings.json").save(AppSettings(name="Dora"))
    assert wish("me", "Anna", "Beate").seats[0] == (None, "Dora")


@pytest.mark.parametrize("account", ["root", "Administrator"])
def test_me_is_never_an_account_that_is_named_for_what_it_may_do(
    account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", account)
    assert wish("me", "Emil", "Beate").seats[0] == (None, "Anna")


def test_an_account_of_the_machine_may_have_signs_that_no_name_has_but_who_types_one_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOGNAME", "HOME#frieda$")
    assert wish("me", "Anna", "Beate").seats[0] == (None, "HOMEfrieda")
    with pytest.raises(Usage, match="A name cannot contain ':'"):
        wish("me", "Tom: the 2nd", "Beate")


@pytest.mark.parametrize("game_id", game_ids())
def test_without_seats_one_plays_against_as_few_bots_as_possible(game_id: str) -> None:
    seats = wish(game_id=game_id).seats
    assert len(seats) == game(game_id).meta.min_seats
    assert [bot for bot, _name in seats] == [None, *[DEFAULT_BOT] * (len(seats) - 1)]


@pytest.mark.parametrize("game_id", game_ids())
def test_options_that_are_not_given_have_their_defaults(game_id: str) -> None:
    assert wish(game_id=game_id).options == game(game_id).meta.default_options()


def test_without_a_game_nothing_is_wished() -> None:
    assert parse_table_request(None, None, [], None) is None


def test_a_seed_of_a_record_is_taken_as_it_stands_and_of_other_words_the_digest() -> None:
    assert parse_seed("ab" * 32) == bytes([0xAB]) * 32
    assert parse_seed("7") == sha256(b"7").digest()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chess", None, [], None), "chess"),
        (("land_cards", "me", [], None), "3"),
        (
            ("land_cards", "xx", [], None),
            r"'xx' names 1 seat, but the game needs at least 3: each is me, a bot \(easy, ",
        ),
        (("land_cards", "hard,xx", [], None), "'hard,xx' names 2 seats, but the game needs at least 3"),
        (("land_cards", "a,b,c,d,e,f", [], None), "3 to 5 players, not 6"),
        (("land_cards", "me,med,x", [], None), "did you mean medium"),
        (("land_cards", "me,exp,x", [], None), "did you mean expert"),
        (("land_cards", "me,ai,x", [], None), f"did you mean {DEFAULT_BOT}"),
        (("land_cards", "computer,me,x", [], None), f"did you mean {DEFAULT_BOT}"),
        (("land_cards", "me,greedyy,x", [], None), "did you mean greedy"),
        (("land_cards", "me,Hard,x", [], None), "did you mean hard"),
        (("land_cards", "me,HARD,x", [], None), "did you mean hard"),
        (("land_cards", "me,expret,x", [], None), "did you mean expert"),
        (("land_cards", "Me,hard,x", [], None), "did you mean me"),
        *(
            (("land_cards", f"me,{typed},x", [], None), f"'{typed}' would be .* did you mean {meant}")
            for typed, meant in {
                "haed": "hard",
                "hrad": "hard",
                "hart": "hard",
                "hadr": "hard",
                "hard1": "hard",
                "har": "hard",
                "eays": "easy",
                "esay": "easy",
                "esy": "easy",
                "rnadom": "random",
                "meduim": "medium",
            }.items()
        ),
        (
            ("land_cards", "me,xx,x", [], None),
            r"'xx' is neither me nor a bot \(easy, .*\); for a person, write Xx",
        ),
        (("land_cards", "me,anna,x", [], None), "'anna' is neither .* for a person, write Anna"),
        (
            ("land_cards", "me,hard:50,x", [], None),
            "'hard:50': .* a bot at a table takes no number .* write hard",
        ),
        (("land_cards", "me,Hard: 50,x", [], None), "'Hard: 50': .* a bot at a table .* write hard"),
        (("land_cards", "me,hardd:50,x", [], None), "'hardd:50': .* a bot at a table .* write hard"),
        (("land_cards", "me,,x", [], None), "name"),
        (("land_cards", "me,bot:x,y", [], None), "bots"),
        (("land_cards", None, ["take"], None), "KEY=VALUE"),
        (("land_cards", None, ["take=all"], None), "take"),
        (("land_cards", None, ["colour=red"], None), "colour"),
        ((None, "me,greedy", [], None), "kk play GAME"),
        ((None, None, [], "7"), "kk play GAME"),
    ],
)
def test_what_cannot_be_is_refused_with_the_thing_and_the_reason(arguments: Any, words: str) -> None:
    with pytest.raises(Usage, match=words):
        parse_table_request(*arguments)


@pytest.mark.parametrize("name", ["Anna", "Hart", "Hardy", "Xx", "beate", "annemarie", "李"])
def test_a_word_that_is_no_slip_for_a_bot_is_a_person(name: str) -> None:
    assert wish("me", name, "hard").seats[1] == (None, name)


async def test_of_matches_that_go_on_the_one_that_was_played_last_is_the_newest() -> None:
    times = count(1)
    hub = Hub(MemoryLog(), daily=DailyDeals(clock=lambda: next(times)))
    await hub.load()
    assert newest(hub) is None
    tables = [await hub.open_table(AT_HOME, OpenTable(0, "ku_ka_king", {}, 2)) for _ in range(3)]
    for table in tables:
        for seat in (0, 1):
            await table.take_seat(AT_HOME, seat, "")
    assert newest(hub) is None, "none has begun"
    for table in tables[:2]:
        await table.start(AT_HOME)
    assert newest(hub) == tables[1].id
    await tables[0].play(AT_HOME, 0, 0, 1)
    assert newest(hub) == tables[0].id
    await hub.close()
