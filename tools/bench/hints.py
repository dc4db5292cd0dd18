"""Whether hints persuade: `python -m tools.bench.hints [GAME ...] [--positions N] [--seed S] [--times N]`.

Medium bots play, and at choices drawn from their matches a hint is asked for. Counted are

- first moves with a reason that none of the other moves has;
- alternatives that bring more points at once, and of how many it is said why they are no better;
- figures that a check finds false: points at once, by making the move by the rules in other worlds; points
  that a move brought when it was played on, by playing on anew.

Then the first move is made, and hard bots play on to the end, `--times` times: of moves told to win in six
of ten matches as many should win.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from statistics import fmean
from typing import Any, Final, NamedTuple

import msgspec

from kk_core.game import AnyGame, Contested
from kk_core.registry import game, game_ids
from kk_core.search.advice import KEENLY, SIMULATIONS, Comparison, Study
from kk_core.search.arena import interval
from kk_core.search.search import Budget
from kk_core.types import Sheet
from kk_core.views import Advice, Change, SeatView, TableView
from kk_tui.games import Face, faces
from kk_tui.scene import Scene
from kk_tui.table.hint_words import HintWords
from tools.bench.choices import chance_of
from tools.bench.played_on import Choice, choices, share_of_win

WORLDS: Final = 64
OFF: Final = 1.0
"""Points by which an average over a hint's few worlds may be off."""
EXACT: Final = 0.05
REASONS: Final = 4
NO_REASON: Final = (
    "Then ", "but did better when both were played on", "about as much in the end", "Both bring as much",
    "Still the best call",
)  # fmt: skip
"""What sentences contain that speak for any first move."""
BINS: Final = (0.0, 0.15, 0.35, 0.55, 0.75, 1.0)
NAMES: Final = ("Anna", "Beate", "Claus", "Dora", "Emil")


class Hint(NamedTuple):
    """What is counted of a hint; `won` are the shares of the win after its first move."""

    said: str
    has_reason: bool
    promising: int
    explained: int
    checked: int
    false: tuple[str, ...]
    chance: float
    won: tuple[float, ...]


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


def has_reason(words: HintWords, moves: Sequence[Advice]) -> bool:
    """Return whether something is said of the first move alone, and not of any first move."""
    first, *others = (sentences(words, place) for place in range(len(moves)))
    own = first.difference(*others)
    return any(not any(part in said for part in NO_REASON) for said in own)


def sentences(words: HintWords, place: int) -> set[str]:
    """Return the sentences about a move, without its name."""
    said = [part for part, _style in words.why(place, REASONS)]
    return set(filter(None, chain.from_iterable(part.split(". ") for part in said)))


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
    first, *others = found.moves
    told = [advice for advice in others if advice.missed]
    if not told:
        return
    moves = [first.move, *(advice.move for advice in told)]
    anew = Comparison(
        rules, choice.seen, moves, chance_of("anew", about), KEENLY, found.learned, found.others
    )
    anew.run(Budget(SIMULATIONS * len(moves)))
    for advice in told:
        for change in advice.missed:
            yield from differences(anew, (first, advice), change, choice.seat)


def differences(
    anew: Comparison, pair: tuple[Advice, Advice], change: Change, own: int
) -> Iterator[tuple[str, bool]]:
    """Yield what is told of a line, and whether new simulations say so, too."""
    for seat, points in ((own, change.own), (change.rival, change.loss)):
        if seat is not None and round(points):
            ours, others = (
                fmean(sheet[change.line][seat] for sheet in anew.ends[advice.move]) for advice in pair
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


def examined(rules: AnyGame, face: Face[Any], choice: Choice, asked: argparse.Namespace, about: str) -> Hint:
    """Return what is counted of the hint at a choice."""
    found = choice.study()
    words = HintWords(scene_of(choice), face, choice.seat, found.moves)
    checked = [*checks(rules, choice, found, about)]
    first = found.moves[0]
    won = [
        share_of_win(choice, first.move, asked.simulations, f"{about} {again}")
        for again in range(asked.times)
    ]
    said = (
        " ".join(
            part for part, _style in (*words.title(place), *words.chance(place), *words.why(place, REASONS))
        )
        for place in range(len(found.moves))
    )
    return Hint(
        " / ".join(said),
        has_reason(words, found.moves),
        *promising(words, found.moves),
        len(checked),
        tuple(said for said, is_true in checked if not is_true),
        first.chance or 0.0,
        tuple(won),
    )


def table(hints: Sequence[Hint]) -> Iterator[str]:
    """Yield a line for every range of chances told."""
    for low, high in pairwise(BINS):
        inside = [hint for hint in hints if low <= hint.chance < high and hint.won]
        if inside:
            won, told = (
                [share for hint in inside for share in hint.won],
                fmean(hint.chance for hint in inside),
            )
            least, most = interval(sum(won), len(won))
            yield (
                f"  told {low:.0%} to {high:.0%}: {len(inside)} moves, told {told:.0%}, "
                f"won {fmean(won):.0%} ({least:.0%}-{most:.0%}) of {len(won)}\n"
            )


def main() -> None:
    """Print the figures of every game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--seed", default="hints")
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--simulations", type=int, default=60)
    asked = parser.parse_args()
    for game_id in asked.games:
        rules, face = game(game_id), faces()[game_id]
        hints = [
            examined(rules, face, choice, asked, f"{asked.seed} {number}")
            for number, choice in enumerate(choices(rules, asked.seed, asked.positions))
        ]
        false = [said for hint in hints for said in hint.false]
        sys.stdout.write(
            f"{game_id}, seed {asked.seed!r}: {sum(hint.has_reason for hint in hints)} of {len(hints)} first "
            f"moves have a reason of their own, {sum(hint.explained for hint in hints)} of "
            f"{sum(hint.promising for hint in hints)} that bring more at once are explained, "
            f"{len(false)} of {sum(hint.checked for hint in hints)} figures are false\n"
        )
        sys.stdout.writelines(table(hints))
        sys.stdout.writelines(f"  false: {said}\n" for said in false)
        sys.stdout.writelines(f"  no reason: {hint.said}\n" for hint in hints if not hint.has_reason)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
