"""The public form of a record, which any referee can read; docs/records.md tells it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kk_core.errors import BadRecord
from kk_core.match import Match
from kk_core.record import AnyRecord, in_seat_order, record_of, replay
from kk_core.text import text
from kk_core.types import totals

FORMAT: Final = "kk-record"
VERSION: Final = 2


def export(record: AnyRecord, *, unfinished: bool = False) -> dict[str, Any]:
    """The public form of a record. Raises `BadRecord`; of an unfinished match only with `unfinished`.

    An unfinished match gives its deal away, but not its seed, nor choices that are not yet revealed.
    """
    match = replay(record)
    if not match.is_over and not unfinished:
        raise BadRecord(text("The match is not finished after ply {ply}.", ply=len(match.plies)))
    whole = msgspec.json.decode(msgspec.json.encode(record_of(match)))
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": whole["game"],
        "rules_version": whole["rules_version"],
        "rules_data": whole["rules_data"],
        "options": whole["options"],
        "seats": whole["seats"],
        **(_proof(whole) if match.is_over else _promise(whole)),
        **({"replayed": match.replayed} if match.replayed else {}),
        "setup": match.game.export_setup(match.fresh().state),
        "events": _events(match),
        "result": whole["result"] if match.is_over else _so_far(match),
    }


def _proof(whole: dict[str, Any]) -> dict[str, Any]:
    """Everything that the shuffles and the chain follow from."""
    return {key: whole[key] for key in ("seed", "commitment", "rng", "host_seed", "contributions", "chain")}


def _promise(whole: dict[str, Any]) -> dict[str, Any]:
    """What may be known of the seed before the end."""
    contributions = [{"seat": added["seat"], "bytes": None} for added in whole["contributions"]]
    return {
        "seed": None,
        "commitment": whole["commitment"],
        "rng": whole["rng"],
        "host_seed": None,
        "contributions": contributions,
    }


def _so_far(match: Match) -> dict[str, Any]:
    sheet = match.game.score(match.state)
    return {
        "finished": False,
        "sheet": [
            {"item": item, "points": list(points)}
            for item, points in zip(match.game.sheet, sheet, strict=True)
        ],
        "totals": list(totals(sheet)),
        "tie_break": None,
    }


def _events(match: Match) -> list[dict[str, Any]]:
    """Moves and what rule and chance made of them; choices still hidden from spectators are left out."""
    rules, replayed = match.game, match.fresh()
    now = None if match.is_over else rules.turn(match.state)
    exported: list[dict[str, Any]] = []
    for seat, move in in_seat_order(match):
        before = replayed.state
        if rules.turn(before) == now and rules.visible_move(seat, move, None) is None:
            continue
        replayed.play(seat, move)
        after = replayed.state
        shown = rules.export_move(before, seat, move, after)
        exported.append({"ply": len(replayed.plies), "seat": seat, "move": shown})
        events = (rules.export_event(after, event) for event in rules.events(after))
        exported.extend(event for event in events if event is not None)
    return exported
