"""Which names look alike: all that a reader may take for one another have one skeleton.

After UTS #39 of Unicode, for names of one alphabet: case, accents, blanks and punctuation do not count, and
letters that are drawn alike become one Latin letter.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_ALIKE: Final = {
    "a": "ɑᴀαаᎪⲁꓮ",
    "b": "ƅʙьᏏꞵβвᏴⲃꓐ",
    "c": "ᴄсᏟⲥꓚ",
    "d": "ԁᴅᏧᎠꓒꓓđɗ",
    "e": "ꬲᴇеҽεᎬꓰєэɛ",
    "f": "ꬵꜰꞙẝքϝꓝƒ",
    "g": "ɡɢᶃցԍᏀᏳꓖǥ",
    "h": "һʜհᏂηⲏнᎻꓧħ",
    "j": "ϳᴊјʝᎫꓙ",
    "k": "κᴋĸⲕкᏦꓗқӄƙ",
    "l": "iʟıɪɩιіꙇӏᎥǀⲓꓲⳑᏞꓡłƚ1",
    "m": "ϻᴍⲙмᎷꓟμ",
    "n": "ոɴռⲛꓠиᴎŋпν",
    "o": "0〇Ꮎᴏᴑꬽοσⲟоօꓳøɵ",
    "p": "ρᴘⲣрᏢꓑƥ",
    "q": "ԛգզ",
    "r": "ꭇꭈᴦⲅгᎱʀᎡᏒꓣ",
    "s": "ꜱѕᏚտᏕꓢ",
    "t": "τᴛⲧтᎢꓔŧ",
    "u": "ꞟᴜꭎꭒʋսꓴц",
    "v": "ᴠѵᏙꓦ",
    "w": "ɯᴡѡԝաᎳᏔꓪωшщ",
    "x": "хꭓχⲭꓫҳ",
    "y": "ɣᶌʏỿꭚγуүυⲩᎩᎽꓬ",
    "z": "ᴢᏃζꓜʒз3ƶ",
    "ae": "æ",
    "oe": "œ",
    "th": "þ",
}
"""Letters after case folding and decomposition, and what they look like; digits that pass for letters, too.

Of the alphabets that common fonts draw: Latin, Greek, Cyrillic, Armenian, Coptic, Cherokee, Lisu. Where small
and capital letter look like different Latin ones, the capital counts: names begin with it.
"""

_LETTERS: Final = {ord(letter): latin for latin, letters in _ALIKE.items() for letter in letters}
_PAIRS: Final = (("rn", "m"), ("vv", "w"))

_LATIN: Final = "LATIN"
_EAST_ASIAN: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"})
"""Scripts that are written together, and with Latin letters; nobody takes one for another."""


def skeleton(name: str) -> str:
    """The same for all names that look alike; never empty for one that can be seen."""
    plain = _plain(name)
    drawn = "".join(character for character in plain if unicodedata.category(character)[0] not in "ZP")
    drawn = (drawn or plain).translate(_LETTERS)
    for pair, letter in _PAIRS:
        drawn = drawn.replace(pair, letter)
    return drawn


def has_one_alphabet(name: str) -> bool:
    """Whether all letters of a name belong together: mixed alphabets make one name look like another.

    Digits belong to the alphabet that they come from; 0 to 9 go with all.
    """
    scripts = {_script(each) for each in _plain(name) if _is_of_script(each)}
    return len(scripts) < 2 or scripts <= _EAST_ASIAN | {_LATIN}


def _is_of_script(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "L" or (category == "Nd" and not character.isascii())


def _script(character: str) -> str:
    """The first word of what Unicode calls a character; of "EXTENDED ARABIC-INDIC DIGIT ONE", ARABIC."""
    name = unicodedata.name(character, "").removeprefix("EXTENDED ").replace("ARABIC-INDIC", "ARABIC")
    return name.partition(" ")[0]


def _plain(name: str) -> str:
    """Without case and accents; vowels that are written as marks stay."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    kept = (letter for letter in folded if not unicodedata.name(letter, "").startswith("COMBINING"))
    return "".join(kept) or folded
