"""Letters of other alphabets that are drawn like Latin ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LOOKALIKES: Final[Mapping[str, str]] = {
    "a": "ɑᴀαаᎪⲁꓮⱥᗅᗩ",
    "b": "ƅʙьᏏꞵβвᏴⲃꓐᗷᑲᖯ",
    "c": "ᴄсᏟⲥꓚᑕ",
    "d": "ԁᴅᏧᎠꓒꓓđɗɖᗞᗪᑯ",
    "e": "ꬲᴇеҽεᎬꓰєэɛɇᗴⴹ",
    "f": "ꬵꜰꞙẝքϝꓝƒᖴ",
    "g": "ɡɢᶃցԍᏀᏳꓖǥ",
    "h": "һʜհᏂηⲏнᎻꓧħⱨɦᕼ",
    "j": "ϳᴊјʝᎫꓙᒍ",
    "k": "κᴋĸⲕкᏦꓗқӄƙ",
    "l": "iʟıɪɩιіꙇӏᎥǀⲓꓲⳑᏞꓡłƚ1ɨᒪᓰⵏ",
    "m": "ϻᴍⲙмᎷꓟμɱᗰ",
    "n": "ոɴռⲛꓠиᴎŋпνƞᑎ",
    "o": "0〇Ꮎᴏᴑꬽοσⲟоօꓳøɵꝋᗝჿⵔ",
    "p": "ρᴘⲣрᏢꓑƥᑭ",
    "q": "ԛգզᑫⵕ",
    "r": "ꭇꭈᴦⲅгᎱʀᎡᏒꓣɍɾɽᖇ",
    "s": "ꜱѕᏚտᏕꓢʂꞩᔕƽ",
    "t": "τᴛⲧтᎢꓔŧƭⱦ",
    "u": "ꞟᴜꭎꭒʋսꓴцᑌ",
    "v": "ᴠѵᏙꓦᐯⴸ",
    "w": "ɯᴡѡԝաᎳᏔꓪωшщᗯ",
    "x": "хꭓχⲭꓫҳᕁᕽⵝ",
    "y": "ɣᶌʏỿꭚγуүυⲩᎩᎽꓬɏყ",
    "z": "ᴢᏃζꓜʒз3ƶᘔ",
    "ae": "æ",
    "oe": "œ",
    "th": "þ",
}
"""Letters after case folding and decomposition, by what they look like; also digits that pass for letters.

Covers the alphabets that common fonts draw: Latin, Greek, Cyrillic, Armenian, Coptic, Cherokee, Lisu, and
what looks Latin of Canadian syllabics, Tifinagh and Georgian. If a small letter and its capital look like
different Latin letters, the capital counts, since names begin with it.
"""
