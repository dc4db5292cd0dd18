"""The findings of searches in words: reasons for a move, verdicts on one, the analysis of a match."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from textual.content import Content

from kk_core.protocol.messages import Analyse, Analysed, ClientMessage
from kk_core.text import Text, joined, text
from kk_core.types import Move, Seat
from kk_core.views import TOLD, Advice, Analysis, Change, CostlyMove, Forecast, Rival, is_even
from kk_tui.games import Face
from kk_tui.i18n import _, format_number, ngettext, render
from kk_tui.scene import Scene
from kk_tui.widgets.board import HINT_MARKS
from kk_tui.widgets.explanation import explained

_CHANGES: Final = 3
"""Maximum number of score lines mentioned for a move."""


def move_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in words, without its subject."""
    nameless = replace(scene, names=("",) * len(scene.names))
    return render(face.move_words(nameless, seat, move)).strip()


def hinted_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in the words of a hint, whose place is numbered on the board."""
    if face.hint_words is None:
        return move_words(scene, face, seat, move)
    return render(face.hint_words(scene, move))


def placed_words(scene: Scene[Any], face: Face[Any], seat: Seat, move: Move) -> str:
    """Return a move in the words of a hint, with its place where the words do not name it."""
    words = hinted_words(scene, face, seat, move).rstrip(".")
    place = face.place_words(scene, move)
    return words if place is None else f"{words} ({render(place)})"


def reasons(
    scene: Scene[Any], face: Face[Any], changes: Sequence[Change], besides: str = "", total: str = ""
) -> str:
    """Return sentences about a move's changes of the score; "" if they are negligible.

    Those that the words `besides` them already mention are left out. Of a `total` that they are only a part
    of, they say so; where all choose at once, it is always shown.
    """

    def brings(gains: Text | str) -> str:
        is_all = total == f"{sum(max(0, round(each.own)) for each in told[:_CHANGES]):+}"
        if total and not face.all_at_once:
            whole = _("As things stand: {gain}, including {gains}.", gain=total, gains=gains)
            return _("As things stand, it brings {gains}.", gains=gains) if is_all else whole
        if total and is_all:
            return _("If you alone call it: {gain} ({gains}).", gain=total, gains=gains)
        if total:
            return _("If you alone call it: {gain}, including {gains}.", gain=total, gains=gains)
        if face.all_at_once:
            return _("If you alone call it: {gains}.", gains=gains)
        return _("As things stand, it brings {gains}.", gains=gains)

    told = [each for each in changes if not besides or _gain(scene, face, each, changes) not in besides]
    said = _sentences(scene, face, told, brings)
    has_gain = any(round(each.own) >= 0 and _gain(scene, face, each, told) for each in told[:_CHANGES])
    return said if has_gain or not total or not face.all_at_once else f"{_alone_words(total)} {said}".rstrip()


def _alone_words(total: str) -> str:
    """Return what the only one to make a choice would get."""
    return _("If you alone call it: {gain} in all.", gain=total)


def later(scene: Scene[Any], face: Face[Any], promised: Sequence[Change]) -> str:
    """Return a sentence about the points that a move secures for later; "" if they are negligible."""
    return _sentences(scene, face, promised, lambda gains: _("Later, it brings {gains}.", gains=gains))


_WORDS: Final = ((0.65, text("very likely")), (0.4, text("likely")), (0.15, text("perhaps")))
"""The minimum probability for each word; estimates of others' choices are no more precise."""


def likelihood(likely: float) -> str:
    """Return a word for how likely others choose something, given a probability from 0 to 1."""
    return render(next((word for least, word in _WORDS if likely >= least), text("probably not")))


