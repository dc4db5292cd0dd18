"""Names and titles that people choose, made safe to show on everybody's screen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Final

from rich.cells import cell_len

from kk_core.bot_names import BOT_PREFIX, bot_names, reserved_names
from kk_core.errors import KkError
from kk_core.lookalikes import LOOKALIKES
from kk_core.text import Text, is_unseen, quoted, text
from kk_core.views import GUEST_MARK

NAME_COLUMNS: Final = 20
TITLE_COLUMNS: Final = 40

AT_HOME: Final = "home"
"""The user of the hub in `kk play`; no account has this name, and their matches are not in records/."""

_TILDES: Final = str.maketrans("", "", "~\u02dc\u1fc0\u2053\u223c\u223d\u223f\u301c\uff5e")
"""Lookalikes of the guest mark, which are removed from names."""

_SQUARE: Final = str.maketrans(
    "[]\u2045\u2046\u2772\u2773\u27e6\u27e7\u27ec\u27ed\u298b\u298c\u298d\u298e\u298f\u2990\u2997\u2998"
    "\u3010\u3011\u3014\u3015\u3016\u3017\u3018\u3019\u301a\u301b\ufe39\ufe3a\ufe47\ufe48\ufe5d\ufe5e\uff3b\uff3d",
    "()" * 18,
)
"""The brackets that mark announcements and admins, and their lookalikes."""

_MARKS: Final = frozenset({"Mn", "Me", "Mc"})
_MARKS_PER_LETTER: Final = 2
"""Enough for scripts that write vowels as marks."""

_SIGNS: Final = frozenset({"Sm", "Sc", "Sk", "So", "Ps", "Pe", "Pi", "Pf", "Me"})
"""Categories of symbols, brackets and frames: the app draws some beside names, as in "A● anna (you)"."""

_PUNCTUATION: Final = frozenset("+\u2018\u2019")
"""Characters of these categories that are allowed in names."""

_MORE_SIGNS: Final = frozenset(
    '*:#%"\u02d0\u02d1\u0589\u05c3\u066a\u066d\u0703\u0704\u1361\u1365\u1366\u2022\u2023\u203b\u204e\u2051\u2055\ua673'
)
"""The marks for whose turn it is and between a name and a chat line, and their lookalikes."""


_NO_LETTER: Final = text("A name needs at least one visible letter or digit.")


def name_taken(holder: str) -> Text:
    """Return why somebody is refused whose name is that of an account."""
    return text(
        "The name {name} belongs to somebody's key. Connect under another name (with ssh, as "
        "NAME@HOST). If you are {name}, use that key, or link this one with a code you get "
        "there (k in the lobby, then k).",
        name=holder,
    )


def says_taken(reason: Text) -> bool:
    """Return whether this is why somebody is refused; the account may be their own."""
    return reason.msgid == name_taken("").msgid


class BadName(KkError):
    """A name that cannot be used."""


def clean_name(raw: str) -> str:
    """Clean a name for a seat or a user, at most 20 columns wide.

    Raises `BadName` if no letter or digit is left, and for signs that the app draws beside names.
    """
    name = legible_name(raw)
    if name.casefold().startswith(BOT_PREFIX):
        raise BadName(text("Names that begin with {prefix} are for bots.", prefix=BOT_PREFIX))
    sign = next(filter(_is_sign, name), None)
    if sign is not None:
        raise BadName(text("A name cannot contain {sign}.", sign=quoted(sign)))
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        raise BadName(_NO_LETTER)
    return name


def without_signs(raw: str) -> str:
    """Remove the characters not allowed in names from a name that was not typed as one."""
    return "".join(character for character in raw if not _is_sign(character))


def legible_name(raw: str) -> str:
    """Make a name safe to show, whoever chose it. Raises `BadName` if nothing is left."""
    name = _clean(raw.translate(_TILDES), NAME_COLUMNS)
    if not name:
        raise BadName(_NO_LETTER)
    return name


def _is_sign(character: str) -> bool:
    # a compatibility character may also contain a sign
    plain = unicodedata.normalize("NFKC", character)
    return any(
        each in _MORE_SIGNS or (unicodedata.category(each) in _SIGNS and each not in _PUNCTUATION)
        for each in character + plain
    )


def clean_title(raw: str, default: str) -> str:
    """Clean a title for a table, at most 40 columns wide; `default` if nothing is left."""
    return _clean(raw.translate(_SQUARE), TITLE_COLUMNS) or default


def clean_line(raw: str, columns: int) -> str:
    """Clean a chat line, at most `columns` wide; empty if nothing is left."""
    return _clean(raw, columns)


def distinct(name: str, others: Iterable[str], columns: int = NAME_COLUMNS) -> str:
    """Return a name or title of so many columns, with a number after it if it is one of the others."""
    taken = {other.casefold() for other in others}
    candidate, number = name, 1
    while candidate.casefold() in taken:
        number += 1
        suffix = f" {number}"
        candidate = cut(name, columns - len(suffix)) + suffix
    return candidate


def _clean(raw: str, columns: int) -> str:
    # repeat until nothing changes: removing characters can bring others together that compose or decompose
    while (thinner := _thinned(raw)) != raw:
        raw = thinner
    return cut(raw, columns)


def _thinned(raw: str) -> str:
    blanks = "".join(" " if character.isspace() else character for character in raw)
    # composed, so that an accent does not count as a separate mark
    composed = unicodedata.normalize("NFC", blanks)
    kept = "".join(character for character in composed if not _is_dropped(character))
    return " ".join(_few_marks(kept).split())


def _is_dropped(character: str) -> bool:
    category = unicodedata.category(character)
    has_no_width = not cell_len(character) and category not in _MARKS
    return is_unseen(character) or category == "Cn" or has_no_width


def _few_marks(name: str) -> str:
    kept: list[str] = []
    # a tall stack of combining marks would be drawn over the neighbouring lines
    marks = _MARKS_PER_LETTER  # as if at the limit: a name cannot begin with a mark
    for character in name:
        is_mark = unicodedata.category(character) in _MARKS
        marks = marks + 1 if is_mark else 0 if character != " " else _MARKS_PER_LETTER
        if not is_mark or marks <= _MARKS_PER_LETTER:
            kept.append(character)
    return "".join(kept)


def cut(name: str, columns: int) -> str:
    """Cut a name to a width."""
    # cells rather than characters: East Asian characters are two columns wide
    while cell_len(name) > columns:
        name = name[:-1]
    return name.strip()


_LETTERS: Final = {ord(letter): latin for latin, letters in LOOKALIKES.items() for letter in letters}
_LUNATE: Final = str.maketrans("\u03f9\u03f2", "Cc")
"""The Greek letters that are drawn like these, and decompose to other ones."""

_PAIRS: Final = (("rn", "m"), ("vv", "w"))

_LATIN: Final = "LATIN"
_EAST_ASIAN: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"})
"""Scripts that are normally mixed with each other and with Latin, and not confused with each other."""


def skeleton(name: str) -> str:
    """Return the same string for all names that look alike; never empty for a visible name."""
    drawn = _letter_by_letter(name)
    # after the single letters: the "r" and "n" of an "m" may come from other alphabets
    for pair, letter in _PAIRS:
        drawn = drawn.replace(pair, letter)
    return drawn


def _letter_by_letter(name: str) -> str:
    plain = _plain(name.translate(_LUNATE))
    drawn = "".join(character for character in plain if unicodedata.category(character)[0] not in "ZP")
    return (drawn or plain).translate(_LETTERS)


def skeleton_of(user: str) -> str:
    """Return the skeleton of a user's name as typed, with or without a guest's mark."""
    return skeleton(user.removeprefix(GUEST_MARK))


_NEAREST: Final = 3


def or_nearest(sentence: Text, name: str, known: Iterable[str]) -> Text:
    """Return a sentence saying that a name is unknown, extended by the most similar known names, if any."""
    # in reverse, so that among lookalikes the first one stays
    names = {skeleton_of(each): each for each in sorted(known, reverse=True)}
    near = [names[each] for each in get_close_matches(skeleton_of(name), names, _NEAREST)]
    return text("{said} Did you mean {names}?", said=sentence, names=", ".join(near)) if near else sentence


def nobody_called(name: str, known: Iterable[str]) -> Text:
    """Return the sentence that nobody has a name, with the most similar known names."""
    return or_nearest(text("Nobody called {name} is here or has been here recently.", name=name), name, known)


def has_one_alphabet(name: str) -> bool:
    """Return whether all letters of a name belong together: mixed alphabets make lookalike names.

    Digits belong to the alphabet they come from; 0 to 9 fit all.
    """
    scripts = {_script(each) for each in _plain(name) if _is_of_script(each)}
    return len(scripts) < 2 or scripts <= _EAST_ASIAN | {_LATIN}


def _is_of_script(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "L" or (category == "Nd" and not character.isascii())


def _script(character: str) -> str:
    """Return the alphabet of a character."""
    # the first word of its Unicode name; "EXTENDED ARABIC-INDIC DIGIT ONE" needs to lose its prefix first
    name = unicodedata.name(character, "").removeprefix("EXTENDED ").replace("ARABIC-INDIC", "ARABIC")
    return name.partition(" ")[0]


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    # accents are dropped, but vowels written as marks stay
    kept = (letter for letter in folded if not unicodedata.name(letter, "").startswith("COMBINING"))
    return "".join(kept) or folded


_KK: Final = "kk"
"""Short enough to be somebody's initials, or part of many words."""

