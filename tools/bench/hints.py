"""Whether hints persuade: `python -m tools.bench.hints [GAME ...] [--positions N] [--seed S]`.

Medium bots play, and at choices drawn from their matches a hint is asked for. Counted are

- first moves with a reason that none of the other moves has, those that are said to be as good as the others,
  and those that are said to be better by a little in many places;
- alternatives that bring more points at once, and of how many it is said why they are no better;
- statements that a check finds false: points at once, by making the move by the rules in other worlds; what
  a move brought when it was played on, and that two moves are as good, by playing on anew, in several
  trees, since two trees of one position differ by more than their simulations say.

Two moves are as good if their difference is within the noise: in the hint, two standard errors of its own
simulations (half a point at least; 1.5 where all choose at once). New simulations refute that if their
difference is greater than this noise by two standard errors of theirs. Whether chances to win are true is
`tools.bench.chances`' matter.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from math import hypot, sqrt
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import msgspec

from kk_core.game import AnyGame, Contested
from kk_core.registry import game, game_ids
from kk_core.search.advice import KEENLY, SIMULATIONS, Comparison, Study, error_of
from kk_core.search.search import Budget, MoveFigures
from kk_core.types import Move, Sheet
from kk_core.views import Advice, Change, SeatView, TableView, is_even, noise
from kk_tui.games import Face, faces
from kk_tui.scene import Scene
from kk_tui.table.hint_words import HintWords
from tools.bench.choices import chance_of
from tools.bench.played_on import Choice, choices

WORLDS: Final = 64
TREES: Final = 3
"""Trees in which moves are played on anew. At one choice of the card game, the points of a seat in all varied
by 0.8 between 28 of them, around a difference of 1.0: a single one says little against a statement.
"""
OFF: Final = 1.0
"""Points by which an average over a hint's few worlds may be off."""
EXACT: Final = 0.05
REASONS: Final = 4
AS_GOOD: Final = "About as good as ", "about as much in the end"
SPREAD_OUT: Final = "a little in many places", "did better when both were played on", "Both bring as much"
NO_REASON: Final = ("Then ", "Still the best call", *AS_GOOD, *SPREAD_OUT)
"""What sentences contain that speak for any first move."""
REFUTED: Final = 2.0
"""Standard errors beyond the noise from which new simulations refute that two moves are as good."""
NAMES: Final = ("Anna", "Beate", "Claus", "Dora", "Emil")


class Hint(NamedTuple):
    """What is counted of a hint; `first` is what speaks for its first move: one of `KINDS`."""

    said: str
    first: str
    promising: int
    explained: int
    checked: int
    false: tuple[str, ...]


REASON, EQUALITY, SPREAD, NOTHING = KINDS = "reason", "equality", "spread out", "nothing"


def scene_of(choice: Choice) -> Scene[Any]:
    """Return what the seat sees on the screen."""
    view, seat = choice.match.view(choice.seat), choice.seat
    face = faces()[view.game]
    names = NAMES[: len(choice.match.seats)]
    seats = tuple(SeatView(name, name, None, True, each) for each, name in enumerate(names))
    table = TableView("t", "t", names[0], view.game, (), False, "playing", seats, seat, view)
    drawing = face.drawing and msgspec.convert(view.drawing, face.drawing)
    observation = view.observed(face.observation)
    return Scene(table, view, observation, drawing, names, frozenset(choice.seen.legal_moves))


# -- what is said --------------------------------------------------------------------------------------------


def speaks_for(words: HintWords, moves: Sequence[Advice]) -> str:
    """Return what is said of the first move alone, as one of `KINDS`: at best something of no other one."""
    first, *others = (sentences(words, place) for place in range(len(moves)))
    own = first.difference(*others)
    if any(not any(part in said for part in NO_REASON) for said in own):
        return REASON
    if others and all(is_even(moves[0], advice) for advice in moves[1:]) and is_said(own, AS_GOOD):
        return EQUALITY
    return SPREAD if is_said(own, SPREAD_OUT) else NOTHING


def is_said(sentences: Collection[str], parts: Sequence[str]) -> bool:
    """Return whether a sentence contains one of some parts."""
    return any(part in said for said in sentences for part in parts)


def sentences(words: HintWords, place: int) -> set[str]:
    """Return the sentences about a move, without its name."""
    said = [part for part, _style in words.why(place, REASONS)]
    return set(filter(None, chain.from_iterable(part.rstrip(".").split(". ") for part in said)))


def promising(words: HintWords, moves: Sequence[Advice]) -> tuple[int, int]:
    """Return how many moves bring more at once than the first, and of how many it is said why not to."""
    found = [place for place in range(1, len(moves)) if round(at_once(moves[place]) - at_once(moves[0])) > 0]
    said = {place: " ".join(part for part, _style in words.why(place, REASONS)) for place in (0, *found)}
    # of the second move the first one tells it
    explained = sum(
        "less at once than b" in said[0] if place == 1 else "more at once than a, but" in said[place]
        for place in found
    )
    return len(found), explained


def at_once(advice: Advice) -> float:
    """Return the points that a move brings immediately."""
    return sum(change.own for change in advice.changes)


# -- whether it is true --------------------------------------------------------------------------------------