def _sentences(
    scene: Scene[Any], face: Face[Any], changes: Sequence[Change], brings: Callable[[Text | str], str]
) -> str:
    """Return what changes bring, in a sentence made by `brings`, what they cost, and what others lose."""
    told = changes[:_CHANGES]
    gains = [words for each in told if round(each.own) >= 0 and (words := _gain(scene, face, each, told))]
    costs = [_points(scene, face, each, -each.own, told) for each in told if round(each.own) < 0]
    losses = [
        _(
            "{points} from {name}",
            points=_points(scene, face, each, -each.loss, told),
            name=scene.name(each.rival),
        )
        for each in told
        if each.rival is not None and round(each.loss)
    ]
    said = [brings(joined(gains))] if gains else []
    said += [_("It costs you {points}.", points=joined(costs))] if costs else []
    said += [_("It takes {points}.", points=joined(losses))] if losses else []
    return " ".join(said)


def _gain(scene: Scene[Any], face: Face[Any], change: Change, among: Sequence[Change]) -> str:
    """Return what a change, `among` those told, brings in its score line; "" if that is negligible."""
    is_lead = change.leads and face.has_lead(scene, change.line)
    if round(change.own) > 0:
        points = _points(scene, face, change, change.own, among)
        return _("{points} (the most there)", points=points) if is_lead else points
    return _("the lead in {line}", line=line_name(scene, face, change, among)) if is_lead else ""


_UNSURE: Final = 0.05
"""The least part of a point by which the mean of a change in several worlds shows that not all is known."""


def _points(
    scene: Scene[Any], face: Face[Any], change: Change, points: float, among: Sequence[Change] = ()
) -> str:
    n, line = round(points), line_name(scene, face, change, among)
    if abs(points - n) > _UNSURE:
        return ngettext("on average {n} point for {line}", "on average {n} points for {line}", n, line=line)
    return ngettext("{n} point for {line}", "{n} points for {line}", n, line=line)


def line_name(scene: Scene[Any], face: Face[Any], change: Change, among: Sequence[Change] = ()) -> str:
    """Return the words for a score line, with its scoring where the same words are told of another one."""
    words_of = face.line_words or face.sheet_label
    words = render(words_of(scene, change.line))
    if any(each.line != change.line and render(words_of(scene, each.line)) == words for each in among):
        scoring = render(face.sheet_entry(scene, change.line).part)
        return _("{line} ({scoring})", line=words, scoring=scoring)
    return words


_BRIEF: Final = 2
"""Maximum number of score lines told in few words."""


def line_changes(scene: Scene[Any], face: Face[Any], changes: Sequence[Change]) -> str:
    """Return the largest changes of score lines in few words, such as `farms +14, animals +2`."""
    told = [each for each in sorted(changes, key=lambda each: -abs(each.own)) if round(each.own)][:_BRIEF]
    return ", ".join(f"{line_name(scene, face, each, told)} {round(each.own):+}" for each in told)


RISKY: Final = 0.15
"""Probability from which it is worth saying that somebody else may choose the same."""


def why_better(
    scene: Scene[Any],
    face: Face[Any],
    better: Advice,
    other: Advice,
    names: tuple[str, str],
    beyond: str = "",
    *,
    has_more: bool = False,
    is_listed: bool = False,
) -> tuple[str, str]:
    """Return sentences in favour of one move over another, "" if they hardly differ; and what is to be told
    of `beyond`, which says how both did when they were `played_on`: nothing where other reasons are enough.

    The `names` are those of the two, the first one for the start of a sentence. If the caller `has_more` to
    say, it need not be said here that something comes later; nor what both bring, if that `is_listed`.
    """
    this, that = names
    said = []
    if other.contested >= RISKY and other.contested - better.contested >= RISKY:
        likely = likelihood(other.contested)
        risk = _("Somebody else will {likely} choose {move}, too.", move=that, likely=likely)
        # a list has it beside that move
        said.append("" if is_listed else risk)
    of_rivals = costliest(scene, better) or denied(scene, face, better, this)
    promised = face.promises(scene, better.move, other.move)
    at_once = round(_at_once(other) - _at_once(better))
    if at_once > 0:
        reason = of_rivals or promised
        # a reason is told already, or follows
        is_told = bool(has_more or said or reason or beyond or better.promised)
        less = _less_at_once(at_once, names, is_told=is_told, is_even=is_even(better, other))
        said += [less, reason]
    else:
        brings = "" if is_listed else _advantages(scene, face, better, other, names)
        # equal amounts are no reason
        reason = of_rivals or ("" if (brings or is_listed) and at_once else promised)
        # what one sees at once needs no other reason
        beyond = "" if at_once and brings else beyond
        is_told = bool(at_once or has_more or said or reason or beyond or better.promised)
        said += [brings, reason]
        if (brings or is_listed) and not is_told:
            said.append(_later_only(better, other, that))
    said.append(later(scene, face, better.promised))
    return " ".join(filter(None, said)), beyond


