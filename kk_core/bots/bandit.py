"""Which of several moves to try next, and which is best, where a single trial says little: a bandit.

One simulation varies several times as much as moves differ, so that a good move may well look bad at first.
What is believed of a move is therefore a normal distribution, which begins with what the policy thinks of it
and goes over to what its trials say. Tried next is the move that might be the best one (Bayesian upper
confidence bounds), chosen in the end the one that is believed to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Final

# Measured over what long searches say of moves.
PRIOR_TRIALS: Final = 19
"""What is believed at first counts as much as so many trials."""
LEANING: Final = 0.1
"""By how many spreads of a trial a move is better that the policy makes e times as likely."""
HOPE: Final = 4.0
"""By how many standard errors a move may be better than it is believed to be."""
DOUBT: Final = 2.5
"""By how many standard errors beliefs may change yet."""

_SPREAD: Final = 0.16
"""How much trials vary, before it is known."""
_SPREAD_TRIALS: Final = 20
"""That counts as much as so many trials."""
_FIT_EVERY: Final = 10
"""After so many trials the spread and the level of all are worked out anew."""


class Bandit:
    """Moves by their place in a list, rewards from 0 to 1."""

    def __init__(self, priors: Sequence[float]) -> None:
        """`priors` tell how likely the policy makes each; none is 0."""
        logs = list(map(log, priors))
        middle = sum(logs) / len(logs)
        self._leanings = [LEANING * (own - middle) for own in logs]
        self._known = [PRIOR_TRIALS] * len(logs)
        self._sums = [0.0] * len(logs)
        self._squares = 0.0
        self._count = 0
        self._fit()

    def pick(self) -> int:
        """The one to try next."""
        if self._count == 1 or not self._count % _FIT_EVERY:
            self._fit()
        hope, best = HOPE * self._spread, -1.0
        for number, (first, total, known) in enumerate(
            zip(self._firsts, self._sums, self._known, strict=True)
        ):
            worth = (first + total) / known + hope / sqrt(known)
            if worth > best:
                best, chosen = worth, number
        return chosen

    def add(self, number: int, reward: float) -> None:
        """What a trial brought."""
        self._count += 1
        self._known[number] += 1
        self._sums[number] += reward
        self._squares += reward * reward

    def means(self) -> list[float]:
        """What is believed of each."""
        self._fit()
        rows = zip(self._firsts, self._sums, self._known, strict=True)
        return [(first + total) / known for first, total, known in rows]

    def is_decided(self, left: float) -> bool:
        """Whether so many more trials would hardly change which is believed to be best."""
        means = self.means()
        best = max(means)
        leader, doubt = means.index(best), DOUBT * self._spread
        return all(
            mean + doubt * sqrt(1 / known - 1 / (known + left)) < best
            for number, (mean, known) in enumerate(zip(means, self._known, strict=True))
            if number != leader
        )

    def _fit(self) -> None:
        """How much trials vary, how good the moves are as a whole by those that were tried, and so what is
        believed of each at first, as a sum over the trials that it counts as.
        """
        within, degrees = self._squares + _SPREAD_TRIALS * _SPREAD**2, float(_SPREAD_TRIALS)
        rows = zip(self._known, self._sums, self._leanings, strict=True)
        tried = [(known - PRIOR_TRIALS, total, lean) for known, total, lean in rows if known > PRIOR_TRIALS]
        for trials, total, _ in tried:
            within -= total * total / trials
            degrees += trials - 1
        self._spread = sqrt(max(0.0, within) / degrees)
        level = 0.5
        if tried:
            weights = [trials / (trials + PRIOR_TRIALS) for trials, _, _ in tried]
            levels = [total / trials - self._spread * lean for trials, total, lean in tried]
            level = sum(map(float.__mul__, weights, levels)) / sum(weights)
        leaning = PRIOR_TRIALS * self._spread
        self._firsts = [PRIOR_TRIALS * level + leaning * lean for lean in self._leanings]
