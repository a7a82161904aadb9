"""One record's interval of ε̃: a pilot plans lists and bets, fresh draws decide them.

X(ε) = max(0, 1 − e^ε/ratio) in [0, 1] has a mean D(ε) that falls with ε. If D(ε) ≥ δ, the gains
δ − X(ε) are to be bet on (`computing/confidence_limits.py`) with stakes 0 ≤ λ_j < 1/(1−δ). The
largest ε whose capital stays below 1/α is too small with probability at most α, whenever one stops.
"""

import math
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from deniable.computing.confidence_limits import WEIGHTS, best_stakes, log_capital
from deniable.computing.parallel import Arrays
from deniable.errors import validate
from deniable.numerics.effort import Effort
from deniable.numerics.search import bisect
from deniable.population.question import Floats
from deniable.population.vector_sums.guided_subsets import IN, OUT, RecordWorlds, Worlds

LEAST_SCALE = 0.03  # ε, below which precision is relative to this: nobody needs 1 % of 0.001
ROUNDING = 1e-9
"""Error of ln ratio that is allowed for, against the claim."""
_BOLDEST_BET = 0.95  # Largest stake, as a share of that at which one draw takes all
HALVINGS = 50  # Halvings of the interval of ε: to 2^−50 of it


def _non_negative(value: Any) -> tuple[float, ...]:
    return tuple(validate.non_negative(each, "stake") for each in value)


@attrs.frozen
class BettingBound:
    """An upper confidence limit of the ε at which D(ε) = δ, by bets against D(ε) ≥ δ.

    >>> bound = BettingBound(0.5, [1.0], [1.0])
    >>> round(bound.upper_limit(np.full(100, 1.0), 0.05), 3) # the ratio is e, always
    0.366
    """

    delta: float  # δ in (0, 1)
    # λ_j in [0, 1/(1−δ)), chosen without looking at the draws they are bet on.
    stakes: tuple[float, ...] = attrs.field(converter=_non_negative)
    # w_j ≥ 0, adding up to at most 1.
    weights: tuple[float, ...] = attrs.field(converter=_non_negative)

    @classmethod
    def from_pilot(cls, pilot: Floats, delta: float, precision: float) -> "BettingBound":
        """Stakes that would find ε to about a relative `precision`, judged from pilot draws."""
        epsilon = estimate_epsilon(pilot, delta)
        losses = hockey_stick(pilot, epsilon + precision * max(epsilon, LEAST_SCALE))
        # The mean of δ − X, and its variance, at the ε that is to be refuted.
        mean = max(delta - float(losses.mean()), delta / 100)
        variance = max(float(losses.var()), delta * delta, 1e-300)
        return cls(delta, best_stakes(mean, variance, _BOLDEST_BET / (1 - delta)), WEIGHTS)

    def log_capital(self, log_ratios: Floats, epsilon: float, *, harmless: int = 0) -> float:
        """ln of the capital won against D(ε) ≥ δ; `harmless` more draws show no loss at ε."""
        # G_i = δ − X_i; draws without a loss win δ each.
        losses = hockey_stick(log_ratios[log_ratios > epsilon], epsilon)
        without_loss = harmless + len(log_ratios) - len(losses), self.delta
        return log_capital(self.delta - losses, self.stakes, self.weights, further=without_loss)

    def expected_draws(self, pilot: Floats, alpha: float) -> int:
        """How many draws the first stake is meant for, judged from the pilot."""
        # Near the true ε the capital grows by about λ²·variance/2 a draw, in logarithm.
        stake = self.stakes[0]
        epsilon = estimate_epsilon(pilot, self.delta)
        variance = max(float(hockey_stick(pilot, epsilon).var()), self.delta * self.delta)
        return math.ceil(2 * math.log(1 / alpha) / max(stake * stake * variance, 1e-300))

    def upper_limit(
        self, log_ratios: ArrayLike, alpha: float, *, least: float = 0.0, harmless: int = 0
    ) -> float:
        """The largest ε ≥ `least` that the draws do not refute at level α; infinite if they cannot.

        Of ln ratios of independent draws, which may be +∞, and of so many harmless ones more, whose
        ln ratio is at most `least`: what is refuted below that is not asked. α is the probability
        of a limit below the truth, in (0, 1).
        """
        # The capital rises with ε: halve for the largest ε at which it is below 1/α, and return
        # the end above.
        ratios = np.asarray(log_ratios, np.float64) + ROUNDING
        enough = math.log(1 / alpha)
        most = max(_largest(ratios), least)

        def stands(epsilon: float) -> bool:
            return self.log_capital(ratios, epsilon, harmless=harmless) < enough

        if stands(most):
            return math.inf
        return bisect(stands, least, most, halvings=HALVINGS)[1] if stands(least) else least


