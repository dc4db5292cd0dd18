"""A program for `kk bot`: python docs/random_bot.py reads a line per turn and answers with a move."""

import json
import random
import sys


def choose(told: dict) -> int:
    """Any move, but not one that only ends something, if there is another."""
    moves = told["moves"]
    others = [words for words in moves if words not in ("end", "pass", "skip")]
    return moves[random.choice(others or list(moves))]


for line in sys.stdin:
    told = json.loads(line)
    if told["is_over"]:
        print(f"{told['names'][told['seat']]} has {told['points'][told['seat']]} points.", file=sys.stderr)
        break
    print(json.dumps(choose(told)), flush=True)