def checks(rules: AnyGame, choice: Choice, found: Study, about: str) -> Iterator[tuple[str, bool]]:
    """Yield figures of a hint in words, and whether they are true."""
    chance = chance_of("check", about)
    worlds = [rules.determinise(choice.seen, chance) for _ in range(WORLDS)]
    for advice in found.moves:
        pairs = [made(rules, choice, world, advice) for world in worlds]
        for change in advice.changes:
            more = [
                after[change.line][choice.seat] - before[change.line][choice.seat] for before, after in pairs
            ]
            off = OFF if len(set(more)) > 1 else EXACT
            yield f"{change} at once by {advice.move}: {fmean(more)}", abs(fmean(more) - change.own) <= off
    if len(found.moves) == 1:
        return
    moves = [advice.move for advice in found.moves]
    anew = [
        Comparison(
            rules, choice.seen, moves, chance_of("anew", about, tree), KEENLY, found.learned, found.others
        )
        for tree in range(TREES)
    ]
    figures = [{each.move: each for each in tree.run(Budget(SIMULATIONS)).moves} for tree in anew]
    best, *others = found.moves
    for advice in others:
        for change in advice.missed:
            yield from differences(anew, (best, advice), change, choice.seat)
        yield from ends(anew, (best, advice))
        if is_even(best, advice):
            yield as_good(figures, (best, advice))


def ends(anew: Sequence[Comparison], pair: tuple[Advice, Advice]) -> Iterator[tuple[str, bool]]:
    """Yield what is told of all points of a seat, and whether new simulations say so, too."""
    for seat, points in enumerate(pair[1].ended):
        if round(points):
            ours, others = (
                fmean(fmean(all_of[seat] for all_of in tree.expected[each.move]) for tree in anew)
                for each in pair
            )
            said = f"{points:+.2f} in all for seat {seat}, {pair[1].move} played on: {ours - others:+.2f}"
            yield said, (ours - others) * points > 0


def as_good(figures: Sequence[Mapping[Move, MoveFigures]], pair: tuple[Advice, Advice]) -> tuple[str, bool]:
    """Return that two moves are as good, and whether new simulations do not refute it."""
    best, other = pair
    found = [(tree[best.move], tree[other.move]) for tree in figures]
    each = [ours.margin - others.margin for ours, others in found]
    apart = fmean(each)
    error = hypot(*(error_of(ours, others) for ours, others in found)) / len(found)
    # trees differ by more than their simulations say
    between = stdev(each) / sqrt(len(each)) if len(each) > 1 else 0.0
    doubt = REFUTED * max(error, between)
    return f"{other.move} as good as {best.move}: {apart:+.2f}", apart <= noise(other) + doubt


def differences(
    anew: Sequence[Comparison], pair: tuple[Advice, Advice], change: Change, own: int
) -> Iterator[tuple[str, bool]]:
    """Yield what is told of a line, and whether new simulations say so, too."""
    for seat, points in ((own, change.own), (change.rival, change.loss)):
        if seat is not None and round(points):
            ours, others = (
                fmean(fmean(sheet[change.line][seat] for sheet in tree.ends[advice.move]) for tree in anew)
                for advice in pair
            )
            said = f"{change} of {pair[1].move} played on: {ours - others:+.2f} for seat {seat}"
            yield said, (ours - others) / points > 0


def made(rules: AnyGame, choice: Choice, world: Any, advice: Advice) -> tuple[Sheet, Sheet]:
    """Return the sheet before and after a move, and what follows it, if nobody else moves."""
    seat, before = choice.seat, rules.standing(world, choice.seat)
    if isinstance(rules, Contested):
        return before, rules.standing(rules.with_taken(world, seat, advice.move), seat)
    after = rules.apply(world, seat, advice.move)
    if advice.then is not None and advice.then in rules.legal_moves(after, seat):
        after = rules.apply(after, seat, advice.then)
    return before, rules.standing(after, seat)


# -- printed -------------------------------------------------------------------------------------------------


def examined(rules: AnyGame, face: Face[Any], choice: Choice, about: str) -> Hint:
    """Return what is counted of the hint at a choice."""
    found = choice.study()
    words = HintWords(scene_of(choice), face, choice.seat, found.moves)
    checked = [*checks(rules, choice, found, about)]
    said = (
        " ".join(
            part for part, _style in (*words.title(place), *words.figures(place), *words.why(place, REASONS))
        )
        for place in range(len(found.moves))
    )
    return Hint(
        " / ".join(said),
        speaks_for(words, found.moves),
        *promising(words, found.moves),
        len(checked),
        tuple(said for said, is_true in checked if not is_true),
    )


def main() -> None:
    """Print the figures of every game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--seed", default="hints")
    parser.add_argument("--all", action="store_true", help="print every hint")
    asked = parser.parse_args()
    for game_id in asked.games:
        rules, face = game(game_id), faces()[game_id]
        hints = [
            examined(rules, face, choice, f"{asked.seed} {number}")
            for number, choice in enumerate(choices(rules, asked.seed, asked.positions))
        ]
        false = [said for hint in hints for said in hint.false]
        kinds = Counter(hint.first for hint in hints)
        sys.stdout.write(
            f"{game_id}, seed {asked.seed!r}: of {len(hints)} first moves {kinds[REASON]} have a reason of "
            f"their own, {kinds[EQUALITY]} are as good as the others, {kinds[SPREAD]} better by a little in "
            f"many places, {kinds[NOTHING]} without a word; "
            f"{sum(hint.explained for hint in hints)} of "
            f"{sum(hint.promising for hint in hints)} that bring more at once are explained, "
            f"{len(false)} of {sum(hint.checked for hint in hints)} statements are false\n"
        )
        sys.stdout.writelines(f"  false: {said}\n" for said in false)
        shown = [hint for hint in hints if asked.all or hint.first in (SPREAD, NOTHING)]
        sys.stdout.writelines(f"  {hint.first}: {hint.said}\n" for hint in shown)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