def hockey_stick(log_ratios: Floats, epsilon: float) -> Floats:
    """X(ε) = max(0, 1 − e^ε/ratio) of each draw."""
    return -np.expm1(np.minimum(epsilon - log_ratios, 0.0))


def estimate_epsilon(log_ratios: Floats, delta: float) -> float:
    """Estimate where the mean of X(ε) falls to δ, at least 0: no bound."""

    def above(epsilon: float) -> bool:
        return float(hockey_stick(log_ratios, epsilon).mean()) > delta

    return bisect(above, 0.0, _largest(log_ratios), halvings=HALVINGS)[1]


def _largest(log_ratios: Floats) -> float:
    """The largest finite ln ratio, at least 0."""
    return max(float(log_ratios[np.isfinite(log_ratios)].max(initial=0.0)), 0.0)


# --- Lower confidence limits of ε by a real attack: it looks at the release alone.
#
# Let A be an event of the release alone and ρ = f_in/f_out the ratio of the joint densities of
# release and hidden list. Draw the world by a fair coin; then
#
# .. math:: P_\mathrm{in}(A) - e^\epsilon P_\mathrm{out}(A)
#           = E\Bigl[ 2 \frac{\rho - e^\epsilon}{\rho + 1} 1_A \Bigr],
#
# and bets against this mean being at most δ give a lower limit of ε.

_BOLDEST = 0.9  # Largest stake, as a share of that at which one bad draw takes all capital
_CUTS = np.linspace(0.05, 0.995, 80)  # Quantiles of the score at which a cut is tried on the pilot


@attrs.frozen
class ThresholdAttack:
    """An attack that fires where sign·score > cut, and what is bet on its success."""

    # sign, cut: the event A; with sign −1 it speaks for the "out" world.
    sign: float
    cut: float
    delta: float  # δ
    # stakes, weights: λ_j ≥ 0 with λ_j (2 e^most + δ) < 1, and how the capital is shared among
    # them; fixed before the draws.
    stakes: tuple[float, ...]
    weights: tuple[float, ...]
    # The largest ε that can be reported: gains reach down to −2e^ε, and bets must cover that.
    most: float

    @classmethod
    def from_pilot(
        cls, ratios: Worlds, scores: Worlds, sign: float, delta: float, precision: float
    ) -> "ThresholdAttack":
        """The best cut and stakes, judged from pilot draws of both worlds.

        `ratios` hold ln ρ = ln f_in/f_out in both worlds.
        """
        own = sign * scores[0 if sign > 0 else 1]
        estimate, cut = max(
            (_estimate_epsilon(ratios, scores, sign, float(c), delta), float(c))
            for c in np.quantile(own, _CUTS)
        )
        most = 1.1 * estimate + 0.1
        aim = max(estimate - precision * max(estimate, LEAST_SCALE), 0.0)
        attack = cls(sign, cut, delta, (), (), most)
        gains = attack.gains(ratios, scores, aim)
        mean = max(float(gains.mean()) - delta, delta / 100)
        variance = max(float(gains.var()), delta * delta)
        largest = _BOLDEST / (2 * math.exp(most) + delta)
        return attrs.evolve(attack, stakes=best_stakes(mean, variance, largest), weights=WEIGHTS)

    def gains(self, ratios: Worlds, scores: Worlds, epsilon: float) -> Floats:
        """One number for each draw of "in" with its draw of "out"; their mean is the advantage."""
        # 2 (ρ − e^ε)/(ρ + 1) over a fair coin: one draw of each world, 1_A (π − e^ε (1 − π)) from
        # each, π = ρ/(ρ + 1) for "in".
        factor = math.exp(epsilon)
        total = np.zeros(min(len(ratios[0]), len(ratios[1])))
        for ratio, score in zip(ratios, scores, strict=True):
            short = slice(0, len(total))
            fires = self.sign * score[short] > self.cut
            posterior = expit(self.sign * ratio[short][fires] - ROUNDING)
            total[fires] += posterior - factor * (1 - posterior)
        return total

    def lower_limit(self, ratios: Worlds, scores: Worlds, alpha: float) -> float:
        """The largest ε that the draws refute at level α; 0 if none."""
        enough = math.log(1 / alpha)

        def refuted(epsilon: float) -> bool:
            gains = self.gains(ratios, scores, epsilon) - self.delta
            return log_capital(gains, self.stakes, self.weights) >= enough

        return bisect(refuted, 0.0, self.most, halvings=HALVINGS)[0] if refuted(0.0) else 0.0


