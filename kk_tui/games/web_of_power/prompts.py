"""What the one at the keyboard can do now: header, prompt line and keys."""

from __future__ import annotations

from collections.abc import Iterator

from kk_core.games.web_of_power.model import (
    CARD_NAMES,
    COUNTRY_NAMES,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWING,
    END_PLACING,
    EXCHANGE,
    HAND,
    NO_COUNTRY,
    OVER,
    PLACING,
    Observation,
)
from kk_core.games.web_of_power.notation import cards_of
from kk_core.text import Text, text, texts
from kk_core.types import Move
from kk_tui.games.web_of_power.board import MapBoard
from kk_tui.games.web_of_power.choices import CREST, country_of
from kk_tui.keymap import Action, choice
from kk_tui.scene import Scene


def status(view: Observation) -> Text:
    """Round and phase for the header."""
    if view.phase == OVER:
        return text("Round {round}: over", round=view.round)
    if view.phase == DRAWING:
        phase = text("drawing")
    elif view.begun != NO_COUNTRY:
        phase = text("placing in {country}", country=COUNTRY_NAMES[view.begun])
    else:
        phase = text("placing")
    return text("Round {round}, {half}: {phase}", round=view.round, half=_half(view), phase=phase)


def _half(view: Observation) -> Text:
    halves = (text("first half"), text("second half"), text("last round"))
    return halves[view.pile_runs]


def prompt(scene: Scene[Observation], board: MapBoard) -> Text:
    """One sentence; asked only when the viewer can act."""
    view = scene.observation
    if board.note is not None:
        return board.note
    if board.score_line is not None:
        return text("Enter shows the next line of the score, Esc goes on with the match.")
    if board.sources:
        return _drawing(view, board.sources[board.source])
    if scene.legal == {END_PLACING}:
        return text("Nothing more can be placed in this turn: Enter ends placing; then you draw.")
    payment = board.payment_at_cursor() if board.pointing else None
    if payment is not None:
        return _placing(board, payment)
    if board.open:
        return text("These cards allow what is lit on the map: Enter goes on, a click places.")
    if board.chosen:
        return text("Nothing can be placed with these cards: choose others, or discard one.")
    if view.begun != NO_COUNTRY:
        return text(
            "Choose cards for a second piece in {country}, or end placing.", country=COUNTRY_NAMES[view.begun]
        )
    return text("Choose cards by 1, 2, 3 or click; or point at the map and let Enter choose.")


def _drawing(view: Observation, source: Move) -> Text:
    missing = HAND - len(view.hand)
    if source == DRAW_PILE:
        return texts(
            "Draw {n} card: Enter takes it from the pile; arrows choose an open card.",
            "Draw {n} cards: Enter takes one from the pile; arrows choose an open card.",
            missing,
        )
    return texts(
        "Draw {n} card: Enter takes the open card {card}.",
        "Draw {n} cards: Enter takes the open card {card}.",
        missing,
        card=CARD_NAMES[source - DRAW_FACE_UP],
    )


def _placing(board: MapBoard, payment: int) -> Text:
    country = country_of(board.land, board.cursor)
    cards = cards_of(country, payment)
    name, card = COUNTRY_NAMES[country], CARD_NAMES[cards[0]]
    if board.cursor >= CREST:
        if len(cards) == 1:
            return text("Enter sends an advisor to {country} with {card}.", country=name, card=card)
        return text("Enter sends an advisor to {country} with two cards {card}.", country=name, card=card)
    space = board.land.spaces[board.cursor]
    if len(cards) == 1:
        return text(
            "Enter places a cloister on {space} in {country} with {card}.",
            space=space,
            country=name,
            card=card,
        )
    return text("Enter places a cloister on {space} with two cards {card}.", space=space, card=card)


def actions(scene: Scene[Observation], board: MapBoard) -> Iterator[Action]:
    """The keys that count, the most important first."""
    view = scene.observation
    yield Action("do", _do_label(scene, board))
    if view.phase == PLACING:
        yield from _placing_actions(scene, board)
        return
    for place, kind in enumerate(view.face_up):
        if DRAW_FACE_UP + kind in scene.legal:
            yield Action(choice(HAND + 1 + place), text("open card"), DRAW_FACE_UP + kind)
    if DRAW_PILE in scene.legal:
        yield Action("draw", text("pile"), DRAW_PILE)


def _placing_actions(scene: Scene[Observation], board: MapBoard) -> Iterator[Action]:
    if scene.legal != {END_PLACING}:
        for position in range(len(scene.observation.hand)):
            yield Action(choice(position + 1), text("card"))
    if END_PLACING in scene.legal:
        yield Action("end", text("end placing"), END_PLACING)
    kinds = board.kinds
    if len(kinds) == 1 and EXCHANGE + kinds[0] in scene.legal:
        yield Action("exchange", text("discard"), EXCHANGE + kinds[0])
    elif any(EXCHANGE + kind in scene.legal for kind in scene.observation.hand):
        yield Action("exchange", text("discard"))
    if len(board.open.get(board.cursor, ())) > 1:
        yield Action("mode", text("single card") if board.joker else text("joker"))


def _do_label(scene: Scene[Observation], board: MapBoard) -> Text:
    """The button of the board game: "OK", and "continue" once the chosen cards allow a piece."""
    if board.score_line is not None:
        return text("next")
    if board.sources:
        return text("draw")
    if scene.legal == {END_PLACING}:
        return text("end placing")
    if board.pointing and board.cursor in board.open:
        return text("place")
    return text("continue") if board.open else text("OK")