_PERVASIVE: Final = """
    admin admins administrator administrators moderator moderators sysadmin sysop
    gastgeber gastgeberin administratorin administratoren moderatorin moderatoren betreiber betreiberin
    gastheer gastvrouw beheerder beheerders beheerster systeembeheer
    anfitrión anfitriona servidor servidores administrador administradora administradores
    moderador moderadora moderadores
"""
"""English, German, Dutch and Spanish words that no other word begins or ends with."""

_OTHERS: Final = """
    kk host hosts server servers root superuser sudo system systems operator staff support mod mods
    moderation helpdesk security referee organizer organizers organiser organisers
    announcement announcements owner owners webmaster hostmaster official management gamemaster
    everybody everyone
    wirt wirtin hausmeister aufsicht leitung turnierleitung serverleitung spielleitung spielleiter
    spielleiterin systemverwalter
    schiedsrichter schiedsrichterin veranstalter veranstalterin kundendienst
    ankündigung ankuendigung durchsage
    besitzer besitzerin inhaber inhaberin eigentümer eigentuemer verwalter verwalterin verwaltung
    mitteilung bekanntmachung ansage offiziell
    systeem beheer moderatie spelleider spelleiding mededeling aankondiging eigenaar officieel
    scheidsrechter klantenservice
    sistema operador operadora moderación anuncio anuncios aviso avisos comunicado dueño dueña
    propietario propietaria oficial árbitro árbitra organizador organizadora organizadores
"""
"""Words that occur inside harmless ones, such as "ghost", "observer" and "Groot"."""