def _estimate_epsilon(
    ratios: Worlds, scores: Worlds, sign: float, cut: float, delta: float
) -> float:
    """The ε at which the attack's advantage falls to δ: an estimate, at least 0."""
    own, other = 0.0, 0.0
    for ratio, score in zip(ratios, scores, strict=True):
        posterior = expit(sign * ratio[sign * score > cut])
        own += float(posterior.sum()) / len(ratio)
        other += float((1 - posterior).sum()) / len(ratio)
    return max(math.log((own - delta) / other), 0.0) if own > delta and other > 0 else 0.0


PILOT, FRESH, FITTING, CEILING, SHARED = 0, 1, 6, 8, 9  # Stages with random numbers of their own
PILOT_CANDIDATES = 4  # Length of a pilot's lists: three fresh candidates show their variance
_LIST_VARIANCE = 1 / 12  # Of ln ratio, in units of gap · (squared shift): below the gap in ε̃
_LEAST_SHIFT = 0.05  # Standard deviations: records that move less are planned for so
_PATIENCE = 6  # Multiples of the draws that the bets are meant for after which more would not help


class Release(Protocol):
    """What is released, by which records can be bracketed one by one."""

    most_candidates: ClassVar[int]  # The longest list: more takes longer than it saves

    @property
    def pilot_draws(self) -> int:
        """How many draws plan the rest."""

    def worlds(self, record: int) -> RecordWorlds:
        """One record in the sample, and out of it."""

    def directions(self) -> tuple[Floats, Floats]:
        """A score's slope and the length of the shift, for every record."""

    def block_draws(self, candidates: int) -> int:
        """How many draws make one block of work."""

    def decisions(self, candidates: int) -> float:
        """What one draw of both worlds takes, in decisions of a `Budget`."""


@attrs.frozen(eq=False)
class IntervalTask:
    """Draws of one record in both worlds, at one place of the random numbers."""

    release: Release
    record: int
    candidates: int
    n_draws: int
    effort: Effort
    place: tuple[int, ...]


def draw(task: IntervalTask) -> Arrays:
    """ln f_in/f_out and scores, worlds first; and the variance that one candidate adds."""
    worlds = task.release.worlds(task.record)
    slope = task.release.directions()[0][task.record]
    both = [
        worlds.draws(
            task.effort.generator(*task.place, task.record, world),
            world,
            task.candidates,
            task.n_draws,
            slope,
        )
        for world in (IN, OUT)
    ]
    return {
        "log_ratios": np.stack([each.log_ratios for each in both]),
        "scores": np.stack([each.scores for each in both]),
        "variance": np.array([each.variance for each in both]),
    }


