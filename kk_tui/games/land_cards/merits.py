"""Reasons for a move besides its points: leads, chains, and cards that others do not get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kk_core.games.land_cards import model
from kk_core.games.land_cards.layout import row_ends, stones_of, uncovered
from kk_core.games.land_cards.model import (
    CHAIN,
    EndTaking,
    GiveUp,
    MoveStone,
    Observation,
    Pass,
    PlaceStone,
    PlayLaw,
    Take,
    read,
)
from kk_core.games.land_cards.notation import COUNTRY_NAMES, card_name
from kk_core.text import Text, joined, text, texts
from kk_core.types import Move, Seat
from kk_tui.games.land_cards.panels import collected, in_rows
from kk_tui.i18n import render
from kk_tui.scene import Scene

_NOTABLE: Final = 3
"""Ships or carriages from which a chain may be hoped for."""


def merits(scene: Scene[Observation], move: Move) -> str:
    """Return what a move of the viewer does besides its points, in sentences; "" where that is nothing."""
    view = scene.observation
    if view.viewer is None:
        return ""
    said: list[Text | None] = []
    match read(move):
        case Take(cell):
            said = [*_of_card(scene, view.viewer, cell, is_taken=True)]
            if cell in view.law_cells:
                said.append(text("You get its law card, too."))
        case PlaceStone(cell) | MoveStone(_, cell):
            said = [*_of_card(scene, view.viewer, cell, is_taken=False)]
        case GiveUp(None):
            said = [text("Your stones on cards stay there, and keep them costly for others.")]
        case GiveUp(cell):
            kept = view.supply[view.viewer]
            said = [
                texts(
                    "Its card loses its guard; {n} stone stays in your supply.",
                    "Its card loses its guard; {n} stones stay in your supply.",
                    kept,
                ),
                _still_guarded(view, view.viewer, but=cell),
            ]
        case EndTaking():
            said = [_uncovered(scene, view.viewer)]
        case Pass():
            said = [_still_guarded(view, view.viewer), _in_supply(view.supply[view.viewer])]
        case PlayLaw(law) if law in view.idle_laws:
            said = [in_vain(scene, move)]
        case PlayLaw(model.THREE_SYMBOLS):
            said = [text("Your cards of this turn may then show up to 3 symbols.")]
        case PlayLaw(model.DIFFERENT_COLOURS):
            said = [text("Your cards of this turn may then be of several countries.")]
        case PlayLaw(model.TAKE_BACK_STONE):
            stones = view.supply[view.viewer] + 1
            said = [
                texts(
                    "It gives you {n} stone in your supply.",
                    "It gives you {n} stones in your supply.",
                    stones,
                )
            ]
    return " ".join(render(sentence) for sentence in said if sentence is not None)


def in_vain(scene: Scene[Observation], move: Move) -> Text | None:
    """Return why a law card would be played for nothing now; None for any other move."""
    match read(move):
        case PlayLaw(law) if law in scene.observation.idle_laws:
            return text("Playing it now wouldn't let you take another card.")
    return None


def _still_guarded(view: Observation, viewer: Seat, but: int | None = None) -> Text | None:
    """Return the cards on which the viewer's stones stay, without one that it leaves."""
    cells = [cell for cell in stones_of(view.board, viewer) if cell != but]
    if not cells:
        return None
    return texts(
        "Your stone stays on {cards}.",
        "Your stones stay on {cards}.",
        len(cells), cards=joined([render(card_name(view.faces[cell])) for cell in cells]),
    )  # fmt: skip


def _in_supply(stones: int) -> Text | None:
    """Return what the viewer's other stones are good for."""
    if not stones:
        return None
    return texts(
        "You keep {n} stone in your supply, which would pay for a card under somebody else's.",
        "You keep {n} stones in your supply, which would pay for cards under somebody else's.",
        stones,
    )


