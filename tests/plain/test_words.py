"""What is meant by words and their beginnings, and what is answered where nothing, or several things, are."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace

import msgspec
import pytest

from kk_core.errors import InvalidMove, KkError
from kk_core.games.land_cards.model import COLUMNS, TAKE, TAKEN
from kk_core.games.web_of_power.model import CARD_NAMES, CLOISTER_OF, COUNTRY_NAMES, DRAWING, HAND
from kk_core.text import text, text_in
from kk_server.hub.hub import UNRATED, Hub
from kk_tui.games import faces
from kk_tui.games.ku_ka_king.face import FACE
from kk_tui.games.plain import PlainFace, plain_face
from kk_tui.i18n import PlainReader, render, writing_for
from kk_tui.languages import languages, translator
from kk_tui.matching import Fit, fit, meant, ways_of, words_of
from kk_tui.plain.editor import LineEditor
from kk_tui.plain.lines import TypedLines, wrapped
from kk_tui.plain.moves import MoveWords, verbs
from kk_tui.plain.phrases import prompt
from kk_tui.plain.words import word_meant
from tests.plain.script import Script, freely
from tests.plain.test_matches import make_a_move, play_on
from tests.tui.scenes import match_of, scene_of_match


@pytest.mark.parametrize(
    ("typed", "how"),
    [
        ("place cloister FR3 with Frankreich", Fit.WHOLE),
        ("cloister fr3 frankreich", Fit.WORDS),
        ("pl c fr3 w frank", Fit.BEGINNINGS),
        ("fr3", Fit.WORDS),
        ("fr3 place", None),
        ("place FR4", None),
    ],
)
def test_words_may_be_left_out_and_shortened_but_keep_their_order(typed: str, how: Fit | None) -> None:
    assert fit(words_of(typed), words_of("place cloister FR3 with Frankreich")) == how


def test_the_beginning_of_a_number_is_another_number() -> None:
    assert fit(("1",), ("call", "12")) is None
    assert fit(("12",), ("call", "12")) is Fit.WORDS


def test_accents_and_case_do_not_matter() -> None:
    assert words_of("Zurück: DÄNEMARK") == ("zurueck", "daenemark")


def test_what_fits_best_is_meant_even_if_others_fit() -> None:
    assert meant(("a",), [(1, ("a",)), (2, ("a b",)), (3, ("abc",))]) == (Fit.WHOLE, [1])
    assert meant(("ab",), [(1, ("a",)), (2, ("abd",)), (3, ("abc",))]) == (Fit.BEGINNINGS, [2, 3])


def test_words_that_are_typed_together_stand_together_where_they_can() -> None:
    one, two = "place cloister FK7 with Franken/Aragon", "place cloister FK7 with two Franken/Aragon"
    choices = [(1, (one,)), (2, (two,))]
    assert meant(words_of("cloister fk7 with franken/aragon"), choices)[1] == [1]
    assert meant(words_of("place cloister fk7 with franken"), choices)[1] == [1]
    assert meant(words_of("fk7 with two franken"), choices)[1] == [2]
    assert meant(words_of("fk7"), choices)[1] == [1, 2]
    bayern = [(c, (f"place advisor {c} with Bayern/Burgund",)) for c in ("Bayern", "Burgund")]
    assert meant(words_of("advisor bayern"), bayern)[1] == ["Bayern"]
    assert meant(("2",), [(1, ("place 2 7",)), (2, ("place 3 2",))])[1] == [1, 2]
    for take in ("take", "tak"):
        assert meant((take, "1"), [(1, ("take 1 left",)), (2, ("take 2 1", "take 2 left"))])[1] == [1]
        assert meant((take, "1"), [(2, ("take 2 1", "take 2 left"))])[1] == [2]


def test_a_long_line_is_broken_between_words_and_goes_on_indented() -> None:
    assert wrapped("one two three four five six", 20) == ["one two three four", "  five six"]
    assert wrapped("one two three four five six", 0) == ["one two three four five six"]


async def begun(hub: Hub, game: str, language: str | None = None) -> Script:
    reader = Script(hub, language=language)
    await reader.begin()
    for line in (f"open {game}", "bots random", "start"):
        await reader.type(line)
    return reader


async def test_words_for_several_moves_are_answered_with_some_of_them(hub: Hub) -> None:
    anna = await begun(hub, "ku_ka_king")
    some = "'call 1', 'call 2', 'call 3', 'call 4'"
    assert await anna.type("call") == [f"'call' may mean {some}, or 2 others."]
    await anna.end()


async def test_words_that_mean_nothing_are_quoted_and_answered_with_what_can_be_typed(anna: Script) -> None:
    assert await anna.type("dance") == ["'dance' is no word here. Type 'help'."]


@pytest.mark.parametrize(
    ("language", "line", "told"),
    [
        (None, "tables", "'tables' is for the lobby; 'leave' leads there."),
        (None, "tabl", "'tables' is for the lobby; 'leave' leads there."),
        (None, "op", "'open GAME [SEATS] [...]' or 'options GAME' is for the lobby; 'leave' leads there."),
        ("de", "öffne", "'öffnen SPIEL [PLÄTZE] [...]' gehört in die Lobby; 'gehen' führt dorthin."),
    ],
)
@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_word_of_the_lobby_and_its_beginning_are_answered_at_a_table_with_where_they_count(
    hub: Hub, language: str | None, line: str, told: str, *, is_begun: bool
) -> None:
    anna = Script(hub, language=language)
    await anna.begin()
    await anna.type("open ku_ka_king")
    if is_begun:
        await anna.type("bots random")
        await anna.type("start")
    assert await anna.type(line) == [told]
    await anna.end()


async def test_a_word_of_a_table_and_its_beginning_are_answered_in_the_lobby_with_where_they_count(
    anna: Script,
) -> None:
    assert await anna.type("take 1 left") == ["'take' is for a table; you are in the lobby."]
    assert await anna.type("tak 1") == ["'take ROW left|right' is for a table; you are in the lobby."]
    assert await anna.type("sco") == ["'score' is for a table; you are in the lobby."]
    await anna.type("open land_cards")
    for line in ("take 1 left", "tak", "mov", "score"):
        assert await anna.type(line) == ["No match has begun here."]


async def test_help_of_a_word_of_another_place_says_where_that_is(anna: Script) -> None:
    assert await anna.type("help take") == ["'take' is for a table; you are in the lobby."]
    assert await anna.type("help sco") == ["'score' is for a table; you are in the lobby."]
    await anna.type("open land_cards")
    assert await anna.type("help take") == ["No match has begun here."]
    assert await anna.type("help tables") == ["'tables' is for the lobby; 'leave' leads there."]
    await anna.type("bots random")
    await anna.type("start")
    assert await anna.type("help tables") == ["'tables' is for the lobby; 'leave' leads there."]
    assert await anna.type("help dance") == ["'dance' is no word here."]


async def test_a_move_that_is_not_possible_is_meant_rather_than_the_beginning_of_a_word_of_the_lobby(
    hub: Hub,
) -> None:
    anna = await begun(hub, "web_of_power")
    for line in ("d 2", "dis 2"):  # as in "day", and as a move at another step
        assert "lobby" not in " ".join(await anna.type(line))
    assert "'day" in " ".join(await anna.type("da"))
    await anna.end()


async def test_a_beginning_of_several_words_is_answered_with_all_of_them(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    (told,) = await anna.type("r")
    words = "'race', 'row N', 'rematch', 'rules [SECTION]', 'report NAME WHY', or "
    assert told.startswith(f"'r' may mean {words}")
    (told,) = await anna.type("s")
    for word in ("score", "seat SEAT", "sit [SEAT]", "stand [SEAT]", "start", "say WORDS"):
        assert f"'{word}'" in told
    assert await anna.type("propose re") == ["'re' may mean 'rematch' or 'resign'."]
    assert "rematch, abort" in (await anna.type("propose x"))[0]
    await anna.end()


async def test_who_looks_through_their_seat_already_is_told_so(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    assert await anna.type("seat 1") == ["You look through seat 1 already: home."]
    await anna.end()


async def test_a_move_that_is_not_possible_is_answered_with_the_reason(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    assert await anna.type("take 1 7") == ["This card is not at an end of its row."]
    assert await anna.type("dance") == ["'dance' is neither a word nor a move here. Type 'moves' or 'help'."]
    await anna.end()


async def test_who_asks_for_a_card_that_is_gone_is_told_who_has_it(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    (card,) = [line for line in await anna.type("row 1") if line.startswith("1 1: ")]
    card = card.removeprefix("1 1: ").removesuffix(".").removesuffix(", law card")
    await anna.type("take 1 left")
    told = f"home has it: {card}."
    for line in ("take 1 1", "why take 1 1"):
        assert await anna.type(line) == [f"This card has already been taken. {told}"], line
    await anna.type("ok")
    assert await anna.type("place 1 1") == [
        f"Stones go only on cards in the rows, and this card has been taken. {told}"
    ]
    assert "has it" not in "".join(await anna.type("why place 1 2"))
    await anna.type("settings language de")
    assert "home hat sie: " in "".join(await anna.type("warum setze 1 1"))
    await anna.end()


async def test_cards_that_are_still_there_are_meant_rather_than_those_that_are_gone(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    (took,) = [line for line in await anna.type("take 1 left") if line.startswith("home takes ")]
    country = took.split()[2]
    await anna.type("end")
    assert await anna.type(f"why take {country}") == ["You've finished taking cards this turn."]
    await anna.end()


async def test_a_card_of_a_row_that_is_empty_is_answered_with_that(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    scene, plain = anna.client.store.scene, plain_face("land_cards")
    assert scene is not None
    ends = [move for move in scene.legal if "take 1 left" in map(render, plain.typed(scene, move))]
    board = bytes([TAKEN] * COLUMNS) + scene.observation.board[COLUMNS:]
    emptied = replace(scene, observation=msgspec.structs.replace(scene.observation, board=board))
    for move in ends:
        assert "take 1 left" in map(render, plain.typed(emptied, move))
        said = plain.gone(emptied, move)
        assert said is not None
        assert render(said) == "Row 1: empty."
    assert ends
    said = plain.gone(emptied, TAKE + 3)
    assert said is not None
    assert render(said).startswith(f"{scene.name(0)} has it: ")
    await anna.end()


@pytest.mark.parametrize("game", faces())
async def test_every_word_that_only_looks_is_answered_from_the_beginning_to_the_end(
    hub: Hub, game: str
) -> None:
    acting = {"leave", "quit", "stand", "start", "wait", "ok", "play", "hint", "coach", "back", "next"}
    anna, chance = await begun(hub, game), Random(1)

    async def look_around() -> None:
        for one in anna.client.commands.all():
            word = render(one.word)
            numbers = () if one.argument is None else map(str, range(1, 7))
            for line in (word, *(f"{word} {n}" for n in numbers)) if word not in acting else ():
                assert any(await anna.type(line)), line

    await anna.type("wait")
    await look_around()
    for _step in range(12):
        await anna.type("wait")
        await make_a_move(anna, chance)
    await look_around()
    await play_on(anna, chance)
    await look_around()
    await anna.end()


async def test_help_gives_examples_of_the_word_asked_about_alone(hub: Hub) -> None:
    """Not of a move that only has that word in it, such as the one that ends a step."""
    reader, chance, shown = await begun(hub, "web_of_power", "de"), Random(1), set[str]()
    with writing_for(PlainReader(translator("de"))):
        known = sorted({render(verb.word) for verb in plain_face("web_of_power").verbs})
    for _step in range(40):
        await reader.type("wait")
        for word in known:
            told = (await reader.type(f"hilfe {word}"))[-1]
            of_word = re.findall(r"'([^']+)'", told) if told.startswith("Zum Beispiel: ") else []
            assert all(f"{each} ".startswith(f"{word} ") for each in of_word), told
            shown |= {word} if of_word else set()
        await make_a_move(reader, chance)
    assert shown == {*known}
    await reader.end()


async def example_of(reader: Script, language: str, word: str) -> str:
    """The example that help gives of a word that something may follow."""
    with writing_for(PlainReader(translator(language))):
        head = render(text("For example: {open}.", open="")).rstrip(". ")
    told = await reader.type(f"{words_in('help', language)} {word}")
    found = [line for line in told if line.startswith(head) and f"'{word} " in line]
    assert len(found) == 1, (word, told)
    return found[0].partition("'")[2].rpartition("'")[0]


async def check_examples(reader: Script, language: str) -> None:
    """See that there is one for every such word here, and that every other word is known, too."""
    known = reader.client.commands.all()
    with writing_for(PlainReader(translator(language))):
        words = [(render(one.word), one.help, one.argument is not None) for one in known]
    assert words
    for word, told, takes_more in words:
        if takes_more:
            await example_of(reader, language, word)
        assert told in await reader.type(f"{words_in('help', language)} {word}")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_help_has_an_example_for_every_word_that_something_may_follow(
    hub: Hub, game: str, language: str
) -> None:
    for reader in (Script(hub, language=language), Script(hub, "anna", language=language, local=False)):
        await reader.begin()
        await check_examples(reader, language)
        await reader.type(f"open {game}")
        await check_examples(reader, language)
        for line in ("bots random", "start", "wait"):
            await reader.type(line)
        await check_examples(reader, language)
        await reader.end()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_help_has_an_example_for_every_word_of_a_replay(hub: Hub, game: str, language: str) -> None:
    replay = hub.add_replay(match_of(game, faces()[game].meta.min_seats, 10_000), "Sunday")
    reader = Script(hub, language=language, go_to=replay)
    await reader.begin()
    await check_examples(reader, language)
    await reader.end()


async def test_help_has_an_example_for_every_word_of_a_finished_match(anna: Script) -> None:
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    await play_on(anna, Random(1))
    await check_examples(anna, "en")


async def follow(reader: Script, language: str, *words: str) -> None:
    """Type the examples of words; what they are refused with is raised."""
    for word in words:
        line = await example_of(reader, language, words_in(word, language))
        with writing_for(PlainReader(translator(language))):
            await reader.client.commands.do(line)


@pytest.mark.usefixtures("quick_bots")
@pytest.mark.parametrize("language", languages())
async def test_an_example_of_help_can_be_typed_as_it_stands(hub: Hub, language: str) -> None:
    reader = Script(hub, "anna", local=False, language=language)
    await reader.begin()
    await follow(reader, language, "help", "rules", "options", "history", "say", "phrase")
    with pytest.raises(KkError, match=UNRATED.msgid):  # which says that it was understood
        await follow(reader, language, "leaders")
    for word in ("lesson", "day"):
        await follow(reader, language, word)
        await reader.type("leave")
    await follow(reader, language, "open")
    await follow(reader, language, "bot", "rules")
    for line in ("bots random", "start", "wait"):
        await reader.type(line)
    table = reader.client.store.table
    assert table is not None
    topics = [one.word.msgid.rpartition("\x04")[2] for one in plain_face(table.game).topics if one.argument]
    await follow(reader, language, "moves", "why", "log", *topics)
    with pytest.raises(KkError):
        await follow(reader, language, "propose")
    assert reader.client.store.table is not None
    assert reader.client.store.table.phase == "playing", "with bots, what ends a match would end it at once"
    await follow(reader, language, "settings")
    await reader.end()


@pytest.mark.parametrize("language", languages())
async def test_an_example_for_a_finished_match_can_be_typed_as_it_stands(hub: Hub, language: str) -> None:
    replay = hub.add_replay(match_of("land_cards", 3, 10_000), "Sunday")
    reader = Script(hub, language=language, go_to=replay)
    await reader.begin()
    await follow(reader, language, "back", "next")
    await reader.type("back 3")
    await follow(reader, language, "view", "play")
    assert reader.client.store.table is not None
    assert reader.client.store.table.phase == "playing"
    await reader.end()


async def test_a_move_after_the_end_is_answered_with_that(anna: Script) -> None:
    for line in ("open ku_ka_king", "bots random", "start"):
        await anna.type(line)
    await play_on(anna, Random(1))
    for line in ("call 1", "1"):
        assert await anna.type(line) == ["The match is over."]


async def test_contests_are_named_by_their_cards_in_whole_words(hub: Hub) -> None:
    anna = await begun(hub, "ku_ka_king")
    scene = anna.client.store.scene
    assert scene is not None
    told = [render(plain_face("ku_ka_king").contest_label(scene, race)) for race in FACE.race(scene)]
    assert told == ["kings", "churches", "point cards", "knights", "animals", "farm"]
    await anna.end()


async def test_pieces_of_the_board_game_are_named_and_counted(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    scene, plain = anna.client.store.scene, plain_face("web_of_power")
    assert scene is not None
    view = scene.observation
    few = msgspec.structs.replace(
        view, board=bytes([CLOISTER_OF]) + view.board[1:], cloisters_left=(1,) * 3, advisors_left=(1, 2, 2)
    )
    scene = replace(scene, observation=few)
    country = render(COUNTRY_NAMES[view.printed.country_of[0]])
    assert any(render(line).startswith(f"{country}: home 1 cloister; ") for line in plain.board(scene))
    assert [render(plain.holdings(scene, seat) or text("")) for seat in (0, 1)] == [
        "1 cloister and 1 advisor left", "1 cloister and 2 advisors left",
    ]  # fmt: skip
    await anna.end()


async def test_who_asks_for_a_row_that_is_gone_is_told_who_has_its_cards(anna: Script) -> None:
    for line in ("open ku_ka_king 3", "join 2", "join 3", "start"):
        await anna.type(line)
    for seat, row in ((1, 1), (2, 1), (3, 2)):  # the first two have to call again
        await anna.type(f"seat {seat}")
        await anna.type(f"call {row}")
    await anna.type("seat 1")
    assert anna.client.store.scene is not None
    name = anna.client.store.scene.name(2)
    assert await anna.type("why call 2") == [f"Row 2 is already taken this round. {name} has its cards."]


async def test_who_asks_for_a_face_up_card_that_is_gone_is_told_who_drew_it(hub: Hub) -> None:
    anna = await all_seats(hub, freely)
    for _step in range(100):
        scene = anna.client.store.scene
        assert scene is not None
        (seat,) = scene.observation.active
        if seat != scene.viewer:
            await anna.type(f"seat {seat + 1}")
            continue
        view = scene.observation
        once = [kind for kind in view.face_up if view.face_up.count(kind) == 1]
        if view.phase == DRAWING and len(view.hand) < HAND - 1 and once:
            break
        ways = [plain_face("web_of_power").typed(scene, move)[0].render() for move in sorted(scene.legal)]
        # first with two cards, so that two have to be drawn
        await anna.type(next((way for way in ways if way == "end" or "with two" in way), ways[-1]))
    else:
        pytest.fail("nobody has had to draw two cards")
    card = render(CARD_NAMES[once[0]])
    await anna.type(f"draw {card}")
    assert await anna.type(f"why draw {card}") == [
        f"No {card} card is face up. {scene.name(seat)} drew the last one."
    ]
    await anna.end()


async def test_numbers_are_those_of_the_last_list_and_only_while_nothing_has_changed(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    unlisted = ["'2' is the number of a move after 'moves' has listed them."]
    assert await anna.type("2") == unlisted
    await anna.type("moves")
    (refused,) = await anna.type("99")
    assert refused == "The list has the numbers 1, 2, 3, 4, 5, 6, 7 or 8, not 99."
    assert " takes " in (await anna.type("2"))[0]
    assert await anna.type("2") == unlisted
    await anna.type("undo")
    await anna.end()


async def test_a_number_alone_is_not_the_number_in_a_move_of_which_it_is_a_part(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    for line in ("2", "2.", "#2"):
        assert await anna.type(line) == ["'2' is the number of a move after 'moves' has listed them."]
    await anna.end()


async def test_where_moves_are_numbers_lists_have_these_numbers_and_no_others(hub: Hub) -> None:
    anna = await begun(hub, "ku_ka_king")
    assert [line.split(":")[0] for line in await anna.type("moves 5")] == ["5. call 5"]
    # the list had one move, but 2 is a row
    assert (await anna.type("2"))[0] == "home calls row 2."
    while anna.client.store.scene.legal == {1, 2, 3, 4, 5, 6}:  # type: ignore[union-attr]
        await anna.type("6")
    await anna.type("moves")
    gone = min({1, 2, 3, 4, 5, 6} - anna.client.store.scene.legal)  # type: ignore[union-attr]
    assert not any(line.startswith("home calls") for line in await anna.type(str(gone)))
    await anna.end()


async def test_an_open_card_has_its_number_in_the_list_of_what_can_be_drawn(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    await anna.type("discard 2")
    listed = {line.split(". ")[0]: line.split(". ", 1)[1] for line in await anna.type("moves")}
    shown = next(line for line in await anna.type("map") if line.startswith("Face up: "))
    for number, card in re.findall(r"(\d) ([^,;]+?)(?=,|;| and)", shown.removeprefix("Face up: ")):
        assert listed.get(number, f"draw {card}") == f"draw {card}"
    assert [*listed.values()][-1] == "draw pile"
    await anna.end()


@pytest.mark.parametrize("line", ["-1", "call -1", "\N{MINUS SIGN}1"])
async def test_a_negative_number_is_no_move(hub: Hub, line: str) -> None:
    anna = await begun(hub, "ku_ka_king")
    (refused,) = await anna.type(line)
    assert refused.startswith((f"'{line}' is neither a word nor a move here.", "There is no such move."))
    await anna.end()


async def test_the_words_of_the_online_manual_do_the_same(anna: Script) -> None:
    await anna.type("/open web_of_power")
    await anna.type("/bots random")
    assert (await anna.type("/start"))[0] == "The match begins."
    assert " discards " in (await anna.type("discard 2"))[0]
    await anna.type("draw pile")


async def test_a_step_that_is_taken_back_is_told_once(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    await anna.type("take 1 left")
    written = await anna.type("undo")
    assert written[0] == "home takes 1 step back."
    assert written[1].startswith("Take a card from the left or right end")
    await anna.end()


@pytest.mark.parametrize(
    ("language", "take", "told"),
    [("de", "nimm 1 links", "nimmt"), ("nl", "neem 1 links", "neemt"), ("es", "toma 1 izquierda", "toma")],
)
async def test_moves_are_typed_in_the_reader_s_language_or_in_english(
    hub: Hub, language: str, take: str, told: str
) -> None:
    anna = await begun(hub, "land_cards", language)
    assert told in (await anna.type(take))[0]
    await anna.type("undo")
    assert told in (await anna.type("take 1 left"))[0]
    await anna.end()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_every_word_means_one_thing_where_it_can_be_typed(hub: Hub, game: str, language: str) -> None:
    reader = Script(hub, language=language)
    await reader.begin()
    commands = reader.client.commands
    with writing_for(PlainReader(translator(language))):
        for line in ("", f"open {game}", "bots random", "start"):
            await reader.type(line)
            words = commands.all()
            for one in words:
                for way in one.forms():
                    how, found = word_meant(way, words)
                    assert (how, [each.usage for each in found]) == (Fit.WHOLE, [one.usage]), way
    await reader.end()


@pytest.mark.parametrize("language", languages())
async def test_no_move_begins_with_a_word_that_asks_for_something(hub: Hub, language: str) -> None:
    for game in faces():
        reader = await begun(hub, game, language)
        await reader.type("wait")
        scene, commands = reader.client.store.scene, reader.client.commands
        assert scene is not None
        with writing_for(PlainReader(translator(language))):
            for move in scene.legal:
                for way in plain_face(game).typed(scene, move):
                    first = words_of(render(way))[0]
                    how, _found = word_meant(first, commands.all())
                    assert how not in (Fit.WHOLE, Fit.WORDS), first
        await reader.end()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_what_a_prompt_asks_for_begins_with_the_word_that_does_it_and_nothing_else(
    hub: Hub, game: str, language: str
) -> None:
    reader = await begun(hub, game, language)
    plain, commands, begins = plain_face(game), reader.client.commands, set[str]()
    with writing_for(PlainReader(translator(language))):
        for plies in range(150):
            match = match_of(game, faces()[game].meta.min_seats, plies)
            for seat in match.game.active_seats(match.state):
                said = prompt(scene_of_match(match, seat), faces()[game], plain)
                # where a sentence, or a part of it, begins; shorter words are no imperatives
                for first in re.findall(r"(?:^|[.:,] |\b(?:or|oder|of|o) )(?=([^\W\d]{3,}))", said):
                    assert verbs(plain, first) or not word_meant(first, commands.all())[1], said
                    begins.add(first)
    assert begins or plain.prompt is PlainFace().prompt, "the status of a game asks for nothing"
    await reader.end()


@pytest.mark.parametrize("language", languages())
async def test_a_row_that_is_called_in_the_words_of_the_prompt_is_told_to_nobody(
    hub: Hub, language: str
) -> None:
    reader = await begun(hub, "ku_ka_king", language)
    (asked,) = await reader.type("")
    first = re.findall(r"\. (\w+) [^.]+\.$", asked)[0].lower()
    table = reader.client.store.table
    assert table is not None
    for line in (f"{first} 99", f"{first} 3"):
        await reader.type(line)
        assert not (await hub.table(table.id)).chat.view().recent(), line
    scene = reader.client.store.scene
    assert scene is not None
    assert scene.match.ply > 0, first
    await reader.end()


@pytest.mark.parametrize("game", faces())
async def test_the_manual_has_every_word_and_all_that_may_stand_behind_it(anna: Script, game: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plain.md").read_text(encoding="utf-8")
    quoted = {word for code in re.findall(r"`([^`\n]+)`", page) for word in re.findall(r"\w+", code)}
    for line in ("", f"open {game}", "bots random", "start"):
        await anna.type(line)
        for one in anna.client.commands.all():
            assert set(re.findall(r"[a-z]+", one.usage)) <= quoted, one.usage
    assert (await anna.type("help stand"))[0].startswith("stand [SEAT]: ")


@pytest.mark.parametrize("game", faces())
def test_no_move_begins_with_a_word_that_means_something_else_in_the_manual(game: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plain.md").read_text(encoding="utf-8")
    cells = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `")]
    words = {code.split()[0] for cell in cells for code in re.findall(r"`([^`]+)`", cell)}
    assert {"play", "open", "undo"} <= words
    assert words.isdisjoint(verb.word.msgid for verb in plain_face(game).verbs)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", faces())
async def test_help_has_every_word_with_which_a_move_begins(hub: Hub, game: str, language: str) -> None:
    reader = await begun(hub, game, language)
    plain, scene = plain_face(game), reader.client.store.scene
    assert scene is not None
    considered = plain.considered
    moves = range(faces()[game].meta.moves) if considered is None else considered(scene)
    firsts = set[str]()
    with writing_for(PlainReader(translator(language))):
        for move in (*scene.legal, *moves):
            with suppress(InvalidMove):
                if ways := plain.typed(scene, move):
                    firsts.add(render(ways[0]).split()[0])
        known = {render(verb.word) for verb in plain.verbs}
        assert firsts <= known
        helped = words_in("help", language)
        listed = (await reader.type(helped))[0]
        for word in known:
            assert word in listed
            told = await reader.type(f"{helped} {word}")
            assert any(line.startswith((f"{word} ", f"{word}:")) for line in told), told
    await reader.end()


def words_in(word: str, language: str) -> str:
    """A word as it is typed in a language."""
    with writing_for(PlainReader(translator(language))):
        return render(text_in("typed", word))


async def test_examples_are_moves_of_every_kind_and_others_at_other_steps(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    examples = (await anna.type("moves"))[-1]
    found = re.findall(r"'(.+?)'", examples)
    assert [move.split()[:2] for move in found][-1] == ["place", "cloister"], examples
    assert any(move.startswith("discard ") for move in found)
    assert (await anna.type("help place"))[-1] == f"For example: '{found[-1]}'."
    assert (await anna.type("help draw"))[-1] == "None of your moves begins like that now."
    await anna.type(found[-1])
    await anna.type("wait")
    assert anna.lines[-1] != examples
    await anna.end()


async def test_no_other_move_is_made_for_one_that_is_not_possible(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    for line in ("advisor bayern", "why advisor bayern", "advisor bavaria"):
        assert await anna.type(line) == [
            "Bayern is empty: you may place only one cloister there, no advisor."
        ], line
    assert not any(line.startswith("home ") for line in anna.lines)
    scene = anna.client.store.scene
    assert scene is not None
    words = MoveWords(scene, faces()["web_of_power"], plain_face("web_of_power"), freely)
    for move in (await words.legal(("cloister", "burgund")))[1]:
        (first, *_others) = plain_face("web_of_power").typed(scene, move)
        assert " BU" in first.render(), "the place is meant, not the card"
    await anna.end()


async def all_seats(hub: Hub, spend: Callable[[int], Awaitable[None]]) -> Script:
    """Somebody who plays the board game alone, on all seats."""
    anna = Script(hub, spend=spend)
    await anna.begin()
    for line in ("open web_of_power 3", "join 2", "join 3", "start"):
        await anna.type(line)
    return anna


async def test_words_are_looked_for_among_all_moves_once_at_a_position_at_the_cost_of_many_requests(
    hub: Hub,
) -> None:
    spent = list[int]()

    async def spend(requests: int) -> None:
        spent.append(requests)

    def searches() -> int:
        return len([requests for requests in spent if requests > 10])

    anna = await all_seats(hub, spend)
    assert {*spent} == {1}
    for line, n in (
        ("seat 1", 0), ("xx", 1), ("yy", 1), ("why xx", 1), ("moves discard", 1), ("1", 1), ("xx", 2),
    ):  # fmt: skip
        await anna.type(line)
        assert searches() == n, line
    asked = spent.count(1)
    await anna.type("advisor")
    assert spent.count(1) == asked + 4, "it asks for the reasons of four moves"
    await anna.end()


async def test_moves_are_typed_in_another_language_as_soon_as_it_is_chosen(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    await anna.type("take 9")
    await anna.type("settings language de")
    assert "home nimmt" in "".join(await anna.type("nimm 1 links"))
    await anna.end()


async def test_what_somebody_has_taken_names_the_symbol_that_they_have_most_of(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    for line in ("take 1 left", "ok"):
        await anna.type(line)
    (told,) = await anna.type("cards home")
    assert re.fullmatch(r"home: \w+ 1( \(\w+ [12]\))?; ships [01], carriages [01]\.", told)
    assert "in brackets the symbol they have most of" in (await anna.type("help cards"))[0]
    await anna.end()


async def test_moves_are_typed_with_the_words_that_a_list_of_them_has(hub: Hub) -> None:
    """In German, "setze" is not the beginning of the sentence, which says "setzt"."""
    anna = await begun(hub, "land_cards")
    await anna.type("settings language de")
    for line in ("nimm 1 links", "ok"):
        await anna.type(line)
    listed = await anna.type("züge setze 2")
    row, place, country = re.findall(r"setze (\d) (\d+): (\w+) ", listed[0])[0]
    several = await anna.type(f"setze {country}")
    assert f"'setze {row} {place}'" in several[0]
    made = await anna.type(f"setze {row} {place} {country}")
    assert re.match(rf"home setzt einen Stein auf {country} ", made[0])
    await anna.end()


async def test_others_get_their_turns_while_words_are_looked_for(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, pauses, sleep = await all_seats(hub, freely), 0, asyncio.sleep

    async def counted(seconds: float) -> None:
        nonlocal pauses
        pauses += 1
        await sleep(seconds)

    monkeypatch.setattr("kk_tui.plain.moves.asyncio", SimpleNamespace(sleep=counted))
    took = list[int]()
    for _ in range(2):
        before = pauses
        await anna.type("xx")
        took.append(pauses - before)
    assert took[0] > 20
    assert took[1] == 0, "they are known by then"
    await anna.end()


async def test_words_are_looked_for_again_if_somebody_moves_meanwhile(hub: Hub) -> None:
    searches = 0

    async def spend(requests: int) -> None:
        nonlocal searches
        if requests > 10:
            searches += 1
            if searches == 1:
                await other.type("1")

    anna, other = await all_seats(hub, spend), Script(hub)
    await other.begin()
    for line in ("join 1", "seat 1", "moves discard"):
        await other.type(line)
    await anna.type("xx")
    assert searches == 2
    await other.end()
    await anna.end()


async def test_a_number_that_no_card_has_is_answered_with_what_a_move_needs(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    (refused,) = await anna.type("place 9 9")
    assert refused.startswith("There is no such move. place ROW CARD: place a stone on a card"), refused
    await anna.end()


async def test_a_country_may_be_called_as_it_is_in_the_reader_s_language(hub: Hub) -> None:
    for language, word in (("en", "bavaria"), ("es", "Baviera"), ("nl", "beieren"), ("de", "bavaria")):
        anna = await begun(hub, "web_of_power", language)
        assert any(line.startswith("BA1 ") for line in await anna.type(f"country {word}")), language
        own = await anna.type("moves bayern")
        # the words themselves are quoted where no card in the hand leads there
        assert [line.replace(f"'{word}'", "'bayern'") for line in await anna.type(f"moves {word}")] == own
        await anna.end()


@pytest.mark.parametrize("language", ["de", "en", "es", "nl"])
async def test_every_other_word_of_a_game_stands_for_its_own_one(hub: Hub, language: str) -> None:
    for game in faces():
        anna = await begun(hub, game, language)
        with writing_for(PlainReader(translator(language))):
            pairs = [(way, render(own)) for other, own in plain_face(game).synonyms for way in ways_of(other)]
        for way, own in pairs:
            said = [line.replace(way, own) for line in await anna.type(f"moves {way}")]
            assert said == await anna.type(f"moves {own}"), way
        await anna.end()


@pytest.mark.parametrize("game", faces())
async def test_lines_of_the_score_are_told_in_whole_words(hub: Hub, game: str) -> None:
    anna = await begun(hub, game)
    scene, label = anna.client.store.scene, plain_face(game).score_label or faces()[game].sheet_label
    assert scene is not None
    lines = range(len(scene.observation.sheet))
    for language in languages():
        with writing_for(PlainReader(translator(language))):
            told = [render(label(scene, line)) for line in lines]
        assert len({*told}) == len(told)
        assert not [said for said in told if re.search(r"\b[A-Z]{2}-[A-Z]{2}\b|:|\w\.", said)], told
    await anna.end()


async def test_no_scoring_is_called_final_before_it_is_held(hub: Hub) -> None:
    for game in faces():
        anna = await begun(hub, game, "de")
        scene, label = anna.client.store.scene, plain_face(game).score_label or faces()[game].sheet_label
        assert scene is not None
        with writing_for(PlainReader(translator("de"))):
            told = [render(label(scene, line)) for line in range(len(scene.observation.sheet))]
            parts = [render(faces()[game].sheet_entry(scene, line).part) for line in range(len(told))]
        assert not [said for said in told if "Schlusswertung," in said], game
        assert "Schlusswertung" not in parts, "nor on the screen"
        await anna.end()


async def test_an_empty_line_says_where_one_is_and_what_can_be_done(anna: Script) -> None:
    assert (await anna.type(""))[0] == "Lobby: 0 tables."
    await anna.type("open ku_ka_king")
    assert (await anna.type(" "))[-1] == "'bot' gives the free seats to bots; 'start' begins."
    for line in ("bots random", "start"):
        await anna.type(line)
    assert (await anna.type(""))[0] == "Your turn. Call a row: 1, 2, 3, 4, 5 or 6."
    assert await anna.type("wait") == ["It's your turn."]
    assert (await anna.type("card"))[0].startswith("Which card? There are sheep, ")
    assert (await anna.type("card king"))[0] == (
        "king: 12 in the game. It stays, and counts in both scorings."
    ), "without a word of the sign that is drawn"


def test_a_line_may_end_in_any_usual_way_even_in_two_pieces() -> None:
    lines = TypedLines()
    for data in (b"one\r", b"\ntwo\r\n", b"three\n\nfour\r", b"five\r", b"", b"\n"):
        lines.feed(data)
    lines.end()
    assert asyncio.run(all_of(lines)) == ["one", "two", "three", "", "four", "five"]


async def all_of(lines: TypedLines) -> list[str]:
    return [line async for line in lines]


async def test_numbers_alone_are_refused_for_what_can_be_done_now(hub: Hub) -> None:
    anna = await begun(hub, "land_cards")
    assert await anna.type("1 7") == ["This card is not at an end of its row."]
    await anna.end()


async def test_a_missing_game_is_asked_for_with_the_word_that_was_typed(hub: Hub) -> None:
    anna = Script(hub, language="de")
    await anna.begin()
    assert (await anna.type("optionen"))[0].startswith("Welches Spiel? Tippe 'optionen' mit ")
    assert (await anna.type("öffnen"))[0].startswith("Welches Spiel? Tippe 'öffnen' mit ")
    (bots,) = [line for line in await anna.type("spiele") if line.startswith("Bots: ")]
    assert "leicht" in bots
    assert "easy" not in bots
    for line in ("öffnen ku_ka_king", "bots random", "start"):
        await anna.type(line)
    for line in await anna.type("schau"):
        assert ".." not in line
        assert "0/13" not in line
    await anna.end()


async def test_points_are_told_as_what_they_are(hub: Hub) -> None:
    for game in ("land_cards", "web_of_power"):
        anna = await begun(hub, game)
        assert any("0 points as things stand" in line for line in await anna.type("look")), game
        await anna.end()


async def test_alliances_in_which_nobody_leads_are_gathered_in_one_line(hub: Hub) -> None:
    anna = await begun(hub, "web_of_power")
    told = await anna.type("alliances")
    assert len(told) == 1
    assert told[0].startswith("Nobody has the most advisors in each country of alliances 1 ")
    await anna.end()


async def test_places_for_stones_are_told_row_by_row_and_the_end_of_placing_by_what_it_means(
    hub: Hub,
) -> None:
    anna = await begun(hub, "land_cards")
    for line in ("take 1 left", "end"):
        await anna.type(line)
    told = (await anna.type("moves"))[0]
    assert re.fullmatch(r"Place a stone on a card of row 1: 2-14; row 2: 1-14; .*; row 4: 1-14\.", told), told
    await anna.end()
    anna = await begun(hub, "web_of_power")
    example = re.findall(r"'(.+?)'", (await anna.type("moves"))[-1])[-1]
    await anna.type(example)
    assert "1. end: place no more pieces in this turn" in await anna.type("moves end")
    await anna.end()


@pytest.mark.parametrize(
    "key",
    [
        "\x1b[5~",
        "\x1b[7~",
        "\x1b[15~",
        "\x1b[3;5~",
        "\x1b[1;5D",
        "\x1bOP",
        "\x1b[[A",
        "\x1b[97;5u",
        "\x1b[200~",
    ],
)
def test_a_key_that_does_nothing_while_a_line_is_typed_leaves_nothing_in_it(key: str) -> None:
    entered = list[str]()
    nothing = SimpleNamespace(do=lambda *_: ())
    editor = LineEditor(
        nothing.do, entered.append, nothing.do, nothing.do, nothing.do, kind="xterm", width=80
    )
    editor.feed(f"lo{key}k\x1b[D{key}o{key}\r".encode())
    assert entered == ["look"]