@attrs.frozen(eq=False)
class IntervalPlan:
    """What a pilot decides for one record, before any draw that counts."""

    record: int  # Position in the parent set
    candidates: int  # Length K of every list
    most_draws: int  # Draws after which more would not help
    bounds: tuple[BettingBound, BettingBound]  # Of the ε at which D(in‖out) = δ, and D(out‖in)
    attack: ThresholdAttack | None  # For the lower bound, where none is known

    @classmethod
    def from_pilot(
        cls,
        pilot: Arrays,
        task: IntervalTask,
        delta: float,
        gap: float,
        alpha: float,
        *,
        attack: bool,
    ) -> "IntervalPlan":
        """Read a pilot's draws.

        The gap is the relative width that is wanted, α the failure probability of the upper bound;
        with `attack` a lower bound is wanted from the draws.
        """
        ratios, scores = _worlds(pilot["log_ratios"]), _worlds(pilot["scores"])
        # A list of K adds (variance of one candidate)/K to the variance of ln ratio.
        shift = max(float(task.release.directions()[1][task.record]), _LEAST_SHIFT)
        allowed = gap * shift**2 * _LIST_VARIANCE
        variance = float(np.asarray(pilot["variance"], np.float64).max())
        candidates = math.ceil(min(variance / allowed, task.release.most_candidates))
        precision = gap / 2  # What bets are planned for; lists have the rest
        own_first = ratios[IN], -ratios[OUT]
        bounds = (
            BettingBound.from_pilot(own_first[IN], delta, precision),
            BettingBound.from_pilot(own_first[OUT], delta, precision),
        )
        enough = max(
            bound.expected_draws(logs, alpha) for bound, logs in zip(bounds, own_first, strict=True)
        )
        best = None
        if attack:
            into, out = (estimate_epsilon(logs, delta) for logs in own_first)
            sign = 1.0 if into >= out else -1.0
            best = ThresholdAttack.from_pilot(ratios, scores, sign, delta, precision)
        return cls(task.record, max(candidates, 1), _PATIENCE * enough, bounds, best)


@attrs.frozen
class FailureProbability:
    """How often an upper bound, and a lower one, may be wrong.

    The two directions of one end share nothing: the largest of two limits falls below the truth
    only if the limit of the direction that attains it does.
    """

    upper: float
    lower: float

    @classmethod
    def of(
        cls, effort: Effort, records: int, *, lower_given: bool, largest: bool = False
    ) -> "FailureProbability":
        """A record's equal share of 1 − confidence: three quarters for its upper bound.

        All of it where the lower bound is given. Where only the largest upper bound has to hold,
        every upper bound gets the share of all: it fails only if that of the record that attains ε̃
        does.

        >>> alpha = FailureProbability.of(Effort(confidence=0.9), 2, lower_given=False)
        >>> round(alpha.upper, 4), round(alpha.lower, 4)
        (0.0375, 0.0125)
        """
        alpha = (1 - effort.confidence) * (1 - 1e-12)
        upper, lower = (alpha, 0.0) if lower_given else (0.75 * alpha, 0.25 * alpha)
        return cls(upper if largest else upper / records, lower / records)


@attrs.define(eq=False)
class RunningInterval:
    """A plan and the draws so far; both ends hold whenever one stops."""

    plan: IntervalPlan
    alpha: FailureProbability
    lower: float = 0.0
    upper: float = math.inf
    n_draws: int = 0
    _ratios: list[Floats] = attrs.field(factory=list)
    _scores: list[Floats] = attrs.field(factory=list)

    def add(self, block: Arrays) -> None:
        """Take a block of fresh draws."""
        self._ratios.append(block["log_ratios"])
        self._scores.append(block["scores"])
        self.n_draws += block["log_ratios"].shape[1]

    def update(self) -> None:
        """Both ends, from all draws so far."""
        if not self._ratios:
            return
        ratios = _worlds(np.concatenate(self._ratios, axis=1))
        own_first = ratios[IN], -ratios[OUT]
        self.upper = max(
            bound.upper_limit(logs, self.alpha.upper)
            for bound, logs in zip(self.plan.bounds, own_first, strict=True)
        )
        if self.plan.attack is not None:
            scores = _worlds(np.concatenate(self._scores, axis=1))
            self.lower = self.plan.attack.lower_limit(ratios, scores, self.alpha.lower)

    def is_done(self, gap: float, floor: float = 0.0) -> bool:
        """Whether the gap is reached, or more draws would not help.

        `floor` is what the largest ε̃ is known to reach, where only the largest is asked for.
        """
        lower = max(self.lower, floor)
        narrow = self.upper <= lower + gap * max(lower, LEAST_SCALE)
        return narrow or self.n_draws >= self.plan.most_draws


def _worlds(both: NDArray[np.generic]) -> Worlds:
    """Draws of "in" and of "out"; (2, n_draws) -> two of (n_draws,)."""
    numbers = np.asarray(both, np.float64)
    return numbers[IN], numbers[OUT]
