"""What the one at the keyboard can do now: a sentence, and the actions that have keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kk_core.games.land_cards import model
from kk_core.games.land_cards.layout import row_ends
from kk_core.games.land_cards.model import Observation
from kk_core.games.land_cards.notation import COUNTRY_NAMES, LAW_NAMES
from kk_core.text import Text, text, texts
from kk_core.types import Move
from kk_tui.games.land_cards.counts import cards_left
from kk_tui.games.land_cards.panels import own_laws
from kk_tui.keymap import CHOICE_OF, Action, choice
from kk_tui.scene import Scene

_PHASES: Final = (
    text("taking cards"),
    text("giving up a stone"),
    text("placing a stone"),
    text("the last card is taken"),
)


def status(scene: Scene[Observation]) -> Text:
    """The phase of the turn, for the header, and how many cards are left."""
    phase, left = _PHASES[scene.observation.phase], cards_left(scene.observation)
    if not left:
        return phase
    return texts("{phase}  |  {n} card in the rows", "{phase}  |  {n} cards in the rows", left, phase=phase)


def prompt(scene: Scene[Observation], picked: int | None) -> Text:
    """The sentence for the viewer, who has something to do; `picked` is the stone that he is moving."""
    phase = scene.observation.phase
    if phase == model.GIVING_UP:
        return _prompt_giving_up(scene)
    return _prompt_stones(scene, picked) if phase == model.STONE_STEP else _prompt_taking(scene)


def _prompt_taking(scene: Scene[Observation]) -> Text:
    view, can_take = scene.observation, _is_there(scene, model.Take)
    if not view.taken:
        if can_take:
            return text("Take a card from the left or right end of a row.")
        return text("You can take no card: play “Take back a stone”, or skip the turn.")
    used: dict[str, int | str] = {"used": view.symbols, "limit": view.symbol_limit}
    if not can_take:
        return _why_no_more(view, used)
    if view.any_colour:
        return text("Take another card of any country, or end taking ({used} of {limit} symbols).", **used)
    country = COUNTRY_NAMES[model.country_of(view.faces[view.taken[0]])]
    return text(
        "Take another card of {country}, or end taking ({used} of {limit} symbols).",
        country=country,
        used=view.symbols,
        limit=view.symbol_limit,
    )


def _why_no_more(view: Observation, used: dict[str, int | str]) -> Text:
    """What forbids a further card: the symbols, or that no card of the country lies at an end."""
    if view.symbols >= view.symbol_limit:
        return text("You can take no further card ({used} of {limit} symbols): end taking.", **used)
    country = model.country_of(view.faces[view.taken[0]])
    ends = {model.country_of(view.faces[cell]) for cell in row_ends(view.board)}
    if country not in ends and not view.any_colour:
        name = COUNTRY_NAMES[country]
        return text("No other card of {country} lies at an end of a row: end taking.", country=name)
    return text("No card at an end can be added to yours ({used} of {limit} symbols): end taking.", **used)


def _prompt_giving_up(scene: Scene[Observation]) -> Text:
    from_hand = model.GiveUp(None).move in scene.legal
    if from_hand and len(scene.legal) == 1:
        return text("The card lay under an opponent's stone: Enter gives up a stone from your hand.")
    if from_hand:
        return text("You owe a stone for that card: choose one of yours on a card, or one in hand.")
    return text("You owe a stone for that card: choose one of yours that lies on a card.")


def _prompt_stones(scene: Scene[Observation], picked: int | None) -> Text:
    if picked is not None:
        return text("Choose the card that the stone moves to; Esc leaves it where it lies.")
    if _is_there(scene, model.Place):
        return text("Place a stone on a card in the rows, or leave the stones as they are.")
    if _is_there(scene, model.MoveStone):
        return text("All your stones lie on cards: choose one to move it to another card, or leave them.")
    return text("You can neither place nor move a stone: leave the stones as they are.")


def _is_there(scene: Scene[Observation], kind: type[model.Take | model.Place | model.MoveStone]) -> bool:
    return any(isinstance(model.read(move), kind) for move in scene.legal)


_PLAIN: Final = (
    (model.EndTaking().move, "end", text("end taking")),
    (model.Pass().move, "pass", text("leave the stones")),
    (model.Skip().move, "pass", text("skip the turn")),
    (model.GiveUp(None).move, "give", text("give up one in hand")),
)


def enter(scene: Scene[Observation], picked: int | None, cursor: int | None) -> Text:
    """What Enter does to the card under the cursor, which can be chosen."""
    phase = scene.observation.phase
    if phase == model.GIVING_UP:
        return text("give up this stone")
    if phase != model.STONE_STEP:
        return text("take the card")
    if picked is not None:
        return text("leave it here") if cursor == picked else text("move the stone here")
    if _is_there(scene, model.Place):
        return text("place a stone")
    return text("choose this stone")


def actions(scene: Scene[Observation]) -> Iterator[Action]:
    """What can be done by key besides choosing cards."""
    for move, name, label in _PLAIN:
        if move in scene.legal:
            yield Action(name, label)
    for number, kind in enumerate(own_laws(scene.observation), 1):
        if model.PlayLaw(kind).move in scene.legal:
            yield Action(choice(number), LAW_NAMES[kind])


def meaning(scene: Scene[Observation], name: str) -> Move | Text | None:
    """The move that a key stands for, whether it is legal or not; or why it stands for none."""
    if name in CHOICE_OF:
        laws, number = own_laws(scene.observation), CHOICE_OF[name]
        if number > len(laws):
            return text("You have no law card with the number {number}.", number=number)
        return model.PlayLaw(laws[number - 1]).move
    meant = [move for move, action, _label in _PLAIN if action == name]
    return next((move for move in meant if move in scene.legal), meant[0] if meant else None)