_BEYOND: Final = 2
"""Maximum number of score lines mentioned in which a move did better when it was played on."""


def played_on(
    scene: Scene[Any],
    face: Face[Any],
    better: Advice,
    other: Advice,
    names: tuple[str, str],
    *,
    is_of_other: bool = False,
    has_all: bool = False,
) -> str:
    """Return where a move has done better than another one when both were played on many times.

    "" if nowhere for certain. The `names` are those of the two, within a sentence. It is said beside the
    better one or, if it `is_of_other`, beside the other one. Where a rival ended with less in lines that
    neither move touches, it would seem to be chance: that is told only of a sentence that `has_all`.
    """
    this, that = names
    told = _told_beyond(face, better, other, has_all=has_all)
    gains, losses = _beyond(scene, face, other, told)
    said = []
    if gains and is_of_other:
        said = [_("Played on many times, {move} brought {gains}.", move=this, gains=joined(gains))]
    elif gains:
        more = joined(gains)
        said = [
            _("Played on many times, {this} brought {gains} than {move}.", this=this, gains=more, move=that)
        ]
    if losses and gains:
        said.append(_("After {move}, {losses}.", move=this, losses=joined(losses)))
    elif losses and is_of_other:
        said = [_("Played on many times: after {move}, {losses}.", move=this, losses=joined(losses))]
    elif losses:
        said = [_("Played on many times: {losses} than after {move}.", losses=joined(losses), move=that)]
    return " ".join(said)


def _beyond(
    scene: Scene[Any], face: Face[Any], other: Advice, found: Sequence[Change]
) -> tuple[list[str], list[str]]:
    """Return what the best move brought more than another one, and who ended with how much less."""
    gains, losses = list[str](), dict[Seat, list[str]]()
    for each in found:
        line = line_name(scene, face, each, found)
        if (n := round(each.own)) > 0 and each.own >= -each.loss:
            more = ngettext("{n} point more for {line}", "{n} points more for {line}", n, line=line)
            gains.append(more)
        elif each.rival is not None:
            # of a line in which both differ, what differs more
            n = round(-each.loss)
            less = ngettext("{n} point less for {line}", "{n} points less for {line}", n, line=line)
            losses.setdefault(each.rival, []).append(less)
    ended = [_ended_with(scene, rival, points) for rival, points in losses.items()]
    return (gains, ended) if found else _in_all(scene, other)


def _in_all(scene: Scene[Any], other: Advice) -> tuple[list[str], list[str]]:
    """Return the same of all lines together, for when none stands out by itself."""
    more, (rival, less) = _ended(scene, other)
    gains, losses = list[str](), list[str]()
    if round(more):
        # by how much one is further ahead of the others stands beside the move: another figure would seem to
        # say something else about the same
        gains.append(_("more points in all"))
    if n := round(less):
        points = ngettext("{n} point less in all", "{n} points less in all", n)
        losses.append(_ended_with(scene, rival, [points]))
    return gains, losses


def _ended_with(scene: Scene[Any], rival: Seat, points: Sequence[str]) -> str:
    return _("{name} ended with {points}", name=scene.name(rival), points=joined(points))