def _uncovered(scene: Scene[Observation], viewer: Seat) -> Text | None:
    """Return the card that the viewer would uncover by taking another one, if the next player wants it."""
    view = scene.observation
    rival, ends = (viewer + 1) % len(view.supply), row_ends(view.board)
    taken = [read(move) for move in sorted(scene.legal)]
    for cell in [take.cell for take in taken if isinstance(take, Take)]:
        for new in set(uncovered(view.board, ends, cell)) - set(ends):
            if any(contest.is_contender(rival) for contest in _contests(view, new)):
                return text(
                    "Taking {card} would uncover {next}, which {name} could use.",
                    card=card_name(view.faces[cell]), next=card_name(view.faces[new]), name=scene.name(rival),
                )  # fmt: skip
    return None


class _Contest(NamedTuple):
    """Everybody's share in a contest now, and with one card more."""

    now: Sequence[int]
    then: Sequence[int]

    def foremost(self, viewer: Seat) -> tuple[int, Sequence[Seat]]:
        """Return the most that another seat has now, and who has it; nobody where that is nothing."""
        most = max(n for seat, n in enumerate(self.now) if seat != viewer)
        return most, [seat for seat, n in enumerate(self.now) if seat != viewer and n == most > 0]

    def is_contender(self, seat: Seat) -> bool:
        """Return whether nobody would have more than a seat that got the card, which counts for it."""
        most = max(n for other, n in enumerate(self.now) if other != seat)
        return self.now[seat] < self.then[seat] >= most

    def pursuers(self, viewer: Seat) -> Iterator[Seat]:
        """Yield who would catch up with the viewer by the card, if the viewer has most now."""
        own = self.now[viewer]
        for seat, (now, then) in enumerate(zip(self.now, self.then, strict=True)):
            if seat != viewer and own == max(self.now) > 0 and now < then >= own:
                yield seat


def _of_card(scene: Scene[Observation], viewer: Seat, cell: int, *, is_taken: bool) -> Iterator[Text | None]:
    """Yield what a card does for the viewer who takes it, or would do who guards it by a stone.

    Failing all else, how many of its country they have then.
    """
    country = model.country_of(scene.observation.faces[cell])
    symbols, cards = _contests(scene.observation, cell)
    lead = _symbol_lead(scene, viewer, symbols, country, is_taken=is_taken) or _card_lead(
        scene, viewer, cards, country, is_taken=is_taken
    )
    more = _kept(scene, viewer, (symbols, cards), country, is_taken=is_taken) or _chain(
        scene, viewer, model.route_of(scene.observation.faces[cell]), is_taken=is_taken
    )
    yield lead
    yield more
    if lead is None and more is None:
        yield from _collected(scene, viewer, cards, country, is_taken=is_taken)


def _collected(
    scene: Scene[Observation], viewer: Seat, cards: _Contest, country: int, *, is_taken: bool
) -> Iterator[Text]:
    """Yield how many cards of a country the viewer would have, and who else has most of them."""
    n, said = cards.then[viewer], {"country": COUNTRY_NAMES[country]}
    if is_taken:
        yield texts("It gives you {n} card of {country}.", "It gives you {n} cards of {country}.", n, **said)
    else:
        yield texts(
            "With its card you would have {n} card of {country}.",
            "With its card you would have {n} cards of {country}.",
            n, **said,
        )  # fmt: skip
    most, seats = cards.foremost(viewer)
    if seats:
        yield text("{rival} has {most}.", rival=scene.name(seats[0]), most=most)


def _contests(view: Observation, cell: int) -> tuple[_Contest, _Contest]:
    """Return the contests for circle symbols and for cards in which a card counts."""
    country, more = model.country_of(view.faces[cell]), Counter(model.symbols_of(view.faces[cell]))
    seats = range(len(view.supply))
    cards = [collected(view, seat).cards[country] for seat in seats]
    symbols = [_symbols(view, seat, country) for seat in seats]
    return (
        _Contest([_most(counts) for counts in symbols], [_most(counts + more) for counts in symbols]),
        _Contest(cards, [n + 1 for n in cards]),
    )