_BESIDE: Final = """
    the this your our team says said bot info news notice message msg administration tech co real iam here of
    der die das dein euer unser sagt nachricht meldung hinweis betrieb
    het jouw onze zegt bericht administratie
    nuestro nuestra dice equipo mensaje administración
"""
"""Words that go before or after those, with or without a space."""

_SAYING: Final = "says said sagt zegt dice"
"""A name that ends with one reads as if somebody was quoted: "The house says: ..."."""

_READERS: Final = "you me du ich jij ik usted yo"
"""Alone they read as the person who reads them: a seat of one's own is marked "(you)"."""

_HEADS: Final = "host hosts server servers system systems"
"""Words that name a role at the end of a longer word, as in "annahost" and "gameserver"."""

_LEADS: Final = "server system"
"""Words that do so at the start, as in "systemanna"; with the others surnames begin, such as Hostettler."""

_INNOCENT: Final = re.compile("ghosts?$|^system(?:at|lc)")  # for skeletons: an "i" looks like an "l"
_A_PART: Final = re.compile("(?=.*[aeouyl]).{3,}")
"""The rest of such a word: "ob", as in "observer", is too short, and "sch" has no vowel."""

_GIVEN: Final = """
    anna anne ben bob eva jan jim joe john julia kate lea leo lisa lucy maria mark max mia paul peter sam sara
    sarah thomas tim tom alex andreas claudia felix finn hans jonas karl klaus laura lena lukas marie martin
    michael moritz nina otto petra stefan susanne ulrich bram daan emma fleur jeroen joost kees lotte maarten
    piet sanne sophie thijs willem alejandro ana carlos carmen diego elena javier jose juan luis manuel marta
    miguel pablo pedro rosa sofia
"""
"""Common first names; next to one of them, "host" and "root" name a role at either end of a word."""