def _ended(scene: Scene[Any], other: Advice) -> tuple[float, tuple[Seat, float]]:
    """Return how many points more the viewer had in the end after the best move, and who how many less."""
    rivals = [(-points, seat) for seat, points in enumerate(other.ended) if seat != scene.viewer]
    less, rival = max(rivals, default=(0.0, 0))
    more = 0.0 if scene.viewer is None or not other.ended else other.ended[scene.viewer]
    return max(0.0, more), (rival, max(0.0, less))


def _beyond_points(scene: Scene[Any], face: Face[Any], better: Advice, other: Advice) -> float:
    """Return how many points `played_on` tells of."""
    if found := _told_beyond(face, better, other):
        return sum(max(each.own, 0.0) - each.loss for each in found)
    more, (_rival, less) = _ended(scene, other)
    return more + less


def _told_beyond(face: Face[Any], better: Advice, other: Advice, *, has_all: bool = False) -> list[Change]:
    # where all choose at once, they choose several cards, whose lines may not change yet
    has_all = has_all or face.all_at_once
    touched = {change.line for each in (better, other) for change in (*each.changes, *each.promised)}
    return [
        each
        for each in other.missed
        if round(each.own) > 0 or (round(each.loss) < 0 and (has_all or each.line in touched))
    ][:_BEYOND]


def _later_only(better: Advice, other: Advice, that: str) -> str:
    """Return that only what comes later speaks against another move; "" if something at once does."""
    this, others = (sum(change.own - change.loss for change in each.changes) for each in (better, other))
    if is_even(better, other) or round(this - others) or round(better.contested - other.contested, 1):
        return ""
    if not better.changes and not other.changes:
        return ""
    return _("Both bring as much at once; {move} brings less later.", move=that)


def _better_than(this: str, that: str) -> str:
    return _(
        "Played on many times, {this} did better than {move}: a little in many places.", this=this, move=that
    )


def despite(best: Advice, other: Advice, name: str) -> str:
    """Return that a move brings more at once than the best one, by its `name`, and what that is worth.

    "" if it brings no more.
    """
    n = round(_at_once(other) - _at_once(best))
    if n <= 0:
        return ""
    if is_even(best, other):
        return ngettext(
            "{n} point more at once than {move}, but about as much in the end.",
            "{n} points more at once than {move}, but about as much in the end.",
            n, move=name,
        )  # fmt: skip
    if other.contested >= RISKY and other.contested - best.contested >= RISKY:
        return ngettext(
            "{n} point more at once than {move}, but only if nobody else chooses it.",
            "{n} points more at once than {move}, but only if nobody else chooses it.",
            n, move=name,
        )  # fmt: skip
    return ngettext(
        "{n} point more at once than {move}, but less in the end.",
        "{n} points more at once than {move}, but less in the end.",
        n, move=name,
    )  # fmt: skip


def fares_worse(best: Advice, other: Advice) -> bool:
    """Return whether a move that brings more at once than the best one brings less in the end, for certain,
    and not for others' choices.
    """
    is_risky = other.contested >= RISKY and other.contested - best.contested >= RISKY
    return round(_at_once(other) - _at_once(best)) > 0 and not is_even(best, other) and not is_risky


def _at_once(advice: Advice) -> float:
    return sum(change.own for change in advice.changes)


