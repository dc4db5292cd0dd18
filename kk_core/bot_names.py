"""The bots' names, for programs and for people. Imports no rules, for processes that must not load them."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Final, NamedTuple

from kk_core.text import Text, text

LEVELS: Final = ("expert", "hard", "medium", "easy")
"""Strongest first; all but the last search."""

BOTS: Final = ("greedy", "random")
"""The bots that are not levels."""

QUICK: Final = (LEVELS[-1], *BOTS)
"""The bots that do not search: they take less than a millisecond for most moves."""

DEFAULT_BOT: Final = "easy"
"""The bot at a table where nobody has chosen one."""

STAND_IN: Final = "medium"
"""The bot that plays for people who are away, where nobody has chosen one."""

_WORDS: Final = {
    "easy": text("easy"),
    "medium": text("medium"),
    "hard": text("hard"),
    "expert": text("expert"),
    "greedy": text("greedy"),
    "random": text("random"),
}


def level_of(bot: str) -> Text:
    """Return the level of a bot for a sentence; a bot from another package keeps its own name."""
    return _WORDS.get(bot, Text(bot))


ENTRY_POINTS: Final = "kk.bots"
"""The entry point group under which a package declares its bots (see docs/bots.md)."""

ME: Final = "me"
"""The word for the user in a list of seats; no bot may have this name."""

BOT_PREFIX: Final = "bot:"
"""The prefix of a bot's name on a seat and in records; no person's name may begin with it."""

_PEOPLE: Final = {
    "expert": ("Hildegard", "Gerbert", "Heloise", "Alkuin", "Roswitha", "Suger"),
    "hard": ("Mathilde", "Notker", "Adelheid", "Odilo", "Gisela", "Wibald"),
    "medium": ("Berta", "Einhard", "Ida", "Ludger", "Oda", "Gallus"),
    "easy": ("Liesel", "Benno", "Jutta", "Till", "Emma", "Veit"),
    "greedy": ("Fugger", "Welser", "Medici", "Krösus", "Midas", "Tetzel"),
    "random": ("Fortuna", "Würfel", "Zufall", "Aprilis", "Kobold", "Puck"),
}

STYLES: Final = ("builder", "courtier", "denier", "gambler")
"""How bots of one level may differ: what each likes more than others do, told by the name it bears.

At every level the first people play in these styles, in this order; the others have none. What a style means
in a game is the game's own (see `kk_core.search.strategy.Styled`).
"""

# must fit into seat lists, contest labels and records
_NAME: Final = re.compile(r"[\w.+-]{1,20}")


class RefusedBot(NamedTuple):
    """A bot from another package that cannot be used, and why."""

    name: str
    package: str
    reason: Text

    @property
    def sentence(self) -> Text:
        """The whole refusal, for people."""
        return text(
            "Ignoring bot {name} from package {package}: {reason}",
            name=repr(self.name), package=self.package, reason=self.reason,
        )  # fmt: skip


class OtherBots(NamedTuple):
    """The bots from other packages: usable ones by name, and refused ones."""

    points: dict[str, EntryPoint]
    refused: tuple[RefusedBot, ...]


@cache
def other_bots() -> OtherBots:
    """Return the bots from other packages whose modules can be found."""
    points: dict[str, EntryPoint] = {}
    refused = []
    for point in filter(_is_there, entry_points(group=ENTRY_POINTS)):
        if (reason := _against(point.name, points)) is None:
            points[point.name] = point
        else:
            refused.append(RefusedBot(point.name, _package(point), reason))
    return OtherBots(points, tuple(refused))


def bot_names() -> tuple[str, ...]:
    """Return all bots: the levels, strongest first, then `BOTS`, then others by name."""
    return (*LEVELS, *BOTS, *sorted(other_bots().points))


def _against(name: str, used: dict[str, EntryPoint]) -> Text | None:
    if name.casefold() in (*LEVELS, *BOTS, ME):
        return text("kk reserves this name.")
    if not _NAME.fullmatch(name):
        return text("names have 1 to 20 characters: letters, digits, and . _ + -.")
    if name in used:
        return text("package {package} already has a bot with this name.", package=_package(used[name]))
    return None


def _package(point: EntryPoint) -> str:
    return (point.dist and point.dist.name) or point.module


def _is_there(point: EntryPoint) -> bool:
    # a removed package may leave its entry point behind
    try:
        return find_spec(point.module) is not None
    except (ImportError, ValueError):  # from a parent package
        return False


def bot_choices() -> tuple[str, ...]:
    """Return all bots in the order in which people cycle through them.

    It starts with the default bot and goes up in strength; non-levels follow the strongest level.
    """
    bots = (*reversed(LEVELS), *bot_names()[len(LEVELS) :])
    first = bots.index(DEFAULT_BOT)
    return bots[first:] + bots[:first]


def reserved_names() -> tuple[str, ...]:
    """Return all bot names, words and people's; no user of a server may take one."""
    return (*bot_names(), *(person for people in _PEOPLE.values() for person in people))


def level_below(name: str) -> str:
    """Return the bot that replaces one that fails: the next lower level, or finally one without a search."""
    if name in LEVELS[:-1]:
        return LEVELS[LEVELS.index(name) + 1]
    return BOTS[0]


def style_of(bot: str | None, person: str) -> str | None:
    """Return the style in which a bot plays under a person's name (see `bot_people`); None for none."""
    styles = dict(zip(_PEOPLE[bot], STYLES, strict=False)) if bot in LEVELS else {}
    # a number follows where there are more bots than names
    return styles.get(person.partition(" ")[0])


def bot_people(bots: tuple[str | None, ...], number: int) -> tuple[str | None, ...]:
    """Return the human names of a table's bots, one per seat, without repeats; None where no bot sits.

    `number` is the table's: the same table always has the same names, other tables others. A bot with enough
    names for all seats keeps its own whoever sits on the others.
    """
    taken: set[str] = set()
    people: list[str | None] = []
    for seat, bot in enumerate(bots):
        names = _PEOPLE.get(bot or "", ()) or ((bot.capitalize(),) if bot else ())
        # rotated by the table's number, so that neighbouring tables differ
        person = names[(number + seat) % len(names)] if names else None
        if person in taken:
            person = f"{person} {seat + 1}"
        people.append(person)
        taken.add(person or "")
    return tuple(people)