def _symbols(view: Observation, seat: Seat, country: int) -> Counter[int]:
    """Count a seat's circle symbols of each kind in a country."""
    return Counter(
        symbol
        for face, lies in zip(view.faces, view.board, strict=True)
        if lies == model.TAKEN + seat and model.country_of(face) == country
        for symbol in model.symbols_of(face)
    )


def _most(counts: Counter[int]) -> int:
    return max(counts.values(), default=0)


def _symbol_lead(
    scene: Scene[Observation], viewer: Seat, contest: _Contest, country: int, *, is_taken: bool
) -> Text | None:
    """Return whom the card leaves behind in the symbols of its country, or draws level with."""
    most, seats = contest.foremost(viewer)
    now, then = contest.now[viewer], contest.then[viewer]
    if not seats or now > most or then < most or now == then:
        return None
    said: dict[str, Text | str] = {"country": COUNTRY_NAMES[country], "name": _names(scene, seats)}
    if then > most:
        if is_taken:
            return text("It takes the lead in symbols of {country} from {name}.", **said)
        return text("With its card you would take the lead in symbols of {country} from {name}.", **said)
    if is_taken:
        return text("It draws level with {name} in symbols of {country}.", **said)
    return text("With its card you would draw level with {name} in symbols of {country}.", **said)


def _card_lead(
    scene: Scene[Observation], viewer: Seat, contest: _Contest, country: int, *, is_taken: bool
) -> Text | None:
    """Return whom the card leaves behind in cards of its country, or draws level with."""
    most, seats = contest.foremost(viewer)
    now, then = contest.now[viewer], contest.then[viewer]
    if not seats or now > most or then < most:
        return None
    said: dict[str, Text | str] = {"country": COUNTRY_NAMES[country], "name": _names(scene, seats)}
    if then > most:
        if is_taken:
            return text("It takes the lead in cards of {country} from {name}.", **said)
        return text("With its card you would take the lead in cards of {country} from {name}.", **said)
    if is_taken:
        return text("It draws level with {name} in cards of {country}.", **said)
    return text("With its card you would draw level with {name} in cards of {country}.", **said)


def _names(scene: Scene[Observation], seats: Sequence[Seat]) -> Text | str:
    """Return names in a sentence."""
    return joined([scene.name(seat) for seat in seats])


def _kept(
    scene: Scene[Observation], viewer: Seat, contests: Sequence[_Contest], country: int, *, is_taken: bool
) -> Text | None:
    """Return who would catch up with the viewer by the card, and does not get it."""
    rival = next((seat for contest in contests for seat in contest.pursuers(viewer)), None)
    if rival is None:
        return None
    said: dict[str, Text | str] = {"country": COUNTRY_NAMES[country], "name": scene.name(rival)}
    if in_rows(scene.observation, country) == 1:
        if is_taken:
            return text("It keeps the last card of {country} from {name}.", **said)
        return text("It guards the last card of {country} against {name}.", **said)
    if is_taken:
        return text("It keeps a card from {name}, who could catch up with you in {country}.", **said)
    return text("It guards the card against {name}, who could catch up with you in {country}.", **said)


def _chain(scene: Scene[Observation], viewer: Seat, route: int, *, is_taken: bool) -> Text | None:
    """Return how long the card makes the viewer's row of ships or carriages, if a chain may come of it."""
    view = scene.observation
    if not route:
        return None
    own = collected(view, viewer)
    n = 1 + (own.ships if route == model.ROUTES.index("ship") else own.carriages)
    to_come = sum(
        lies < model.TAKEN and model.route_of(face) == route
        for face, lies in zip(view.faces, view.board, strict=True)
    )
    if not _NOTABLE <= n <= CHAIN or n - 1 + to_come < CHAIN:
        return None
    said = {"n": n, "chain": CHAIN}
    if route == model.ROUTES.index("ship"):
        if is_taken:
            return text("It gives you {n} ships; {chain} make a chain.", **said)
        return text("With its card you would have {n} ships; {chain} make a chain.", **said)
    if is_taken:
        return text("It gives you {n} carriages; {chain} make a chain.", **said)
    return text("With its card you would have {n} carriages; {chain} make a chain.", **said)