def _advantages(
    scene: Scene[Any], face: Face[Any], better: Advice, other: Advice, names: tuple[str, str]
) -> str:
    """Return what a move brings at once and another does not, or what only the other one costs."""
    this, that = names
    own = {change.line: round(change.own) for change in better.changes}
    costs = [each for each in other.changes if round(each.own) < min(0, own.get(each.line, 0))][:_CHANGES]
    costly = {each.line for each in costs}
    found = [
        each
        for each in contrast(better.changes, other.changes)
        # what the other move costs is no gain of this one
        if each.line not in costly
    ]
    others = contrast(other.changes, better.changes)
    elsewhere = [gain for each in others if (gain := _gain(scene, face, each, others))]
    theirs = {change.line for change in other.changes if round(change.own) > 0}
    mine = {line for line, points in own.items() if points > 0}
    ahead_in = {change.line for change in others if round(change.own) > 0}

    def brings(gains: Text | str) -> str:
        # "unlike" would hide that it brings as much in another place, or some of it in the same
        if elsewhere and (theirs.intersection(each.line for each in found) or mine & ahead_in):
            # differences, which must not be taken for all that it brings
            more = [(each, round(each.own)) for each in found[:_CHANGES]]
            less = [(each, -round(each.own)) for each in others[:_CHANGES]]
            among = [*found, *others]
            each = [f"{line_name(scene, face, change, among)} {n:+}" for change, n in (*more, *less) if n]
            return _("Compared with {move}: {changes}.", move=that, changes=", ".join(each))
        if elsewhere:
            return _(
                "{this} brings {gains}; {move} brings {others}.",
                this=this, gains=gains, move=that, others=joined(elsewhere),
            )  # fmt: skip
        if theirs.intersection(each.line for each in found):
            return _("{this} brings more than {move}: {gains}.", this=this, gains=gains, move=that)
        return _("{this} brings {gains}, unlike {move}.", this=this, gains=gains, move=that)

    said = [_sentences(scene, face, found, brings)]
    if costs:
        lost = joined([_points(scene, face, change, -change.own, costs) for change in costs])
        said.append(_("With {move}, you lose {points}.", move=that, points=lost))
    return " ".join(filter(None, said))


CLASHING: Final = 0.4
"""Probability of the same choice by others from which it is said why the move is worth a clash."""

NOTABLE: Final = 5
"""Points from which a gain or a loss is worth a word of its own."""


def costliest(scene: Scene[Any], advice: Advice) -> str:
    """Return what the rival who can take most from the viewer by the same choice would take; "" if little."""
    rival = max(advice.rivals, key=lambda rival: rival.cost, default=None)
    if rival is None or rival.cost < NOTABLE:
        return ""
    n = round(rival.cost)
    return ngettext(
        "If {name} gets it, you lose {n} point.",
        "If {name} gets it, you lose {n} points.",
        n, name=scene.name(rival.seat),
    )  # fmt: skip


def denied(scene: Scene[Any], face: Face[Any], advice: Advice, this: str) -> str:
    """Return the points that a rival who is likely to make the same choice does not get; "" if few.

    The name of the move, `this`, begins the sentence.
    """
    rivals = _denying(advice)
    if not rivals:
        return ""
    most = max(rivals, key=lambda rival: rival.gain * rival.likely)
    gains = [Change(line, points, None, 0.0, leads=False) for line, points in most.gains[:_BEYOND]]
    if gains:
        points = joined([_points(scene, face, each, each.own) for each in gains])
        return _("{this} denies {name} {points}.", this=this, points=points, name=scene.name(most.seat))
    n = round(most.gain)
    return ngettext(
        "{this} denies {name} {n} point.",
        "{this} denies {name} {n} points.",
        n, this=this, name=scene.name(most.seat),
    )  # fmt: skip


def _less_at_once(points: int, names: tuple[str, str], *, is_told: bool, is_even: bool) -> str:
    """Return that a move brings less at once than another, and how that is made up for.

    Not if a reason for it `is_told`; but always if the two are as good in the end (`is_even`).
    """
    this, that = names
    if is_even:
        return ngettext(
            "{this} brings {n} point less at once than {move}, but about as much in the end.",
            "{this} brings {n} points less at once than {move}, but about as much in the end.",
            points, this=this, move=that,
        )  # fmt: skip
    if is_told:
        return ngettext(
            "{this} brings {n} point less at once than {move}.",
            "{this} brings {n} points less at once than {move}.",
            points, this=this, move=that,
        )  # fmt: skip
    return ngettext(
        "{this} brings {n} point less at once than {move}, "
        "but did better when both were played on many times.",
        "{this} brings {n} points less at once than {move}, "
        "but did better when both were played on many times.",
        points, this=this, move=that,
    )  # fmt: skip


