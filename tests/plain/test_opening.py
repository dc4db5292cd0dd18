"""Tables opened by a line: rules, clock, ratings, who may come and watch."""

from __future__ import annotations

import pytest

from kk_core.protocol.messages import OpenTable
from kk_core.views import DAY, ClockRule
from kk_server.hub.hub import Hub
from kk_tui.games import faces
from kk_tui.languages import languages
from tests.plain.script import Script


async def opened(reader: Script, line: str) -> OpenTable:
    """Type a line that opens a table; return what was asked for."""
    asked, request = list[object](), reader.client.request

    async def noted(make):  # type: ignore[no-untyped-def]
        asked.append(make(0))
        return await request(make)

    reader.client.request = noted  # type: ignore[method-assign]
    try:
        await reader.type(line)
    finally:
        reader.client.request = request  # type: ignore[method-assign]
    await reader.type("leave")
    (found,) = [one for one in asked if isinstance(one, OpenTable)]
    return found


@pytest.mark.parametrize(
    ("words", "clock"),
    [
        ("clock fast", ClockRule(30, 300)),
        ("clock day", ClockRule(DAY)),
        ("clock 2+20", ClockRule(120, 1200)),
        ("clock 5", ClockRule(300)),
        ("", None),
    ],
)
async def test_a_clock_is_named_or_given_in_minutes(
    anna: Script, words: str, clock: ClockRule | None
) -> None:
    assert (await opened(anna, f"open ku_ka_king 3 {words}")).clock == clock


@pytest.mark.parametrize(
    ("language", "words", "usual"),
    [("de", "uhr schnell", "üblich"), ("nl", "klok snel", "gewoon"), ("es", "reloj rápido", "normal")],
)
async def test_clocks_are_named_in_the_reader_s_language_and_understood_in_english_too(
    hub: Hub, language: str, words: str, usual: str
) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    listed = await anna.type("options ku_ka_king")
    assert any(f"; {usual}: " in line for line in listed), listed
    assert f" {usual}" in listed[-1], listed
    for typed in (words, "clock fast"):
        assert (await opened(anna, f"open ku_ka_king 3 {typed}")).clock == ClockRule(30, 300)
    await anna.end()


async def test_words_say_who_may_come_watch_and_ask_for_hints(anna: Script) -> None:
    plain = await opened(anna, "open land 4")
    assert (plain.game, plain.seats, plain.private, plain.watched, plain.hints) == (
        "land_cards", 4, False, True, True,
    )  # fmt: skip
    other = await opened(anna, "open land 3 priv unwatched unaided")
    assert (other.private, other.watched, other.hints) == (True, False, False)
    rated = await opened(anna, "open land 3 rated")
    assert (rated.rated, rated.hints) == (True, False)


async def test_words_give_a_table_its_title_and_the_bot_that_stands_in(anna: Script) -> None:
    titled = await opened(anna, "open land 4 standin hard title The Sunday table")
    assert (titled.seats, titled.stand_in, titled.title) == (4, "hard", "The Sunday table")
    assert (await anna.type("open land standin chess"))[0].startswith("Which bot? There are ")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_every_rule_is_listed_and_chosen_by_its_number_and_letter(
    hub: Hub, game: str, language: str
) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    listed = await anna.type(f"options {game}")
    for number, option in enumerate(faces()[game].meta.options, 1):
        for letter, value in zip("abcdef", option.values, strict=False):
            assert any(line.startswith(f"{number}{letter}. ") for line in listed)
            found = await opened(anna, f"open {game} {number}{letter}")
            assert found.options == {option.name: value.value}
    await anna.end()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("open land clock never", "Type a clock: none, fast, usual, slow, day, days or week, or minutes for"),
        ("open land 9z", "There is no rule 9z here: see 'options land_cards'."),
        ("open land 9", "Kardinal & König: the card game has 3 to 5 seats."),
        ("open chess", "Which game? Type 'open' with "),
    ],
)
async def test_what_cannot_be_opened_is_refused_with_what_can(anna: Script, line: str, answer: str) -> None:
    assert (await anna.type(line))[0].startswith(answer)
    assert anna.client.store.table is None
