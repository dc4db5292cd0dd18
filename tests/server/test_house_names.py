"""Nobody who plays is called like the house, or like what the app says of a bot."""

from __future__ import annotations

import pytest

from kk_server.accounts.names import AT_HOME, BadName, check_name, impersonates_server

HOUSE = (
    "host", "Host", "The host says", "Server says", "Admin Anna", "admin1", "Admin 42", "Moderator",
    "mod Eva", "root", "Joe Root", "kk", "KK", "K K", "kk-server", "kkserver", "KKAdmin", "kkAnna",
    "System", "System32", "sysadmin", "operator", "support", "hosts", "the.host", "host_anna",
    "Moderation", "The Owner", "serverbot", "Server message", "hosts msg", "The management", "everybody",
)  # fmt: skip
GERMAN = (
    "Gastgeber", "Die Gastgeberin", "Der Server sagt", "Moderatorin Eva", "Serverleitung",
    "Ank\u00fcndigung", "Ankuendigung", "Betreiber",
    "Spielleitung", "Systemnachricht", "Servermeldung", "Der Wirt sagt", "Aufsicht",
)  # fmt: skip
DUTCH = (
    "gastheer", "Gastvrouw", "De beheerder", "systeem", "Mededeling", "server zegt", "Spelleider",
)  # fmt: skip
SPANISH = (
    "anfitri\u00f3n", "ANFITRION", "la anfitriona", "El servidor", "administradora", "sistema",
    "Anuncio oficial", "Moderaci\u00f3n",
)  # fmt: skip
TOGETHER = (
    "TheHost", "hostsays", "AdminAnna", "adminanna", "ADMINanna", "annaadmin", "theserver", "Serverteam",
    "elservidor", "unsersystem", "dergastgeber", "KKofficial", "kkbot", "kk team",
    "servermsg1x", "servermsg1", "1servermsg2", "xXadminXx", "xXhostXx", "xxRootxx", "aclmin",
)  # fmt: skip
APART = (
    "r o o t", "R.O.O.T.", "Ad min", "S-e-r-v-e-r", "mode rator",
)  # fmt: skip
LOOK_ALIKES = (
    "h0st", "r00t", "4dmin", "adm1n", "m0derator", "s\u00e9rver", "h\u00f4st", "\uff48\uff4f\uff53\uff54",
    "\U0001d421\U0001d428\U0001d42c\U0001d42d", "\u041d\u043e\u0455\u0442", "\u041d\u041e\u0405\u0422",
    "\u043a\u043a", "\u039a\u039a", "ro\u0336ot", "5erver", "hos7",
    "\u029c\u1d0f\ua731\u1d1b", "\u1d00\u1d05\u1d0d\u026a\u0274", "\u1d0b\u1d0b", "\u0138\u0138",
    "h\u3007st", "hos\u2020", "adm\u00a1n", "\u15e9\u15ea\u15f0\u14f0\u144e",
)  # fmt: skip
"""Cyrillic, Greek and Canadian syllabics among them, and small capitals."""


@pytest.mark.parametrize("name", [*HOUSE, *GERMAN, *DUTCH, *SPANISH, *TOGETHER, *APART, *LOOK_ALIKES])
def test_a_name_that_speaks_for_the_house_is_nobodys(name: str) -> None:
    with pytest.raises(BadName, match="is reserved for the server"):
        check_name(name)


@pytest.mark.parametrize("name", [AT_HOME, "Home", "h.o.m.e"])
def test_nobody_comes_as_the_user_to_whom_all_matches_at_home_belong(name: str) -> None:
    with pytest.raises(BadName):
        check_name(name)
    assert check_name("Homer") == "Homer"