def shown(better: Advice, other: Advice) -> float:
    """Return how many of the points that one move is better than another are among the reasons for it."""
    found = _shown(better) - _shown(other)
    # what only one of the two denies others is told as a reason
    return found + max((rival.gain + rival.cost for rival in _denying(better)), default=0.0)


def _shown(advice: Advice) -> float:
    at_once = sum(change.own - change.loss for change in advice.changes)
    reserved = sum(change.own - change.loss for change in advice.promised)
    # in a clash, nobody gets it
    return (1 - advice.contested) * at_once + reserved


def _denying(advice: Advice) -> list[Rival]:
    return [rival for rival in advice.rivals if rival.likely >= CLASHING and rival.gain >= NOTABLE]


def contrast(better: Sequence[Change], played: Sequence[Change]) -> list[Change]:
    """Return what one move brings and another does not, by score line, the largest first."""
    lines = {change.line: [change, None] for change in better}
    for change in played:
        lines.setdefault(change.line, [None, None])[1] = change
    found = [_more(line, *pair) for line, pair in lines.items()]
    brings = [change for change in found if round(change.own) > 0 or round(change.loss) < 0]
    return sorted(brings, key=lambda change: change.loss - change.own)


def _more(line: int, better: Change | None, played: Change | None) -> Change:
    """Return the difference of two changes of a line."""
    nothing = Change(line, 0.0, None, 0.0, leads=False)
    one, other = better or nothing, played or nothing
    # a loss only counts against the same rival's
    spared = other.loss if other.rival == one.rival else 0.0
    loss = min(0.0, one.loss - spared)
    return Change(line, one.own - other.own, one.rival, loss, one.leads and not other.leads)


# -- verdicts ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """A costly move in words: the move made, without its subject; a better one, as advice; the reason."""

    point: CostlyMove
    round: int
    """The number of the round, from 1."""
    played: str
    better: str
    why: str

    @property
    def ply(self) -> int:
        """The position before the move, where the choice was made."""
        return self.point.ply

    @property
    def number(self) -> int:
        """The number of the move, from 1."""
        return self.point.ply + 1

    @property
    def cost(self) -> str:
        """The points by which the better move is better."""
        return format_number(self.point.cost, 1)


def verdict(point: CostlyMove, scene: Scene[Any], face: Face[Any], rounds: Sequence[int] = ()) -> Verdict:
    """Put a costly move into words; the scene is its player's, before the move.

    `rounds` are the positions at which a new round began.
    """
    seat, better = point.seat, point.better
    played, words = (
        move_words(scene, face, seat, point.played.move),
        placed_words(scene, face, seat, better.move),
    )
    if better.then is not None:
        then = placed_words(scene, face, seat, better.then)
        words = _("{move}, then {next}", move=words, next=then)
    names = (
        _("The better move") if better.then is None else _("The better turn"),
        _("the chosen move") if point.played.then is None else _("the chosen turn"),
    )
    this = _("the better move") if better.then is None else _("the better turn")
    beyond = played_on(scene, face, better, point.played, (this, names[1]))
    explained = shown(better, point.played)
    has_more = explained < _MOST * point.cost
    reason, told_beyond = why_better(scene, face, better, point.played, names, beyond, has_more=has_more)
    why = [reason, "" if has_more else told_beyond]
    if has_more:
        promised = face.promises(scene, better.move, point.played.move)
        if not promised and better.then is None:
            # of a move and the next one together, what the first makes possible may be done
            why.append(face.merits(scene, better.move))
        elif promised not in why[0]:
            why.append(promised)
        why.append(beyond)
        if max(explained, _beyond_points(scene, face, better, point.played)) < _MOST * point.cost:
            # the search knows by how much, but no line of the score stands out
            why.append(_spread_out(this, is_rest=bool(beyond)))
    elif not better.rivals and round(_at_once(better) - _at_once(point.played) - point.cost) >= _MADE_UP:
        alone, whole = (
            _("The chosen move makes up for some of that later."),
            _("The chosen turn makes up for some of that later."),
        )
        why.append(alone if point.played.then is None else whole)
    said = " ".join(filter(None, why)) or reasons(scene, face, better.changes)
    is_compared = point.played.changes and (
        contrast(better.changes, point.played.changes) or contrast(point.played.changes, better.changes)
    )
    if point.played.then is not None and (is_compared or (beyond and beyond in said)):
        # the move made may bring nothing of that by itself
        follows = placed_words(scene, face, seat, point.played.then)
        counted = _("The chosen turn is counted with what usually follows: {next}.", next=follows)
        said = f"{said} {counted}"
    return Verdict(point, 1 + bisect_right(rounds, point.ply), played, words, said)


