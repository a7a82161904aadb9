r"""Bets against a claim while runs are made, so that an audit ends when the claim is refuted.

In each run an attack that has learnt from earlier runs says "in", "out" or nothing, and puts a
share s of a stake c on it. Let x be s where it is right, -s e^ε where it is wrong and 0 where it
says nothing. Of (ε, δ) neighbours

.. math:: E x = \frac12 \int_0^1 P(A_s) - e^\varepsilon Q(A_s) \, ds +
    \frac12 \int_0^1 Q(B_s) - e^\varepsilon P(B_s) \, ds \le \delta

for the events A_s and B_s in which it puts more than s on either, whatever happened before. So

.. math:: W = \sum_j w_j \prod_t \left(1 + c_j u_{jt}\right), \quad 0 < c_j \le 1, \quad
    \sum_j w_j = 1, \quad u_{jt} = \frac{x_{jt} - \delta}{e^\varepsilon + \delta}

is at least 1/α at any time with probability at most α (ville-1939), however attack, share and point
(ε, δ) follow the past, if the claim implies each point.

Half of the wealth is bet by cuts: each attack puts the whole stake on its surest guesses, in seven
ranges of shares of runs. The other half follows the belief of the attack that did best on the past:
its score, made a log-odds on runs from which it did not learn, says how much to bet on each output.
"""

import math
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import special

from deniable.auditing.attacks.classifier import fit_logistic
from deniable.auditing.audit import Finding
from deniable.auditing.runs import Attack, Bits, Runs, Scorer, Scores
from deniable.auditing.statistics import ACCUSED, RANGES, Cut, counted
from deniable.errors.validate import in_full
from deniable.numerics.rounding import UNIT, greatest

GuessCounts: TypeAlias = NDArray[np.int64]
"""Runs with a right guess, a wrong one and none, for each point; (n_bettors, n_points, 3)."""

FIRST = 160
"""Runs before the first bet: about 50 of each kind are what attacks learn anything from."""
SHARES = 63 / 64 * 2.0 ** (-np.arange(24) / 2)
"""Shares of a stake. They are parted by √2, so that the nearest one earns all but some 1 % of what
the best one does; if the largest one is lost, a 64th is left."""
_STAKES_OF_BELIEF = np.array([1.0, 0.5, 0.25])
"""Parts of what a belief would bet: smaller ones are safer where few runs make it too sure."""
_LEAST_GAIN = 1.0
"""Natural logarithm of what a belief must earn on runs of the past before it bets: the best of six
attacks earns something by luck, and bets on luck lost 1 to 4 of the 11 that refute a claim."""
_FARTHEST = 30.0
"""Log-odds, natural: no belief is surer."""
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
    return [Fitted(name, score, second.scores(score), second.members) for name, score in learnt]


def log_wealth_of(counts: GuessCounts, points: Sequence[tuple[float, float]], runs: int) -> float:
    """ln of what cuts earned, the mean of all, rounded down; `runs` sets the least stake."""
    return _log_mean(_log_earned(counts[:, :, None], points, np.ones(1), _stakes(runs)))


def _stakes(runs: int) -> Scores:
    """Stakes of cuts: the best one for n runs is about the square root of 1/n or more."""
    return np.asarray(2.0 ** -np.arange(math.ceil(math.log2(runs) / 2) + 2))


def _log_earned(
    counts: GuessCounts,
    points: Sequence[tuple[float, float]],
    shares: NDArray[np.floating[Any]],
    stakes: NDArray[np.floating[Any]],
    *,
    idle: float | None = None,
) -> Scores:
    """ln of what each bettor earned with each stake, rounded down; -> (n_bettors, n_stakes).

    Counts, (n_bettors, n_points, n_shares, 3), are right guesses, wrong ones and none. With `idle`
    a run without a guess costs what it costs at that ε.
    """
    epsilon, delta = np.array(points).T[..., None]
    none = -delta / (np.exp(epsilon if idle is None else idle) + delta)
    right = shares * (1 - delta) / (np.exp(epsilon) + delta) + (1 - shares) * none
    wrong = -shares + (1 - shares) * none
    gains = np.stack(np.broadcast_arrays(right, wrong, none), axis=-1)[..., None]
    seen = counts[..., None]
    with np.errstate(divide="ignore"):
        terms = seen * np.where(seen, np.log1p(stakes * gains), 0.0)
    size = np.where(np.isfinite(terms), np.abs(terms), 0.0) + seen
    return np.asarray((terms - _ROUNDING * size).sum(axis=(1, 2, 3)))


def _log_mean(logs: Scores) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).mean()))


@attrs.frozen(eq=False)
class _Belief:
    """The log-odds of the bit that an attack's score amounts to, and the point it bets against."""

    attack: int
    slope: float
    offset: float
    place: int = 0
    score: Scorer | None = None

    @classmethod
    def of(cls, attack: int, fitted: Fitted) -> Self:
        """Fit the log-odds to scores of runs from which the attack has not learnt."""
        scores = np.clip(fitted.scores.ravel(), -_FARTHEST, _FARTHEST)
        features = np.stack([np.ones_like(scores), scores], axis=1)
        (offset, slope), curvature = fit_logistic(features, fitted.members.ravel())
        error = math.sqrt(np.linalg.inv(curvature)[1, 1])
        # Standard errors by which the slope of a belief is reduced: with 0 too much is lost before
        # enough is learnt, with 1 too little is earned afterwards.
        return cls(attack, min(max(slope - 0.5 * error, 0.0), 1.0), offset)

    def counts(self, scores: Scores, members: Bits, epsilon: float) -> GuessCounts:
        """Guesses by the share of the stake that is put on them; -> (n_shares, 3)."""
        logits = self.slope * np.clip(scores.ravel(), -_FARTHEST, _FARTHEST) + self.offset
        # With belief p the share p - (1-p) e^ε earns most, p ln(1 + s/e^ε) + (1-p) ln(1-s).
        sure = special.expit(np.abs(logits))
        share = np.maximum(sure - (1 - sure) * math.exp(epsilon), SHARES[-1] / 2)
        place = np.maximum(np.rint(-2 * np.log2(share / SHARES[0])), 0).astype(np.int64)
        is_wrong = ((logits > 0) != members.ravel()).astype(np.int64)
        code = np.where(place < len(SHARES), 3 * place + is_wrong, 2)
        return np.bincount(code, minlength=3 * len(SHARES)).reshape(-1, 3)


