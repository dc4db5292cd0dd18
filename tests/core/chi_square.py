"""Whether draws are spread as they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from math import sqrt


def is_spread(drawn: Counter[Hashable], weights: Mapping[Hashable, int]) -> bool:
    """Whether draws follow the weights: by the chi-square test, at one error in some 30,000.

    Asserts that nothing was drawn that has no weight.
    """
    assert drawn.keys() <= weights.keys(), f"impossible: {set(drawn) - set(weights)}"
    draws, total = drawn.total(), sum(weights.values())
    assert min(weights.values()) * draws / total > 5, "too few draws for this many outcomes"
    distance = sum(
        (drawn[outcome] - draws * weight / total) ** 2 / (draws * weight / total)
        for outcome, weight in weights.items()
    )
    freedom = len(weights) - 1
    # Wilson and Hilferty: the cube root of chi-square over its freedom is nearly normal
    spread = sqrt(2 / (9 * freedom))
    return bool(((distance / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / spread < 4)
