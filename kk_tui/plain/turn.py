"""Words at one's turn: moves as they are typed, listed, explained and taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from kk_core.errors import KkError
from kk_core.protocol.messages import (
    Answer,
    GoOn,
    Hint,
    Hinted,
    Play,
    Preview,
    Undo,
    Weigh,
    Weighed,
    WhyNot,
)
from kk_core.text import Text, joined, quoted, text, text_in
from kk_core.types import Move, Seat
from kk_core.views import Advice
from kk_tui.games import Face
from kk_tui.i18n import _, ngettext, render, typed
from kk_tui.matching import Fit, words_of
from kk_tui.plain import phrases
from kk_tui.plain.console import TextConsole, plain_here, scene_here, viewer_here
from kk_tui.plain.lesson import OK, UNDO
from kk_tui.plain.moves import MoveWords, examples, label, name, numbered, usage, verbs
from kk_tui.plain.words import HELP, TypedWord, UnknownWords, may_mean
from kk_tui.scene import Scene, changes
from kk_tui.table.advice import InVain, lost_words, spoken_against
from kk_tui.table.hint_words import HintWords
from kk_tui.widgets.board import HINT_MARKS

T = TypeVar("T")

_LISTED: Final = 20
"""Moves that are listed at once."""

_OFFERED: Final = 4
"""Moves, or words, that are named where one was not understood."""

_TRIES: Final = 3
"""Positions at which the words of a line are looked for, one after the other."""

_SOON: Final = 1.0
"""Seconds after which it is said that the coach is still looking."""

_REASONS: Final = 2
"""Kinds of reasons given for a move of a hint."""


class TurnWords:
    """Words for players: moves, and questions about them."""

    def __init__(self, console: TextConsole) -> None:
        self._console = console
        self._listed: tuple[object, Mapping[int, Move]] = (None, {})
        self._hinted: tuple[object, Sequence[Advice]] = (None, ())
        self._words_here: MoveWords | None = None
        self._warned: object = None
        """The choice of which the coach has warned last."""
        self.words = (
            TypedWord(phrases.MOVES, text("your moves, or those with these words"), self._moves,
                    text_in("typed", "[WORDS]"), example=self._words_of_some),
            TypedWord(OK, text("the only move, or end this step"), self._ok,
                    also=(text_in("typed", "continue"),)),
            TypedWord(UNDO, text("take back your last step"), self._undo),
            TypedWord(text_in("typed", "why"), text("why a move is not possible, or what it brings"),
                    self._why, text_in("typed", "MOVE"), example=self._some),
            TypedWord(text_in("typed", "hint"), text("what an expert would do, and why"), self._hint),
        )  # fmt: skip

    def _some(self) -> Sequence[str]:
        """Return a move that is possible now, if there is one, for an example."""
        scene, face = self._console.store.scene, self._console.store.face
        if scene is None or face is None or not scene.may_act:
            return ()
        return [*examples(scene, face, plain_here(self._console)).values()][:1]

    def _words_of_some(self) -> Sequence[str]:
        return [move.split()[0] for move in self._some()]

    async def meant(self, line: str) -> tuple[Fit | None, list[Move]]:
        """Return the legal moves that a line may mean: by words, or by the number of a list.

        Raises `UnknownWords` for a number alone that is neither a move of the game nor one of the last list,
        or without a match.
        """
        return await self._find(partial(self._meant, line))

    async def _meant(self, line: str, known: MoveWords) -> tuple[Fit | None, list[Move]]:
        scene, _face = scene_here(self._console)
        place = HINT_MARKS.find(line) if len(line) == 1 else -1
        if self._hinted[0] == _choice(scene) and 0 <= place < len(self._hinted[1]):
            return Fit.WHOLE, [self._hinted[1][place].move]
        words = words_of(line)
        is_listed = len(words) == 1 and words[0].isdecimal() and scene.may_act
        if is_listed and not known.are_numbers:
            return Fit.WHOLE, [self._of_list(scene, int(words[0]))]
        how, moves = await known.legal(words)
        return (None, []) if is_listed and how != Fit.WHOLE else (how, moves)

    async def _find(self, find: Callable[[MoveWords], Awaitable[T]]) -> T:
        """Return what is found among the moves of the position, again if that changes meanwhile.

        Raises `UnknownWords` if it goes on changing.
        """
        known = self._words()
        for _try in range(_TRIES):
            before, found = known, await find(known)
            known = self._words()
            if known is before:
                return found
        raise UnknownWords(text("The match has gone on meanwhile; please type it again."))

    def _of_list(self, scene: Scene[Any], number: int) -> Move:
        """Return the move with a number of the last list. Raises `UnknownWords` if that is none any more."""
        choice, listed = self._listed
        if choice != _choice(scene):
            raise UnknownWords(
                text(
                    "{line} is the number of a move after {moves} has listed them.",
                    line=quoted(str(number)), moves=typed(phrases.MOVES),
                )
            )  # fmt: skip
        if number not in listed:
            known = joined([*map(str, listed)], is_choice=True)
            raise UnknownWords(
                text("The list has the numbers {known}, not {line}.", known=known, line=number)
            )
        return listed[number]

    async def play_one(self, moves: Sequence[Move], line: str) -> None:
        """Make the move that a line means. Raises `UnknownWords` if it may mean several."""
        if len(moves) > 1:
            self.refuse_all(line, (), moves)
        await self._play(moves[0])

    def refuse_all(self, line: str, named: Sequence[str], moves: Sequence[Move]) -> None:
        """Say what a line may mean: all words, which are `named`, and some moves. Raises `UnknownWords`."""
        scene, face = self._console.store.scene, self._console.store.face
        found, offered = [*named], max(_OFFERED, len(named))
        if scene is not None and face is not None:
            found += [name(scene, face, plain_here(self._console), move) for move in moves]
        if len(found) > offered:
            raise UnknownWords(
                text(
                    "{line} may mean {found}, or {n} others.",
                    line=quoted(line), found=", ".join(map(quoted, found[:offered])),
                    n=len(found) - offered,
                )
            )  # fmt: skip
        raise UnknownWords(may_mean(line, found))

    async def refuse(self, line: str, elsewhere: Callable[[], None]) -> None:
        """Say why a line is not possible, if it is some move, or else what is possible. Raises `KkError`.

        Where it is no move, `elsewhere` may raise something better.
        """
        here = self._console.store.scene
        if here is not None and not here.is_over:
            words = words_of(line)
            if others := await self._others_meant(line):
                await self._explain(others)
                return
            scene, _face = scene_here(self._console)
            kinds = verbs(plain_here(self._console), words[0] if words else "")
            if not kinds:
                elsewhere()
            if not scene.may_act:
                raise UnknownWords(
                    text(
                        "{line} is no word here. {turn}",
                        line=quoted(line),
                        turn=phrases.whose_turn(scene, self._console.user),
                    )
                )
            if kinds:
                uses = [_("{use}: {about}", use=usage(kind), about=kind.about) for kind in kinds]
                raise UnknownWords(text("There is no such move. {uses}", uses="; ".join(uses)))
            raise UnknownWords(
                text(
                    "{line} is neither a word nor a move here. Type {moves} or {help}.",
                    line=quoted(line), moves=typed(phrases.MOVES),
                    help=typed(HELP),
                )
            )  # fmt: skip
        if here is not None and (
            line.isdecimal() or verbs(plain_here(self._console), line.partition(" ")[0])
        ):
            raise UnknownWords(text("The match is over."))
        elsewhere()
        raise UnknownWords(
            text(
                "{line} is no word here. Type {help}.",
                line=quoted(line), help=typed(HELP),
            )
        )  # fmt: skip

    def example_of(self, word: str) -> Iterator[str]:
        """Yield legal moves that begin with a word, or that there are none now; nothing while others play."""
        scene, face = scene_here(self._console)
        if not scene.may_act:
            return
        plain = plain_here(self._console)
        own = {render(verb.word).casefold() for verb in verbs(plain, word)}
        found = [
            quoted(typed)
            for typed in examples(scene, face, plain).values()
            if typed.casefold().split()[0] in own
        ]
        if found:
            yield _("For example: {open}.", open=joined(found[:_OFFERED], is_choice=True))
        else:
            yield _("None of your moves begins like that now.")

    async def _others_meant(self, line: str) -> list[Move]:
        """Return the moves, legal or not, that a line may mean."""
        words = words_of(line)
        found = await self._find(lambda known: known.any(words))
        (scene, face), plain = scene_here(self._console), plain_here(self._console)
        if not all(word.isdecimal() for word in words):
            return found
        # of numbers alone, a move of a kind that there is now is meant
        kinds = {name(scene, face, plain, move).partition(" ")[0] for move in scene.legal}
        own = [move for move in found if name(scene, face, plain, move).partition(" ")[0] in kinds]
        return own or found

    def _words(self) -> MoveWords:
        """Return the words of moves at this position. Raises `UnknownWords` without a match."""
        scene, face = scene_here(self._console)
        words_here = MoveWords(scene, face, plain_here(self._console), self._console.spend)
        if self._words_here is None or self._words_here.key != words_here.key:
            self._words_here = words_here
        return self._words_here

    async def _moves(self, rest: str) -> None:
        scene, face = scene_here(self._console)
        plain = plain_here(self._console)
        if not scene.may_act:
            raise UnknownWords(Text(phrases.whose_turn(scene, self._console.user)))
        legal = sorted(scene.legal)
        if not rest and len(legal) > _LISTED and (grouped := list(map(render, plain.choices(scene)))):
            some = [*map(quoted, examples(scene, face, plain).values())][:_OFFERED]
            example = _("For example: {open}.", open=joined(some, is_choice=True))
            self._console.say(*grouped, example)
            return
        found = self._words().containing(words_of(rest)) if rest else legal
        if not found:
            raise UnknownWords(text("None of your moves has {words} in it.", words=quoted(rest)))
        shown = numbered(scene, plain, found[:_LISTED])
        self._listed = _choice(scene), shown
        for number, move in shown.items():
            self._console.say(f"{number}. {label(scene, face, plain, move)}")
        if more := len(found) - len(shown):
            moves = typed(phrases.MOVES)
            self._console.say(
                ngettext(
                    "{n} more: type {moves} and a word of it.",
                    "{n} more: type {moves} and a word of them.",
                    more, moves=moves,
                )
            )  # fmt: skip

    async def _ok(self, _rest: str) -> None:
        scene, _face = scene_here(self._console)
        lesson = scene.table.lesson
        if lesson is not None and lesson.strayed:
            await self._undo("")
            return
        if lesson is not None and lesson.skips is not None:
            await self._console.request(GoOn)
            return
        forced = lesson.wanted if lesson is not None and scene.may_act else ()
        if forced or len(scene.legal) == 1:
            await self._play(forced[0] if forced else min(scene.legal))
            return
        _how, ends = await self._find(lambda known: known.legal(("continue",)))
        scene, _face = scene_here(self._console)
        if len(ends) != 1:
            raise UnknownWords(
                text("There is a choice: type {moves}.", moves=typed(phrases.MOVES))
                if scene.may_act
                else Text(phrases.whose_turn(scene, self._console.user))
            )
        await self._play(ends[0])

    async def _play(self, move: Move) -> None:
        scene, _face = scene_here(self._console)
        seat, ply = scene.viewer, scene.match.ply
        assert seat is not None, "only players have moves"
        if await self._speaks_against(move):
            return
        await self._console.request(lambda number: Play(number, seat, ply, move))

    async def _speaks_against(self, move: Move) -> bool:
        """Have the coach warn of a costly move, once; return whether it has done so."""
        scene, face = scene_here(self._console)
        seat, ply = scene.viewer, scene.match.ply
        is_weighed = self._console.is_coached and scene.table.hints and len(scene.legal) > 1
        if seat is None or not is_weighed or self._warned == (_choice(scene), move):
            return False
        weighing = asyncio.create_task(self._console.request(lambda number: Weigh(number, seat, ply, move)))
        try:
            if not (await asyncio.wait({weighing}, timeout=_SOON))[0]:
                self._console.say(
                    _("The coach is looking at it; what you type meanwhile is done afterwards.")
                )
            reply: Weighed = await weighing
        except KkError:
            return False  # a failing coach must not block the move
        finally:
            weighing.cancel()
        if (told := spoken_against(reply.point, scene, face, move)) is None:
            return False
        self._warned = _choice(scene), move
        weighed = f"{name(scene, face, plain_here(self._console), move)}:"
        better = "" if isinstance(told, InVain) else _("Better: {move}.", move=told.better)
        again = _("Typed again, it is made all the same.")
        self._console.say(" ".join(filter(None, (weighed, lost_words(told), better, told.why, again))))
        return True

    async def _undo(self, _rest: str) -> None:
        seat = viewer_here(self._console)
        await self._console.request(lambda number: Undo(number, seat))

    async def _why(self, rest: str) -> None:
        viewer_here(self._console)  # which is refused to those who have no moves
        if not rest:
            raise UnknownWords(text("Type a move after it."))
        found = (await self.meant(rest))[1] or await self._others_meant(rest)
        if not found:
            raise UnknownWords(text("{line} is no move of this game.", line=quoted(rest)))
        scene, _face = scene_here(self._console)
        if len(found) > 1 and scene.legal.issuperset(found):
            self.refuse_all(rest, (), found)
        await self._explain(found)

    async def _hint(self, _rest: str) -> None:
        scene, face = scene_here(self._console)
        seat = viewer_here(self._console)
        if scene.may_act and len(scene.legal) == 1:
            self._console.say(phrases.prompt(scene, face, plain_here(self._console)))
            return
        if scene.table.hints and scene.may_act:
            self._console.say(_("Looking for a good move; what you type meanwhile is done afterwards."))
        reply: Hinted = await self._console.request(lambda number: Hint(number, seat))
        if not reply.moves:
            raise UnknownWords(text("You have nothing to choose right now."))
        if due := face.due(scene):
            self._console.say(due)
        self._hinted = _choice(scene), reply.moves
        for place, advice in enumerate(reply.moves):
            words = name(scene, face, plain_here(self._console), advice.move)
            said = _hinted_words(scene, face, seat, reply.moves, place)
            self._console.say(f"{HINT_MARKS[place]}. {words}. {said}".rstrip())

    async def _explain(self, moves: Sequence[Move]) -> None:
        """Say why moves, of which one is meant, are not possible, or else what it brings."""
        seat, reasons = viewer_here(self._console), dict[str, None]()
        scene, gone = scene_here(self._console)[0], plain_here(self._console).gone
        # what is still there is meant rather than what was taken
        for move in ([move for move in moves if gone(scene, move) is None] or moves)[:_OFFERED]:
            reply: Answer = await self._console.request(partial(WhyNot, seat=seat, move=move))
            if reply.reason is None:
                await self._tell_merits(move)
                return
            reasons[render(reply.reason)] = None
            if (told := gone(scene, move)) is not None:
                reasons[render(told)] = None
        self._console.say(" ".join(reasons))

    async def _tell_merits(self, move: Move) -> None:
        """Say what a possible move brings, and what a hint has said of it."""
        scene, face = scene_here(self._console)
        seat = viewer_here(self._console)
        previewed = await self._console.request(lambda number: Preview(number, seat, move))
        points = [
            f"{scene.name(each)} {change:+}" for each, change in enumerate(changes(scene, previewed.sheet))
            if change
        ]  # fmt: skip
        choice, hint = self._hinted
        places = [place for place, each in enumerate(hint) if each.move == move]
        if choice == _choice(scene) and places:
            said = _hinted_words(scene, face, seat, hint, *places)
        else:
            said = face.merits(scene, move)
        brings = _("Points: {figures}.", figures=", ".join(points)) if points else _("No points at once.")
        self._console.say(" ".join(filter(None, (_("This is possible."), brings, said))))


def _hinted_words(scene: Scene[Any], face: Face[Any], seat: Seat, hint: Sequence[Advice], place: int) -> str:
    """Return what a hint says of one of its moves, without the move itself."""
    words = HintWords(scene, face, seat, hint)
    _title, *told = (*words.title(place), *words.figures(place), *words.why(place, _REASONS))
    return " ".join(said for said, _style in told if said)


def _choice(scene: Scene[Any]) -> object:
    """Return what somebody chooses now; others who choose at the same moment change nothing of that."""
    start, viewer = scene.match.turn_start, scene.viewer
    done = [entry.move for ply, entry in scene.match.recent() if ply >= start and entry.seat == viewer]
    return scene.match_key, viewer, start, done