class Bets:
    """Bets against a claim: what is bet on now, and what was earned.

    The claim implies all points, of which the first is the one at which it is read; `runs` are the
    most that will be made. A true claim is refuted with probability `level` at most. Bettors are
    attacks, each with a range of shares of guessed runs, and half of the wealth the best belief.
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
        self._attacks = attacks
        n, m = len(attacks), len(self.points)
        self._counts: GuessCounts = np.zeros((n * RANGES, m, 3), dtype=np.int64)
        self._by_belief: GuessCounts = np.zeros((n, m, len(SHARES), 3), dtype=np.int64)
        self._runs, self._level = runs, level
        self._bets: list[tuple[Scorer, list[tuple[int, Cut, int]]]] = []
        self._belief: _Belief | None = None

    def learn(self, fitted: Sequence[Fitted], runs: Runs) -> None:
        """Choose cuts, a belief and points for the next runs by those that are made."""
        # Attacks learn anew after half as many runs again: all learning costs three times the last.
        self.next_learning = math.ceil(1.5 * len(runs.members))
        self._bets = []
        beliefs: list[tuple[float, _Belief]] = []
        for i, each in enumerate(fitted):
            scores, members = each.scores.ravel(), each.members.ravel()
            best: dict[int, tuple[float, Cut, int]] = {}
            belief = _Belief.of(i, each)
            for place, point in enumerate(self.points):
                for j, (cut, merit) in Cut.against(scores, members, *point).items():
                    if merit > best.get(j, (0.0,))[0]:
                        best[j] = merit, cut, place
                counts = belief.counts(scores, members, point[0])[None, None]
                earned = _log_earned(counts, [point], SHARES, _STAKES_OF_BELIEF[:1])
                beliefs.append((float(earned[0, 0]), attrs.evolve(belief, place=place)))
            cuts = [(i * RANGES + j, cut, place) for j, (_, cut, place) in best.items()]
            self._bets.append((each.score, cuts))
        earned_most, belief = max(beliefs, key=lambda each: each[0])
        self._belief = None
        if earned_most > _LEAST_GAIN:  # its slope is known, and it learns once more from all runs
            score = self._attacks[belief.attack].fit(runs)
            self._belief = attrs.evolve(belief, score=score)

    def place(self, part: Runs) -> bool:
        """Bet on runs, and say whether the claim is refuted."""
        for score, cuts in self._bets:
            scores = part.scores(score) if cuts else np.empty(0)
            for bettor, cut, place in cuts:
                made, right = counted(cut, scores, part.members)
                self._counts[bettor, place] += [right, made - right, scores.size - made]
        if (belief := self._belief) is not None and belief.score is not None:
            scores = part.scores(belief.score)
            counts = belief.counts(scores, part.members, self.points[belief.place][0])
            self._by_belief[belief.attack, belief.place] += counts
        return self._log_wealth(len(self.points), self.points) >= _goal(self._level)

    def best(self) -> tuple[str, GuessCounts]:
        """The attack that earned most, and its guesses: right, wrong and none."""
        cuts = [log_wealth_of(each[None], self.points, self._runs) for each in self._counts]
        most = int(np.argmax(cuts))
        by_belief = _log_earned(self._by_belief, self.points, SHARES, _STAKES_OF_BELIEF[:1])[:, 0]
        if by_belief.sum() > cuts[most]:
            name = self._attacks[int(np.argmax(by_belief))].name
            return name, np.asarray(self._by_belief.sum(axis=(0, 2)))
        return self._attacks[most // RANGES].name, self._counts[most]

    def limit(self, level: float) -> float:
        """The least ε that bets at the first point's δ do not refute; 0 where none is refuted."""
        # A run without a guess costs as much as with ε = 0, so that the wealth falls with ε.
        delta, goal = self.points[0][1], _goal(level)

        def refuted(epsilon: float) -> bool:
            return self._log_wealth(1, [(epsilon, delta)], idle=0.0) >= goal

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
            f"At δ = {in_full(delta)} it allows ε = {in_full(epsilon)}, and an attack is "
            "right more often than that allows.",
            breaks=True,
        )

    def _log_wealth(
        self, first: int, points: Sequence[tuple[float, float]], *, idle: float | None = None
    ) -> float:
        """ln of what bets at so many first points earned, if these are the points."""
        cuts = self._counts[:, :first, None]
        by_cuts = _log_earned(cuts, points, np.ones(1), _stakes(self._runs), idle=idle)
        beliefs = self._by_belief[:, :first]
        by_belief = _log_earned(beliefs, points, SHARES, _STAKES_OF_BELIEF, idle=idle).sum(axis=0)
        return _log_mean(np.array([_log_mean(by_cuts), _log_mean(by_belief)]))


def _goal(level: float) -> float:
    return -math.log(level) * (1 + _ROUNDING)