@pytest.mark.parametrize("name", ["@dmin", "adm!n", "ho$t", "hos+", "I-Iost", "l-lost"])
def test_signs_that_are_read_as_letters_are_letters_of_such_a_name(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize(
    "name",
    [
        "servernews", "Servernachricht", "ServerNotice", "Serverbetrieb", "Serveradministration",
        "techsupport", "realhost", "hosthere", "Hostmaster", "Announcements", "owners", "avisos", "Besitzer",
        "Inhaber", "Eigent\u00fcmer", "De eigenaar", "El due\u00f1o", "Verwaltung", "Spelleiding",
        "Aankondiging", "Offiziell",
    ],
)  # fmt: skip
def test_words_for_the_house_are_reserved_together_and_in_every_language_and_number(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize(
    "name",
    [
        "\u2c68ost", "\u0266ost", "h\ua74bst", "ho\u0282t", "hos\u01ad", "\u2c65dmin", "adm\u0268n",
        "admi\u019e", "a\u0256min", "\u024doot", "\u027eoot", "s\u024fstem", "s\u0247rver", "se\u027dver",
        "\u0271od",
    ],
)  # fmt: skip
def test_letters_with_strokes_and_hooks_are_read_as_those_without(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize(
    "name",
    [
        "annahost", "AnnaHost", "rootanna", "annaroot", "hostanna", "peterhost", "gamehost", "tablehosts",
        "serveranna", "annaserver", "gameserver", "systemanna", "serveradmin", "annamoderator",
        "moderatoranna", "ann\u00e4host", "annah0st", "xXannahostXx", "rootanna2", "annahost 2",
        "R\u00f3otanna",
    ],
)  # fmt: skip
def test_a_role_at_either_end_of_a_word_is_read_as_one(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize(
    "name",
    [
        "hosst", "HOSTT", "hhost", "adminn", "addmin", "serrver", "serverr", "sysstem", "roott", "moderattor",
        "gasstgeber", "annahosst", "The hosst says", "kk servver", "h0sst",
    ],
)  # fmt: skip
def test_a_doubled_consonant_is_read_as_one(name: str) -> None:
    assert impersonates_server(name)


PEOPLE = (
    "Hostler", "Host1er", "Hosta", "Hosten", "Rosa", "Markku", "Kkirsten", "KKirsten", "Akk", "Mark K",
    "K. K. Downing", "Ghost", "Ghostwriter", "Hostel", "Observer", "Joost de Groot", "Groothuis", "Rooth",
    "Eroot", "Badminton", "Systematic", "Ad Jansen", "Ad Minnema", "Sad Mina", "Ben Bot", "Modou",
    "Modesto", "Modern", "Serverin", "Severin", "Operetta", "Staffan", "Kirk", "Adam", "Adelmo", "anna",
    "anna 2", "Root3r", "Emma Ida", "\u041e\u043b\u0435\u043d\u0430", "\u03a3\u03bf\u03c6\u03af\u03b1",
    "\u82b1\u5b50", "\uc548\ub098", "Hardy", "Hostetler", "Hostovsky", "Hostert", "Hostmann", "Modanna",
    "Modest", "Alex", "Max", "Xaver", "Felix", "xXannaXx", "Clara", "Nicla", "Staffa", "Rutherford",
    "Marieke de Boer", "Systermans", "Kkanna", "Rootman", "Ownby", "Modeva", "Adele", "Adamina",
    "Anna1Boss", "Tom1x", "Thost", "Groot", "Degroot", "iamgroot", "Vandegroot", "Trooth", "Hostettler",
    "Hostinska", "Greyghost", "Holyghosts", "Schroot", "Beetroot", "Roothaan", "Rootselaar", "Hoost", "Rot",
    "Rott", "Hoss", "Mood", "Staf", "Sysko", "Systemic", "Otto", "Anna Hostmann", "Mamma", "Barbara", "Kkk",
    "Yoko", "Meike", "Dyce", "Sayson",
)  # fmt: skip


@pytest.mark.parametrize("name", ["The house says", "Somebody says", "El jefe dice", "Anna_sagt"])
def test_no_name_reads_as_if_somebody_was_quoted(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize("name", ["organizer", "Referee", "Kundendienst", "Security", "Organizador"])
def test_nobody_is_called_like_those_who_run_an_evening(name: str) -> None:
    assert impersonates_server(name)


@pytest.mark.parametrize("name", ["you", "You", "me", "ich", "y0u"])
def test_nobody_is_called_as_readers_call_themselves(name: str) -> None:
    with pytest.raises(BadName, match="choose another name"):
        check_name(name)


@pytest.mark.parametrize("name", PEOPLE)
def test_a_name_that_only_contains_such_letters_is_a_persons(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["Mathilde hard", "mathilde hard bot", "hard bot", "easy bot", "M\u00e1thilde bot"]
)
def test_nobody_is_called_as_the_app_shows_a_bot(name: str) -> None:
    with pytest.raises(BadName, match="is the name of a bot here"):
        check_name(name)


ABBEY = "The Blue Abbey"


@pytest.mark.parametrize(
    "name",
    [
        "The Blue Abbey", "the blue abbey", "Blue Abbey", "TheBlueAbbey", "blue-abbey", "The B1ue Abbey",
        "The 8lue Abbey", "Blue Abbey 2", "Blue Abbey says", "BlueAbbeyHost", "Blue Abbey Eva",
        "The Blue \u0410bbey".replace("bbey", "\u042c\u042c\u0435\u0443"), "Bl\u00fae Abbey",
    ],
)  # fmt: skip
def test_nobody_is_called_as_the_house_is_or_like_it(name: str) -> None:
    with pytest.raises(BadName):
        check_name(name, ABBEY)


def test_of_a_long_name_of_a_house_its_beginning_is_nobodys_either() -> None:
    with pytest.raises(BadName, match="is reserved for the server"):
        check_name("The Blue Abbey of Ravenna", "The Blue Abbey of Ravenna and Bologna")


@pytest.mark.parametrize(
    ("name", "house"),
    [
        ("Abbey", ABBEY), ("Blue", ABBEY), ("Abbey Blue", ABBEY), ("Anna Meier", "Anna"), ("Annabel", "Anna"),
        ("anna", ""), ("anna", "***"), ("Berna", "Bern"), ("Theo", "The Oaks"), ("Oakley", "The Oaks"),
    ],
)  # fmt: skip
def test_the_name_of_a_house_takes_no_other_names_from_people(name: str, house: str) -> None:
    assert check_name(name, house) == name
