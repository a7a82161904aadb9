r"""Bets against a claim while runs are made, so that an audit ends when the claim is refuted.

In each run an attack that has learnt from earlier runs says "in", "out" or nothing. Let x be 1
where it is right, -e^ε where it is wrong and 0 where it says nothing. Of (ε, δ) neighbours

.. math:: E x = \frac12 (P(A) - e^\varepsilon Q(A)) + \frac12 (Q(B) - e^\varepsilon P(B)) \le \delta

for the events A and B in which it says either, whatever happened before. So the wealth

.. math:: W = \frac1J \sum_j \prod_t \left(1 + c_j u_{jt}\right), \quad 0 < c_j \le 1, \quad
    u_{jt} = \frac{x_{jt} - \delta}{e^\varepsilon + \delta}

is at least 1/α at any time with probability at most α (ville-1939), however attack, cut and point
(ε, δ) follow the past, if the claim implies each point.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.auditing.audit import Finding
from deniable.auditing.runs import Attack, Bits, Runs, Scorer, Scores
from deniable.auditing.statistics import ACCUSED, RANGES, Cut, counted
from deniable.numerics.rounding import UNIT, greatest

GuessCounts: TypeAlias = NDArray[np.int64]
"""Runs with a right guess, a wrong one and none, for each point; (n_bettors, n_points, 3)."""

FIRST = 160
"""Runs before the first bet: about 50 of each kind are what attacks learn anything from."""
_GROWS = 1.5
"""Factor of runs after which attacks learn anew: all learning costs three times the last."""
_ROUNDING = 64 * UNIT
"""Error of a summand of the wealth's logarithm, for each unit of its size, with room."""
LARGEST = 700.0
"""ε: beyond it no number of runs refutes anything, and e^ε is no float."""

CURVE = "claimed-curve"
"""The finding about a claim that is refuted at another δ than the one at which it is read."""


@attrs.frozen(eq=False)
class Fitted:
    """An attack that has learnt on half of some runs, and its scores of the other half."""

    name: str
    score: Scorer
    scores: Scores
    members: Bits


def fit_all(runs: Runs, attacks: Sequence[Attack]) -> list[Fitted]:
    """All attacks, none where one half of the runs has one kind of bit only."""
    half = len(runs.members) // 2
    first, second = runs[:half], runs[half:]
    if any(part.members.all() or not part.members.any() for part in (first, second)):
        return []
    learnt = [(attack.name, attack.fit(first)) for attack in attacks]
    return [
        Fitted(name, score, score(second.signals, second.exact), second.members)
        for name, score in learnt
    ]


def log_wealth_of(counts: GuessCounts, points: Sequence[tuple[float, float]], runs: int) -> float:
    """ln of what bets earned, the mean of all, rounded down; `runs` sets the least stake."""
    # The best share for n runs is about the square root of 1/n or more.
    stakes = 2.0 ** -np.arange(math.ceil(math.log2(runs) / 2) + 2)
    epsilon, delta = np.array(points).T
    unit = (np.exp(epsilon) + delta)[:, None]
    right = np.log1p(stakes * (1 - delta[:, None]) / unit)
    idle = np.log1p(-stakes * delta[:, None] / unit)
    with np.errstate(divide="ignore"):
        wrong = np.broadcast_to(np.log1p(-stakes), right.shape)
    terms = counts[..., None] * np.where(counts[..., None], np.stack([right, wrong, idle], 1), 0.0)
    size = np.where(np.isfinite(terms), np.abs(terms), 0.0) + counts[..., None]
    logs = (terms.sum(axis=(1, 2)) - _ROUNDING * size.sum(axis=(1, 2))).ravel()
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).sum())) - math.log(len(logs))


