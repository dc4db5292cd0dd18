"""Keys and mouse, as a chapter of the help with a section for each place where they work."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from textual.content import Content

from kk_core.text import Text, text
from kk_tui.i18n import _, render
from kk_tui.keymap import ALWAYS, KEYS, ON_BOARDS
from kk_tui.rules_pages import HelpTable, Paragraph, Section

EVERYWHERE: Final = "keys"
OUTSIDE: Final = "keys-outside"
WAITING: Final = "keys-waiting"
TABLE: Final = "keys-table"
AFTER: Final = "keys-after"
"""The sections."""


class _Place(NamedTuple):
    """A place where keys work: its section's name and title, an introduction, and the keys."""

    slug: str
    title: Text
    about: Sequence[Text]
    keys: Sequence[tuple[str, Text]]
    """Actions of the keymap, or keys that are none."""


_PLACES: Final = (
    _Place(
        EVERYWHERE,
        text("Keys and mouse"),
        (
            text(
                "The line above the footer always says what you can do now; the footer shows the keys that "
                "matter."
            ),
            text(
                "The arrow keys move the cursor; in a form, left and right change a value. Tab jumps to the "
                "next possible choice, Enter makes it."
            ),
            text(
                "Everything works with the mouse, too: click something on the board, or a key in the footer."
            ),
            text(
                "Esc goes back one step and never loses anything. If something isn't possible, you "
                "see why when you try it."
            ),
        ),
        (
            ("do", text("choose what is under the cursor")),
            ("back", text("go back one step")),
            ("next", text("go to the next choice")),
            ("previous", text("go to the choice before")),
            ("help", text("open rules and help")),
            ("settings", text("open the settings")),
            ("leave", text("leave where you are; in menu and lobby: quit")),
            ("commands", text("list everything that can be done now")),
            ("quit", text("quit kk")),
        ),
    ),
    _Place(
        OUTSIDE,
        text("Menu and lobby"),
        (),
        (
            ("new", text("open a new match or table")),
            ("lesson", text("learn a game by playing")),
            ("draw", text("open the deal of the day")),
            ("log", text("open your past matches")),
            ("sheet", text("open the leaderboard")),
            ("filter", text("show other tables: all, yours, open ones, ...")),
            ("table", text("join a table by code, title or name")),
            ("key", text("open your SSH keys")),
            ("mode", text("choose where you are called when it is your turn")),
            ("delete", text("delete what is under the cursor")),
            ("collections", text("deal of the day: copy your result to share")),
            ("earlier", text("deal of the day: the day before")),
            ("later", text("deal of the day: the day after")),
        ),
    ),
    _Place(
        WAITING,
        text("Waiting room"),
        (),
        (
            ("bot", text("put another bot on the seat")),
            ("start", text("begin the match, or say you're ready")),
            ("table", text("invite people and more: the table's menu")),
            ("chat", text("chat")),
            ("command", text("chat with a command; /help lists them")),
        ),
    ),
    _Place(
        TABLE,
        text("At the table"),
        (
            text(
                "{hint} shows a hint: up to three good moves, marked a, b and c on the board, with reasons. "
                "Points are estimates, and so is how likely others are to do something. "
                "On a server there are hints only where the table allows them.",
                hint=KEYS["hint"].word,
            ),
            text(
                "The coach warns you before a costly move and says what it would cost. At home, {table} "
                "switches it on or off; on a server, the table's menu does, which {table} opens.",
                table=KEYS["table"].word,
            ),
            text(
                "What is this? The line above the footer explains whatever is under the mouse; the "
                "key {what} goes through all kinds of signs, and F1 opens the rule about the one being "
                "explained.",
                what=KEYS["what"].word,
            ),
            text(
                "Beside the names: * marks whose turn it is, S the start player. Each player has a "
                "letter and a shape."
            ),
        ),
        (
            ("1 - 9", text("choose the item with this number")),
            ("end", text("end your turn, or this part of it")),
            ("pass", text("leave your stones, or skip the turn")),
            ("give", text("give up a stone from the supply")),
            ("draw", text("draw a card from the pile")),
            ("exchange", text("discard a card")),
            ("mode", text("pay with a single card or a joker")),
            ("influence", text("show everybody's points on the map")),
            ("undo", text("take back your last step")),
            ("hint", text("show a hint")),
            ("race", text("show how things stand")),
            ("log", text("show the log of all moves")),
            ("sheet", text("show the score sheet")),
            ("collections", text("show what everybody has")),
            ("earlier", text("look back one move")),
            ("later", text("look one move on")),
            ("what", text("explain the signs one by one")),
            ("F1", text("open the rule about what is explained")),
            ("skip", text("skip what is being shown")),
            ("all", text("show all of a scoring at once")),
            ("lesson", text("in a lesson: restart it")),
            ("table", text("at home: coach; else: the table's menu")),
            ("chat", text("chat")),
            ("command", text("chat with a command; /help lists them")),
        ),
    ),
    _Place(
        AFTER,
        text("After a match"),
        (),
        (
            ("view", text("replay the match; there: whose view you see")),
            ("hint", text("show the analysis of the match; there: the coach")),
            ("rematch", text("play a rematch")),
            ("new", text("open another match")),
            ("save", text("save the record of the match")),
            ("collections", text("deal of the day: copy your result to share")),
            ("start", text("in a replay: play on from here")),
            ("next", text("in a replay: go to the next scoring")),
            ("draw", text("in a replay: go to the decisive moment")),
        ),
    ),
)


def keys_chapter(on_board: Collection[str]) -> Sequence[Section]:
    """Return what keys and mouse do; of the keys that only some boards have, only these are told."""
    shown = {key.action: key.shown for key in (*KEYS.values(), *ALWAYS)}
    sections = []
    for place in _PLACES:
        # other places have other uses for the same keys
        missing = ON_BOARDS.difference(on_board) if place.slug == TABLE else ()
        rows = [(Content(_("key")), Content(_("what it does")))]
        rows += [
            (Content.styled(shown.get(name, name), "bold $gold"), Content(render(does)))
            for name, does in place.keys
            if name not in missing
        ]
        about = (Paragraph(Content(render(words))) for words in place.about)
        sections.append(Section(place.slug, render(place.title), (*about, HelpTable(tuple(rows)))))
    return sections
