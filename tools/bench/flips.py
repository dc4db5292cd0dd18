"""Flip every bit of records, one at a time: `python -m tools.bench.flips [STRIDE]`.

Uses three records of each game, each from a match of bots. Every flip must be refused, even if the record
claims the same after it; with a stride only every `STRIDE`-th bit is flipped. Prints the counts; exits with 1
if a flip has passed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from time import process_time

from kk_core.errors import BadRecord
from kk_core.record import check_written, format_record, parse_record, record_of, replay
from kk_core.registry import game, game_ids
from kk_core.search.arena import play_match, seed_of

REFUSED, PASSED = "refused", "passed"

BOTS = ("greedy", "random", "greedy", "random", "greedy")


def records(game_id: str) -> Iterator[bytes]:
    """Return three records as files contain them: with the fewest seats, the most, and one in between."""
    meta = game(game_id).meta
    for number in range(3):
        seats = (meta.min_seats, meta.max_seats, (meta.min_seats + meta.max_seats) // 2)[number]
        options = {option.name: option.values[number % 2].value for option in meta.options}
        match = play_match(game(game_id), options, BOTS[:seats], seed_of("flips", number))
        yield format_record(record_of(match)).encode()


def flips(content: bytes, stride: int = 1) -> Counter[str]:
    """Return the outcomes of the flips of a record."""
    assert is_good(content)
    counts: Counter[str] = Counter()
    for bit in range(0, len(content) * 8, stride):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        counts[PASSED if is_good(bytes(flipped)) else REFUSED] += 1
    return counts


def is_good(content: bytes) -> bool:
    """Return whether a file is a record, to the last byte."""
    try:
        record = parse_record(content)
        replay(record)
        check_written(record, content)
    except BadRecord:
        return False
    return True


def main() -> None:
    """Print the outcome of all flips."""
    stride = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    whole: Counter[str] = Counter()
    for game_id in game_ids():
        for number, content in enumerate(records(game_id), 1):
            begun = process_time()
            counts = flips(content, stride)
            whole += counts
            found = ", ".join(f"{counts[kind]:,} {kind}" for kind in (REFUSED, PASSED))
            seconds = process_time() - begun
            print(f"{game_id} {number}: {len(content):,} bytes, {found} ({seconds:.0f} s)")  # noqa: T201
    print(f"{whole.total():,} flips: {dict(whole)}")  # noqa: T201
    sys.exit(bool(whole[PASSED]))


if __name__ == "__main__":
    main()