class Bets:
    """Bets against a claim: what is bet on now, and what was earned.

    The claim implies all points, of which the first is the one at which it is read; `runs` are the
    most that will be made. A true claim is refuted with probability `level` at most. Bettors are
    attacks, each with a range of shares of guessed runs; the wealth is their mean.
    """

    def __init__(
        self,
        points: Sequence[tuple[float, float]],
        attacks: Sequence[Attack],
        runs: int,
        level: float,
    ) -> None:
        self.points = [each for each in points if each[0] < LARGEST]
        self.next_learning = FIRST
        self._names = [each.name for each in attacks]
        bettors = len(attacks) * RANGES
        self._counts: GuessCounts = np.zeros((bettors, len(self.points), 3), dtype=np.int64)
        self._runs, self._level = runs, level
        self._bets: list[tuple[Scorer, list[tuple[int, Cut, int]]]] = []

    def learn(self, fitted: Sequence[Fitted], runs: int) -> None:
        """Choose cuts and points for the next runs by those that are made."""
        self.next_learning = math.ceil(_GROWS * runs)
        self._bets = []
        for i, each in enumerate(fitted):
            scores, members = each.scores.ravel(), each.members.ravel()
            best: dict[int, tuple[float, Cut, int]] = {}
            for place, point in enumerate(self.points):
                for j, (cut, merit) in Cut.against(scores, members, *point).items():
                    if merit > best.get(j, (0.0,))[0]:
                        best[j] = merit, cut, place
            cuts = [(i * RANGES + j, cut, place) for j, (_, cut, place) in best.items()]
            self._bets.append((each.score, cuts))

    def place(self, part: Runs) -> bool:
        """Bet on runs, and say whether the claim is refuted."""
        for score, cuts in self._bets:
            scores = score(part.signals, part.exact) if cuts else np.empty(0)
            for bettor, cut, place in cuts:
                made, right = counted(cut, scores, part.members)
                self._counts[bettor, place] += [right, made - right, scores.size - made]
        return self._wealth(self._counts, self.points) >= _goal(self._level)

    def best(self) -> tuple[str, GuessCounts]:
        """The attack that earned most, and its guesses: right, wrong and none."""
        wealth = [self._wealth(each[None], self.points) for each in self._counts]
        most = int(np.argmax(wealth))
        return self._names[most // RANGES], self._counts[most]

    def limit(self, level: float) -> float:
        """The least ε that bets at the first point's δ do not refute; 0 where none is refuted."""
        # A run without a guess costs as much as with ε = 0, so that the wealth falls with ε.
        delta, own, goal = self.points[0][1], self._counts[:, :1], _goal(level)
        idle = own * [0, 0, 1]
        pair = np.concatenate([own - idle, idle], axis=1)

        def refuted(epsilon: float) -> bool:
            return self._wealth(pair, [(epsilon, delta), (0.0, delta)]) >= goal

        return greatest(refuted, 0.0, LARGEST) if refuted(0.0) else 0.0

    def limits(self, level: float) -> tuple[float, float]:
        """The limit where bets refuted the claim, and the one that accuses at the first δ."""
        # Of a claim at several points the first may be true and another false. Then bets end the
        # audit as a rule, and an audit that makes all runs errs with α − α/1000; so a limit up to
        # the first point's ε errs with α/1000 at most. A larger one is right unless the first point
        # is false, and then both ways to it err with α/2 at most.
        #
        # `level` is α, the probability with which a limit of the audit may be above the truth.
        claimed = self.points[0][0]
        limit, proven = self.limit(level / 2), self.limit(level / ACCUSED)
        if len(self.points) == 1:  # what was refuted is the claim, at its own δ
            least = math.nextafter(claimed, math.inf)
            limit, proven = max(limit, least), max(proven, least)
        return (limit if proven > claimed else proven), proven

    def finding(self) -> Finding:
        """What to say where the claim is refuted at another point than the first."""
        epsilon, delta = self.points[int(self.best()[1][:, :2].sum(axis=1).argmax())]
        return Finding(
            CURVE,
            f"At δ = {delta:.3g} it allows ε = {epsilon:g}, and an attack is right more often than "
            "that allows.",
            breaks=True,
        )

    def _wealth(self, counts: GuessCounts, points: Sequence[tuple[float, float]]) -> float:
        return log_wealth_of(counts, points, self._runs)


def _goal(level: float) -> float:
    return -math.log(level) * (1 + _ROUNDING)
