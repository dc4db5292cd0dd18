"""The process in which bots think: `python -m kk_server.bots.search_worker`.

It answers one question at a time, and knows only the rules and the question. A thread reads the orders, so
that a search can be stopped, and so that the process ends with its parent, however that ended.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any, BinaryIO, Final, NoReturn

import msgspec

from kk_core.chance import Chance
from kk_core.errors import where
from kk_core.game import AnyGame
from kk_core.registry import game_for, part_of
from kk_core.search.advice import SIMULATIONS, study
from kk_core.search.bots import allowance_of, bot
from kk_core.search.opponents import BotKnowledge, memory_of
from kk_core.search.review import foresee, judge, review, weigh
from kk_core.search.search import Budget
from kk_core.types import CommonObservation, SeenMove
from kk_core.views import decode_observation
from kk_server.bots.messages import (
    LENGTH_BYTES,
    AdviceReply,
    AdviceRequest,
    BotWorkerReady,
    Failed,
    JudgeRequest,
    MoveReply,
    MoveRequest,
    Noted,
    Order,
    OutlookReply,
    OutlookRequest,
    Question,
    Reply,
    ReviewReply,
    ReviewRequest,
    Rules,
    Stop,
    WeighReply,
    WeighRequest,
    encode,
)
from kk_server.bots.messages import decode_order as decode

_NICE: Final = 5
"""Its niceness: if processors are scarce, the hub goes first."""

_LAST_RESORT: Final = 60.0
"""Seconds past the limit after which a search that never yields ends the process."""


class BotWorker:
    """Answers questions; `stop` is set while the running search is no longer needed."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._rules: dict[tuple[str, str], bytes] = {}
        self._games: dict[tuple[str, str], AnyGame] = {}

    def learn(self, rules: Rules) -> None:
        """Store the rules of a game."""
        self._rules[rules.game, rules.version] = rules.data

    def answer(self, question: Question) -> Reply:
        """Return the answer to a question; a failure is an answer too."""
        try:
            return self._answer(self._game(question.game, question.version), question)
        except Exception as error:
            return Failed(where(error))

    def _answer(self, game: AnyGame, question: Question) -> Reply:
        chance, share = Chance(question.seed), self._share(question.seconds)
        match question:
            case OutlookRequest():
                seen = [_observed(game, values) for values in question.observations]
                return OutlookReply(foresee(game, seen, chance, Budget(question.samples, share)))
            case JudgeRequest(_, _, values, played, depth):
                return ReviewReply(judge(game, _observed(game, values), played, chance, depth, share))
            case ReviewRequest(_, _, values, played, simulations, seed):
                known = BotKnowledge(moves=_seen(game, question.since))
                judgement = review(game, _observed(game, values), played, known, simulations, seed, share)
                return Failed("too late") if share() >= 1 else ReviewReply(judgement)
            case AdviceRequest():
                budget = Budget(SIMULATIONS, share)
                known = BotKnowledge(moves=_seen(game, question.since))
                return AdviceReply(study(game, _observed(game, question.observation), chance, budget, known))
            case WeighRequest(_, _, values, found, move):
                judgement = weigh(game, _observed(game, values), found, move, chance, share)
                # what was not looked at for long enough is not known to be harmless
                return Failed("too late") if share() >= 1 else WeighReply(judgement)
            case MoveRequest():
                budget = Budget(allowance_of(question.bot, game.meta.id).simulations, share)
                return _chosen(game, question, budget, chance)

    def _game(self, game_id: str, version: str) -> AnyGame:
        key = game_id, version
        if key not in self._games:
            self._games[key] = game_for(*key, msgspec.json.decode(self._rules[key]))
        return self._games[key]

    def _share(self, seconds: float) -> Callable[[], float]:
        """Return a function that returns the elapsed share of a question's time, and 1 once it is stopped."""
        begun, is_stopped = monotonic(), self._stop.is_set
        return lambda: 1.0 if is_stopped() else (monotonic() - begun) / seconds


def _chosen(game: AnyGame, question: MoveRequest, budget: Budget, chance: Chance) -> MoveReply:
    player = bot(question.bot, game, question.style)
    BotKnowledge(question.memory, _seen(game, question.since)).tell(player, chance)
    move = player.choose(_observed(game, question.observation), chance, budget)
    return MoveReply(move, memory_of(player))


def _seen(game: AnyGame, since: Sequence[Noted]) -> tuple[SeenMove, ...]:
    return tuple(
        SeenMove(_observed(game, values), seat, move, events) for values, seat, move, events in since
    )


def _observed(game: AnyGame, values: list[Any]) -> CommonObservation:
    shape: type[CommonObservation] = part_of(game.meta.id, "model").Observation
    return decode_observation(values, shape, game.printed)


def _read(pipe: BinaryIO, orders: SimpleQueue[Rules | Question], stop: Event) -> NoReturn:
    try:
        while len(head := pipe.read(LENGTH_BYTES)) == LENGTH_BYTES:
            order: Order = decode(pipe.read(int.from_bytes(head, "big")))
            if isinstance(order, Stop):
                stop.set()
            else:
                stop.clear()
                orders.put(order)
    finally:
        # the hub is gone, or sends nonsense: end from this thread, since the main thread may be in a search
        os._exit(0)


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    # third-party bots may print or read: keep the pipes to the hub out of their reach
    pipes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    return pipes


def main() -> None:
    """Answer questions until the hub is gone."""
    source, target = _own_pipes()
    os.nice(_NICE)
    orders, stop = SimpleQueue[Rules | Question](), Event()
    Thread(target=_read, args=(source, orders, stop), daemon=True).start()
    worker = BotWorker(stop)
    target.write(encode(BotWorkerReady()))
    while True:
        match orders.get():
            case Rules() as rules:
                worker.learn(rules)
            case question:
                # runs in a C thread, so it works even if the search holds the GIL
                faulthandler.dump_traceback_later(question.seconds + _LAST_RESORT, exit=True)
                reply = worker.answer(question)
                faulthandler.cancel_dump_traceback_later()
                target.write(encode(reply))


if __name__ == "__main__":
    main()
