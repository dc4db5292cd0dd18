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
        self._trials = [0] * len(logs)
        self._sums = [0.0] * len(logs)
        self._squares = 0.0
        self._level, self._spread = 0.5, _SPREAD
        self._count = 0

    def pick(self) -> int:
        """The one to try next."""
        if self._count == 1 or not self._count % _FIT_EVERY:
            self._fit()
        spread, hope = self._spread, HOPE * self._spread
        level, leaning = PRIOR_TRIALS * self._level, PRIOR_TRIALS * spread
        best = -1.0
        for number, (lean, total, trials) in enumerate(
            zip(self._leanings, self._sums, self._trials, strict=True)
        ):
            known = PRIOR_TRIALS + trials
            worth = (level + leaning * lean + total) / known + hope / sqrt(known)
            if worth > best:
                best, chosen = worth, number
        return chosen

    def add(self, number: int, reward: float) -> None:
        """What a trial brought."""
        self._count += 1
        self._trials[number] += 1
        self._sums[number] += reward
        self._squares += reward * reward

    def means(self) -> list[float]:
        """What is believed of each."""
        self._fit()
        level, spread = self._level, self._spread
        return [
            (PRIOR_TRIALS * (level + spread * lean) + total) / (PRIOR_TRIALS + trials)
            for lean, total, trials in zip(self._leanings, self._sums, self._trials, strict=True)
        ]

    def is_decided(self, left: float) -> bool:
        """Whether so many more trials would hardly change which is believed to be best."""
        means = self.means()
        best = max(means)
        leader = means.index(best)
        doubt = DOUBT * self._spread
        return all(
            mean + doubt * sqrt(1 / known - 1 / (known + left)) < best
            for number, mean in enumerate(means)
            if number != leader
            for known in (PRIOR_TRIALS + self._trials[number],)
        )

    def _fit(self) -> None:
        """How much trials vary, and how good the moves are as a whole, by those that were tried."""
        within, degrees = self._squares + _SPREAD_TRIALS * _SPREAD**2, float(_SPREAD_TRIALS)
        tried = [row for row in zip(self._trials, self._sums, self._leanings, strict=True) if row[0]]
        for trials, total, _ in tried:
            within -= total * total / trials
            degrees += trials - 1
        self._spread = sqrt(max(0.0, within) / degrees)
        if tried:
            weights = [trials / (trials + PRIOR_TRIALS) for trials, _, _ in tried]
            levels = [total / trials - self._spread * lean for trials, total, lean in tried]
            self._level = sum(map(float.__mul__, weights, levels)) / sum(weights)