_PLAIN: Final = 4
"""Letters a reserved word needs to be recognised inside decoration, as in "xXhostXx"."""

_WORD: Final = re.compile(r"(?!\d)[^\W_]+?(?=\d*(?:[\W_]|$))")
"""A word without the digits at its end, as in "admin42"."""
_HUMP: Final = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ]{2})(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
"""The boundary between words written together: "Admin|Anna", "KK|Admin"."""

_TRIM: Final = re.compile("^[xX]+|[xX]+$")
_DIGITS: Final = re.compile(r"\d+")
_ARTICLE: Final = re.compile("^(?:the|der|die|das|de|het|el|la|los|las) (?=.)", re.IGNORECASE)
_OPEN_D: Final = re.compile("cl", re.IGNORECASE)
"""Letters drawn like a "d", as in "aclmin"."""

_PARTED_H: Final = re.compile("[iIl1|]-[iIl1|]")
"""Letters drawn like an "h", as in "I-Iost"."""

_DOUBLED: Final = re.compile(r"([bcdfghj-np-tv-z])\1+", re.IGNORECASE)
"""A doubled consonant, read as one: "hosst". A doubled vowel makes another name, as in Hoost."""

_READ_AS: Final = str.maketrans("01345789@$!+\u00a1\u2020", "oleastbgasitit")
"""Digits and signs that people read as letters although they are not drawn like them."""


def check_name(raw: str, server_name: str = "") -> str:
    """Return a clean name that a person may have at a server called `server_name`. Raises `BadName`."""
    name = clean_name(raw)
    if not has_one_alphabet(name):
        raise BadName(text("{name} mixes several alphabets; use just one.", name=name))
    if _is_bots(name):
        raise BadName(
            text("{name} is the name of a bot here; choose another one, or add an initial.", name=name)
        )
    if skeleton(name) in _skeletons(_READERS):
        raise BadName(text("{name} sounds like the person reading it; choose another name.", name=name))
    if impersonates_server(name, server_name) or skeleton(name) == skeleton(AT_HOME):
        raise BadName(text("{name} is reserved for the server; choose another name.", name=name))
    return name


_NAMES_KEPT: Final = 1000  # asked for every chat line


@lru_cache(_NAMES_KEPT)
def is_allowed(user: str, server_name: str = "") -> bool:
    """Return whether this name could be claimed today."""
    try:
        return bool(check_name(user, server_name))
    except BadName:
        return False


def _is_bots(name: str) -> bool:
    # bots' own names, and names as the app writes them: "Mathilde hard", "hard bot"
    reserved = {skeleton(each) for each in reserved_names()}
    kinds = {skeleton(each) for each in (*bot_names(), "bot")}
    words = set(map(skeleton, name.split()))
    return skeleton(name) in reserved or (words <= reserved | kinds and bool(words & kinds))


def impersonates_server(name: str, server_name: str = "") -> bool:
    """Return whether readers could mistake a name for the server's (`server_name`) or its host's."""
    composed = unicodedata.normalize("NFKC", name)
    closed = _OPEN_D.sub("d", _PARTED_H.sub("h", composed))
    # each way in which people could read the name
    readings = {composed, composed.translate(_READ_AS), closed, closed.translate(_READ_AS)}
    readings |= {_DOUBLED.sub(r"\1", read) for read in readings}
    own = _own_names(server_name)
    return any(_has_reserved_word(read) or bool(own and _is_server_name(read, own)) for read in readings)


def _has_reserved_word(name: str) -> bool:
    written = _WORD.findall(name)
    bare = [core for word in written if (core := _TRIM.sub("", word)) != word]
    words = [skeleton(word) for word in written]
    parts = [skeleton(part) for word in written for part in _HUMP.split(word)]
    apart = [_letter_by_letter(part) for word in written for part in _HUMP.split(word)]
    pieces = [[skeleton(part) for part in _DIGITS.split(word) if part] for word in written]
    reserved = _skeletons(_PERVASIVE, _OTHERS)
    return (
        not reserved.isdisjoint((*words, *parts, skeleton(name)))
        or any(skeleton(core) in reserved for core in bare if len(core) >= _PLAIN)
        or any(word.startswith(each) or word.endswith(each)
               for word in (*words, *map(skeleton, bare)) for each in _skeletons(_PERVASIVE))
        or (len(words) > 1 and words[-1] in _skeletons(_SAYING))
        or any(_names_role(word) for word in (*words, *map(skeleton, bare)))
        # catches words that share a look-alike letter at the boundary, as in "servernews"
        or any(_is_made_of_reserved_words(together, reserved, beside=_BESIDE)
               for together in _runs(parts) | _runs(apart))
        or any(piece not in reserved and _is_made_of_reserved_words(piece, reserved, beside=_BESIDE)
               for own in pieces if len(own) > 1 for piece in own)
    )  # fmt: skip


def _names_role(word: str) -> bool:
    """Return whether a word ends or begins with a role, as in "annahost" and "rootanna"."""
    before = {word.removesuffix(role) for role in _skeletons(_HEADS)} - {word}
    behind = {word.removeprefix(role) for role in _skeletons(_LEADS)} - {word}
    named = {word.removesuffix(role) for role in _skeletons("host root")}
    named |= {word.removeprefix(role) for role in _skeletons("host root")}
    is_role = _INNOCENT.search(word) is None and any(map(_A_PART.fullmatch, before | behind))
    return is_role or not (named - {word}).isdisjoint(_skeletons(_GIVEN))


def _is_server_name(name: str, own: frozenset[str]) -> bool:
    written = _WORD.findall(name)
    parts = [skeleton(part) for word in written for part in _HUMP.split(word)]
    several = {each for each in own if each not in parts}
    return (
        skeleton(name) in own
        or not several.isdisjoint(_runs([skeleton(word) for word in written]))
        or _is_made_of_reserved_words("".join(parts), own, beside=" ".join((_BESIDE, _PERVASIVE, _OTHERS)))
    )


@cache
def _own_names(server_name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", server_name)
    # also without its article, and cut to the maximum length of a name
    bare = _ARTICLE.sub("", plain)
    cuts = {each[:length] for each in (plain, bare) for length in (len(each), NAME_COLUMNS)}
    return frozenset(filter(None, map(skeleton, cuts))) if any(map(str.isalnum, plain)) else frozenset()


def _runs(parts: Sequence[str]) -> set[str]:
    ends = range(1, len(parts) + 1)
    return {"".join(parts[start:end]) for end in ends for start in range(end)}


def _is_made_of_reserved_words(word: str, reserved: frozenset[str], *, beside: str) -> bool:
    """Return whether a word consists only of reserved words and words that go with them."""
    others = _skeletons(beside)
    # by the end of what has been read: whether it includes a reserved word, "kk", another word
    reached = {0: (False, False, False)}
    for start in range(len(word)):
        for part in (reserved | others) if start in reached else ():
            if word.startswith(part, start):
                end, before = start + len(part), reached[start]
                kind = (part in reserved and part != _KK, part == _KK, part in others)
                known = reached.get(end, (False, False, False))
                reached[end] = (before[0] or kind[0] or known[0], before[1] or kind[1] or known[1],
                                before[2] or kind[2] or known[2])  # fmt: skip
    is_reserved, is_short, has_other = reached.get(len(word), (False, False, False))
    # a bare "kk" may be somebody's initials
    return is_reserved or (is_short and has_other)


@cache
def _skeletons(*lists: str) -> frozenset[str]:
    return frozenset(skeleton(word) for words in lists for word in words.split())