class InVain(NamedTuple):
    """The reason why a move brings nothing now, which the coach tells even of one that costs little."""

    why: str


def spoken_against(
    point: CostlyMove | None, scene: Scene[Any], face: Face[Any], move: Move
) -> Verdict | InVain | None:
    """Return what the coach says of a move about to be made, given what was found out; None if nothing."""
    if point is not None:
        return verdict(point, scene, face)
    why = face.in_vain(scene, move)
    return None if why is None else InVain(render(why))


_MOST: Final = 2 / 3
"""The part of what a move costs that reasons must explain, so that nothing needs to be said of the rest."""


_MADE_UP: Final = 2
"""Points by which a gain at once must exceed what a move costs for that to be explained."""


def lost_words(told: Verdict | InVain) -> str:
    """Return what a move gives away, as a sentence."""
    if isinstance(told, InVain):
        return _("This would bring you nothing now.")
    n = round(told.point.cost)
    return ngettext("This gives away about {n} point.", "This gives away about {n} points.", n)


_WARNING: Final = text("What the coach says about your chosen move, before anybody sees it.")


def warning(told: Verdict | InVain, *, is_marked: bool) -> Iterator[Content]:
    """Yield what speaks against a move about to be made, one paragraph each.

    The better move, if one is told, `is_marked` on the board like the best of a hint, or else named only.
    """
    yield explained((_("The coach"), "bold $gold"), _WARNING)
    yield explained((lost_words(told), "bold $refused"), _WARNING)
    if isinstance(told, Verdict):
        marked = _("Better, marked {mark}: {move}.", move=told.better, mark=HINT_MARKS[0])
        words = marked if is_marked else _("Better: {move}.", move=told.better)
        yield explained((words, "$ink"), _WARNING)
    yield explained((told.why, "$ink-dim"), _WARNING)


def beside_others(scene: Scene[Any], face: Face[Any], moves: Sequence[Advice], names: Sequence[str]) -> str:
    """Return how the first of some moves did when all were played on, for when nothing else speaks for it.

    The `names` are theirs. Of those that are as good it is said that they are, and of the others where they
    did worse.
    """
    best, *others = zip(moves, names, strict=False)
    even = [name for other, name in others if is_even(best[0], other)]
    said = []
    if even:
        said.append(
            _(
                "About as good as {moves}: played on many times, no clear difference was seen.",
                moves=joined(even),
            )
        )
    for other, name in others:
        if name not in even:
            found = played_on(scene, face, best[0], other, (best[1], name), has_all=True)
            said.append(found or _better_than(best[1], name))
    return " ".join(said)


def _spread_out(this: str, *, is_rest: bool) -> str:
    if is_rest:
        return _("The rest is spread out: a little in many places.")
    return _("Played on many times, {this} came out ahead: a little in many places.", this=this)


_OWN: Final = 2
"""The minimum number of one's own moves listed for a whole match, as far as they cost anything."""


def better_words(told: Verdict) -> tuple[str, ...]:
    """Return what would have been better, and why."""
    better = _("Better ({cost} points): {move}.", cost=told.cost, move=told.better)
    return better, told.why


