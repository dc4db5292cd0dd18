"""What a program is told, and what its answers mean."""

from __future__ import annotations

from typing import Any

import msgspec

from kk_core.errors import InvalidMove
from kk_core.game import AnyGame
from kk_core.registry import game, part_of
from kk_core.text import text
from kk_core.types import Move, Observation, Seat
from kk_core.wire.views import MatchView, TableView
from server.commands import Failure
from server.robot.program import shown


def rules_of(match: MatchView) -> AnyGame:
    """The game here, if it is the one that is played there. Raises `Failure`."""
    rules = game(match.game)
    if rules.rules_version != match.rules_version:
        raise Failure(
            text("There, {game} is played by other cards or another map than here.", game=rules.meta.name)
        )
    return rules


def observed(match: MatchView) -> Observation:
    """What the viewer of a match sees, in the shape of its game."""
    observation: Observation = match.observed(part_of(match.game, "model").Observation)
    return observation


def question(rules: AnyGame, table: TableView, match: MatchView, seat: Seat) -> bytes:
    """A line that has all that a person on its seat sees, bytes as lists of numbers."""
    observation = observed(match)
    told = {
        "game": rules.meta.id,
        "options": dict(table.options),
        "names": [holder.name for holder in table.seats],
        "seat": seat,
        "ply": match.ply,
        "is_over": observation.outcome is not None,
        "points": list(observation.points),
        "moves": {rules.format_move(move): move for move in observation.legal_moves},
        "observation": _plain(observation),
    }
    return msgspec.json.encode(told)


def _plain(value: Any) -> Any:
    """A value as JSON has it: structs by the names of their fields."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value


def move_of(rules: AnyGame, line: bytes, observation: Observation) -> Move:
    """The move that a program's line names, by its number or its words. Raises `Failure`."""
    try:
        answer = msgspec.json.decode(line, type=int | str)
        move = rules.parse_move(answer) if isinstance(answer, str) else answer
    except (msgspec.MsgspecError, UnicodeDecodeError, InvalidMove):
        raise Failure(
            text(
                "The program answers {line}, which is none of its moves: their numbers are answers, or their "
                "words in double quotes.",
                line=shown(line),
            )
        ) from None
    if move not in observation.legal_moves:
        raise Failure(text("The program chooses {move}, which is not possible now.", move=shown(line)))
    return move
