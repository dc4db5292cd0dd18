"""Noughts and bids on the screen: the one value that the app asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from textual.content import Content

from kk_core.games.noughts.model import META, NO_BID, Observation
from kk_core.games.noughts.notation import describe, describe_move
from kk_core.text import Text, text, texts
from kk_core.types import Move, Seat
from kk_core.views import LogEntry
from kk_tui.games import Face, SheetEntry
from kk_tui.games.noughts.board import NoughtsBoard
from kk_tui.games.noughts.brief import brief, last_reveal
from kk_tui.games.noughts.theme import GLYPHS
from kk_tui.i18n import _, render
from kk_tui.scene import Scene
from kk_tui.theme.glyphs import Glyphs
from kk_tui.widgets.explanation import explained


def status(scene: Scene[Observation]) -> Sequence[Text]:
    """Return the round, and what is done in it."""
    view = scene.observation
    number = view.turn // 2 + 1
    if view.placer is None:
        return (text("Round {round}: bidding", round=number),)
    return (text("Round {round}: placing", round=number),)


def person(scene: Scene[Observation], seat: Seat, _glyphs: Glyphs) -> Content:
    """Return the coins, and who wins a tie."""
    view = scene.observation
    coins = view.coins[seat]
    if seat == view.favoured:
        said = texts("{n} coin, favoured", "{n} coins, favoured", coins)
    else:
        said = texts("{n} coin", "{n} coins", coins)
    told = text("Coins left to bid; who is favoured wins a tie of bids.")
    return explained((render(said), "$ink-dim"), told, "bidding")


def collections(scene: Scene[Observation], _glyphs: Glyphs, _width: int) -> Iterable[Content]:
    """Return the coins of all."""
    for seat, name in enumerate(scene.names):
        words = f"{name[:12]:<12} {scene.observation.coins[seat]:>2}"
        yield explained((words, f"$seat-{seat}"), text("The coins of {name}.", name=name), "bidding")


def sheet_label(_scene: Scene[Observation], _line: int) -> Text:
    """Return the label of the only line."""
    return text("lines of three")


def sheet_entry(scene: Scene[Observation], line: int) -> SheetEntry:
    """Return the same under a heading."""
    return SheetEntry(text("The board"), sheet_label(scene, line), text("lines"))


def move_words(scene: Scene[Observation], seat: Seat, move: Move) -> Text:
    """Describe a move as a sentence."""
    return describe_move(scene.names[seat], move)


def log_words(scene: Scene[Observation], entry: LogEntry) -> Sequence[Text]:
    """Describe a ply for the log."""
    return describe(scene.names, entry.seat, entry.move, entry.events)


def hand(scene: Scene[Observation]) -> Sequence[Content]:
    """Return the viewer's own bid."""
    bid = scene.observation.own_bid
    return [] if bid == NO_BID else [Content.styled(_("bids {n}", n=bid - 1), "$gold")]


def holds_secrets(scene: Scene[Observation], _seat: Seat) -> bool:
    """Return whether bids are being made, which are secret."""
    return scene.observation.placer is None and not scene.is_over


def help_section(scene: Scene[Observation]) -> str:
    """Return the section on bidding or on placing."""
    if scene.is_over:
        return "the-end"
    return "bidding" if scene.observation.placer is None else "placing"


FACE: Final = Face(
    meta=META,
    observation=Observation,
    glyphs=GLYPHS,
    board=NoughtsBoard,
    status=status,
    person=person,
    collections=collections,
    sheet_label=sheet_label,
    sheet_entry=sheet_entry,
    move_words=move_words,
    describe=log_words,
    brief=brief,
    help_section=help_section,
    holds_secrets=holds_secrets,
    last_reveal=last_reveal,
    hand=hand,
    has_start_player=False,
)