class Coach:
    """The findings about one match so far."""

    def __init__(self) -> None:
        self.share = 0.0
        self.is_asking = False
        self.forecasts: list[Forecast] = []
        self.seat: Seat | None = None
        """The seat whose costliest moves are shown; None for those of the whole match."""
        self.own: Collection[Seat] = ()
        """The viewers' own seats; for the whole match, what they did is preferred."""
        self.rounds: Sequence[int] = ()
        """The positions at which a new round began."""
        self._analysis = Analysis(0.0, (), ())
        self._verdicts: dict[CostlyMove, Verdict] = {}

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on the costliest moves, the costliest first."""
        points = sorted(self._told(), key=lambda point: (-point.cost, point.ply))
        return [self._verdicts[point] for point in points]

    @property
    def numbered(self) -> Sequence[Verdict]:
        """The verdicts once they have numbers: none until all are found, since others may still come."""
        return self.verdicts if self.share >= 1 else ()

    def _told(self) -> Sequence[CostlyMove]:
        costliest = self._analysis.costliest
        if self.seat is not None:
            return costliest(self.seat)
        # of one's own moves the same as through one's own eyes
        own = sorted(chain.from_iterable(map(costliest, self.own)), key=lambda point: -point.cost)
        others = [point for point in self._analysis.by_chances() if point.seat not in self.own]
        first = [*own[:_OWN], *others][:TOLD]
        return [*first, *own[_OWN:]][:TOLD]

    async def follow(
        self,
        request: Callable[[Callable[[int], ClientMessage]], Awaitable[Any]],
        scene_before: Callable[[int, Seat], Awaitable[Scene[Any]]],
        face: Face[Any],
        changed: Callable[[], None],
    ) -> None:
        """Ask until the analysis is complete; `changed` is called after each answer. Raises `KkError`."""
        self.is_asking = True
        try:
            while self.share < 1:
                # The answer has the forecasts not yet known here, but all costly moves so far.
                reply: Analysed = await request(lambda number: Analyse(number, len(self.forecasts)))
                found = reply.analysis
                self.forecasts += found.forecasts
                for point in found.costly_moves:
                    if point not in self._verdicts:
                        scene = await scene_before(point.ply, point.seat)
                        self._verdicts[point] = verdict(point, scene, face, self.rounds)
                self._analysis, self.share = found, found.share
                changed()
        finally:
            self.is_asking = False

    def forecast(self, ply: float) -> Forecast | None:
        """Return the forecast after some plies, interpolated between two; None if unknown."""
        after = next((i for i, forecast in enumerate(self.forecasts) if forecast.ply >= ply), None)
        if after is None:
            return None
        now = self.forecasts[after]
        before = self.forecasts[max(0, after - 1)]
        part = (ply - before.ply) / (now.ply - before.ply) if now.ply > before.ply else 1.0
        return Forecast(
            now.ply, _between(before.margins, now.margins, part), _between(before.chances, now.chances, part)
        )


def percents(chances: Sequence[float]) -> list[int]:
    """Round chances that add up to 1 to whole percentages that add up to 100.

    Where all are equal, so are the percentages.
    """
    exact = [100 * chance for chance in chances]
    if len({*exact}) == 1:
        return [round(figure) for figure in exact]
    whole = [int(figure) for figure in exact]
    # What rounding down leaves over goes to those who have lost most by it.
    by_rest = sorted(range(len(exact)), key=lambda seat: whole[seat] - exact[seat])
    for seat in by_rest[: round(sum(exact)) - sum(whole)]:
        whole[seat] += 1
    return whole


def ahead(margin: float, digits: int = 0) -> str:
    """Format a lead in points, with its sign."""
    return f"{margin:+z.{digits}f}"  # "z" for no "-0"


def _between(before: Sequence[float], now: Sequence[float], part: float) -> tuple[float, ...]:
    return tuple(a + (b - a) * part for a, b in zip(before, now, strict=True))
