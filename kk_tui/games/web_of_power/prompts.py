"""What the one at the keyboard can do now: header, prompt line and keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kk_core.games.web_of_power import model
from kk_core.games.web_of_power.model import Observation
from kk_core.text import Text, text, texts
from kk_core.types import Move
from kk_tui.games.web_of_power.choices import CREST, Selection, Target, country_of
from kk_tui.keymap import Action, choice
from kk_tui.table.scene import Scene

ONLY_END: Final = text("Nothing more can be placed in this turn: Enter ends placing; then you draw.")


def status(scene: Scene[Observation]) -> Text:
    """Round and phase for the header."""
    view = scene.observation
    if view.phase == model.OVER:
        return text("Round {round}: over", round=view.round)
    if view.phase == model.DRAWING:
        phase = text("drawing")
    elif view.begun != model.NO_COUNTRY:
        phase = text("placing in {country}", country=model.COUNTRY_NAMES[view.begun])
    else:
        phase = text("placing")
    return text("Round {round}, {half}: {phase}", round=view.round, half=_half(view), phase=phase)


def _half(view: Observation) -> Text:
    halves = (text("first half"), text("second half"), text("last round"))
    return halves[view.pile_runs]


def prompt(scene: Scene[Observation], selection: Selection, *, is_final: bool = False) -> Text:
    """One sentence; asked only when the viewer can act. `is_final` is what Enter does if that is known."""
    view = scene.observation
    if selection.is_in_score:
        return text("Enter shows the next line of the score, Esc goes on with the match.")
    if selection.draw is not None:
        return _drawing(view, selection.draw)
    if scene.legal == {model.END_PLACING}:
        return ONLY_END
    payment = selection.payment if selection.is_pointing else None
    if payment is not None:
        said = _placing(view, selection.cursor, payment)
        return text("{said}, for good.", said=said) if is_final else text("{said}.", said=said)
    if selection.open:
        return text("These cards allow what is lit on the map: Enter goes on, or click there.")
    if selection.chosen:
        if any(model.Exchange(kind).move in scene.legal for kind in view.hand):
            return text("Nothing can be placed with these cards: choose others, or discard one.")
        return text("Nothing can be placed with these cards: choose others, or end placing.")
    if view.begun != model.NO_COUNTRY:
        return text(
            "Choose cards for a second piece in {country}, or end placing.",
            country=model.COUNTRY_NAMES[view.begun],
        )
    return text("Choose cards by 1, 2, 3 or click; or point at the map and let Enter choose.")


def _drawing(view: Observation, source: Move) -> Text:
    missing = model.HAND - len(view.hand)
    drawn = model.read(view.printed, source)
    if not isinstance(drawn, model.DrawFaceUp):
        return texts(
            "Draw {n} card: Enter takes it from the pile; arrows choose an open card.",
            "Draw {n} cards: Enter takes one from the pile; arrows choose an open card.",
            missing,
        )
    return texts(
        "Draw {n} card: Enter takes the open card {card}.",
        "Draw {n} cards: Enter takes the open card {card}.",
        missing,
        card=model.CARD_NAMES[drawn.kind],
    )


def _placing(view: Observation, target: Target, payment: int) -> Text:
    country = country_of(view.printed, target)
    cards = model.cards_of(country, payment)
    name, card = model.COUNTRY_NAMES[country], model.CARD_NAMES[cards[0]]
    if target >= CREST:
        if len(cards) == 1:
            return text("Enter sends an advisor to {country} with {card}", country=name, card=card)
        return text("Enter sends an advisor to {country} with two {card}", country=name, card=card)
    space = view.printed.spaces[target]
    if len(cards) == 1:
        return text(
            "Enter places a cloister on {space} ({country}) with {card}",
            space=space,
            country=name,
            card=card,
        )
    return text("Enter places a cloister on {space} with two {card}", space=space, card=card)


def actions(scene: Scene[Observation], selection: Selection) -> Iterator[Action]:
    """The keys that count, the most important first."""
    view = scene.observation
    yield Action("do", _enter(scene, selection))
    if view.phase == model.PLACING:
        yield from _placing_actions(scene, selection)
    else:
        yield from _drawing_actions(scene)
    yield Action("influence", minor=True)


def _drawing_actions(scene: Scene[Observation]) -> Iterator[Action]:
    for place, kind in enumerate(scene.observation.face_up):
        if model.DrawFaceUp(kind).move in scene.legal:
            whole = text("open card {card}", card=model.CARD_NAMES[kind])
            yield Action(choice(model.HAND + 1 + place), text("open card"), whole=whole)
    if model.DRAW_PILE in scene.legal:
        yield Action("draw", text("pile"))


def _placing_actions(scene: Scene[Observation], selection: Selection) -> Iterator[Action]:
    if scene.legal != {model.END_PLACING}:
        for position, kind in enumerate(scene.observation.hand, 1):
            whole = text("card {card}", card=model.CARD_NAMES[kind])
            yield Action(choice(position), text("card"), whole=whole)
    if model.END_PLACING in scene.legal:
        yield Action("end", text("end placing"))
    if any(model.Exchange(kind).move in scene.legal for kind in scene.observation.hand):
        yield Action("exchange", text("discard"))
    if len(selection.open.get(selection.cursor, ())) > 1:
        yield Action("mode", text("single card") if selection.prefers_pair else text("joker"))


def _enter(scene: Scene[Observation], selection: Selection) -> Text:
    """The button of the board game, which reads "continue" once the chosen cards allow a piece."""
    if selection.is_in_score:
        return text("next")
    if selection.draw is not None:
        return text("draw")
    if scene.legal == {model.END_PLACING}:
        return text("end placing")
    if selection.is_pointing and selection.cursor in selection.open:
        return text("place")
    return text("continue") if selection.open else text("choose")
