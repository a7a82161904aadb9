"""Risk at a baseline: how often an adversary succeeds who has so much success without a release."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import attrs

from deniable.notions import ZCDP, Adjacency, ApproxDP, BaselineRisk, GaussianDP, RenyiDP
from deniable.numerics.rounding import UNIT, Ball, directed, least, upper
from deniable.theorems._theorem import check_every_size, check_neighbours, theorem
from deniable.theorems.renyi import best_order, is_excluded

# A test of level t has power at most g(t) = 1 − f(t). Where the record may be absent, success s at
# baseline b is a test of level b and power s: s <= g(b). Where it is exchanged, it is for two of K
# equally likely values one of level b(1 − s)/ω and power (1 − b)s/ω, ω = 1 − 1/K, and ω = 1 for
# values of any number and law (docs/explanation/risk-at-a-baseline.md).


@attrs.frozen
class Attack:
    """The tests that an attack amounts to: the baseline b exactly, and ω where it is exchanged."""

    baseline: Fraction
    different: Fraction | None

    def level_and_power(self, success: Ball) -> tuple[Ball, Ball]:
        """False-positive and true-positive rate of the test that has this success."""
        with directed() as r:
            b = r(self.baseline)
            if self.different is None:
                return b, success
            return b * (1 - success) / r(self.different), (1 - b) * success / r(self.different)

    def level_and_power_nearly(self, success: float) -> tuple[float, float]:
        """The same in float64, where they only say where to look."""
        b = float(self.baseline)
        if self.different is None:
            return b, success
        return b * (1 - success) / float(self.different), (1 - b) * success / float(self.different)

    def least_success(self, is_out_of_reach: Callable[[Ball, Ball], bool]) -> float:
        """The least float above which no test of level t and power p is within reach."""
        with directed() as r:

            def holds(success: float) -> bool:
                return is_out_of_reach(*self.level_and_power(r(success)))

            # Not from below b, which may be no float: a test worse than none is no attack.
            return least(holds, upper(r(self.baseline)), 1.0)


def attack_of(claim: BaselineRisk) -> Attack:
    """What a claimed risk says of tests."""
    baseline, candidates = Fraction(claim.baseline), claim.candidates
    if candidates is not None:
        baseline = Fraction(claim.named, candidates)
    if claim.adjacency is Adjacency.ADD_REMOVE:
        return Attack(baseline, None)
    return Attack(baseline, Fraction(1) if candidates is None else 1 - Fraction(1, candidates))


@theorem(
    "kulynych-2025; docs: risk at a baseline",
    states="@add-remove s = min(δ + e^ε b, 1 − e^−ε(1 − δ − b)); else "
    "s = (ωδ + e^ε b)/(1 − b + e^ε b), ω = 1 or 1 − 1/K.",
)
def approx_dp_to_baseline_risk(
    guarantee: ApproxDP, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    """(ε, δ)-DP bounds what an adversary with some success without the release has with it.

    The numbers are the least: add-remove mechanisms attain them, and so do replace-one mechanisms
    for K equally likely values; for values of any number they come as near as one likes.
    """
    check_every_size(guarantee)
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    attack = attack_of(claim)
    with directed() as r:
        b, delta = r(attack.baseline), r(guarantee.delta)
        e, rise = r.exp(guarantee.epsilon), r.expm1(guarantee.epsilon)
        if attack.different is None:
            success = r.min(delta + e * b, (rise + delta + b) / e)
        else:
            success = (r(attack.different) * delta + e * b) / (1 + rise * b)
        return attrs.evolve(claim, success=min(upper(success), 1.0))


@theorem(
    "kulynych-2025; docs: risk at a baseline",
    states="@add-remove s = Φ(Φ⁻¹(b) + μ + 2τ); else the s with "
    "Φ⁻¹((1 − b)s/ω) = Φ⁻¹(b(1 − s)/ω) + μ + 2τ, τ the slack.",
)
def gaussian_dp_to_baseline_risk(
    guarantee: GaussianDP, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    """Gaussian DP bounds what an adversary with some success without the release has with it.

    The numbers are the least where there is no slack, as in `approx_dp_to_baseline_risk`.
    """
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    attack = attack_of(claim)
    with directed() as r:
        shift = r(guarantee.mu) + 2 * r(guarantee.slack)
        if attack.baseline in (0, 1) or shift == 0:
            return attrs.evolve(claim, success=upper(r(attack.baseline)))
        if attack.different is None:
            success = r.normal_cdf(r.normal_quantile(r(attack.baseline)) + shift)
            return attrs.evolve(claim, success=min(upper(success), 1.0))

        def is_out_of_reach(level: Ball, power: Ball) -> bool:
            return bool(power >= r.normal_cdf(r.normal_quantile(level) + shift))

        return attrs.evolve(claim, success=attack.least_success(is_out_of_reach))


_SEARCHED = (math.log(1e-5), math.log(1e5))
"""ln(α − 1) of the orders that are searched; of so small a ρ as 1e-8 high ones say most."""
_LEAST = 5e-324
"""The least float above 0: a level that is smaller has its logarithm."""


@theorem(
    "bun-steinke-2016, Definition 1.1, and data processing; docs: risk at a baseline",
    states="The least s whose test, of level t and power p, has D_α(p‖t) > αρ or D_α(t‖p) > αρ "
    "for an order α.",
)
def zcdp_to_baseline_risk(
    guarantee: ZCDP, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    r"""Zero-concentrated DP bounds what an adversary with some success before has afterwards.

    D_α of two laws on two outputs, :math:`\ln(p^\alpha t^{1-\alpha} + (1-p)^\alpha
    (1-t)^{1-\alpha})/(\alpha - 1)`. With add-remove adjacency no smaller number holds where the
    best order is one of those searched, 1 + 1e-5 to 1 + 1e5; with replace-one that is not known.
    """
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    attack = attack_of(claim)
    with directed() as r:
        if attack.baseline in (0, 1) or guarantee.rho == 0:
            return attrs.evolve(claim, success=upper(r(attack.baseline)))
        order = best_order(lambda a: -_excluded_success(attack, a, guarantee.rho), within=_SEARCHED)
        divergence = r(order) * r(guarantee.rho)
        success = attack.least_success(partial(is_excluded, order, divergence))
        return attrs.evolve(claim, success=success)


@theorem(
    "mironov-2017, and data processing; docs: risk at a baseline",
    states="The least s whose test, of level t and power p, has D_α(p‖t) > ε or D_α(t‖p) > ε for "
    "an order α that is known.",
)
def renyi_dp_to_baseline_risk(
    guarantee: RenyiDP, baseline: float, candidates: int | None = None
) -> BaselineRisk:
    """Rényi DP bounds what an adversary with some success before has afterwards."""
    claim = BaselineRisk(1.0, baseline, guarantee.adjacency, candidates)
    attack = attack_of(claim)
    with directed() as r:
        least_of_all = upper(r(attack.baseline))
        if attack.baseline in (0, 1) or any(bound == 0 for _, bound in guarantee.points):
            return attrs.evolve(claim, success=least_of_all)
        reached = [
            attack.least_success(partial(is_excluded, order, r(bound)))
            for order, bound in guarantee.points
            if bound < math.inf
        ]
        return attrs.evolve(claim, success=min([1.0, *reached]))


def _rate(first: tuple[float, float], second: tuple[float, float], order: float) -> float:
    """D_α/α of two laws on two outputs, given by the logarithms of their probabilities."""
    high, low = sorted(
        (order * p + (1 - order) * t for p, t in zip(first, second, strict=True)), reverse=True
    )
    return (high + math.log1p(math.exp(low - high))) / (order * (order - 1))


def _excluded_success(attack: Attack, order: float, rho: float) -> float:
    """Nearly the least success that an order excludes: floats will do to choose an order."""

    def is_excluded(success: float) -> bool:
        # Of level and power, and of what they leave.
        rates = attack.level_and_power_nearly(success)
        level, power = [(math.log(x or _LEAST), math.log1p(-min(x, 1 - UNIT))) for x in rates]
        return max(_rate(power, level, order), _rate(level, power, order)) > rho

    return least(is_excluded, float(attack.baseline), 1 - UNIT, tolerance=1e-12)


@theorem("definition", states="A bound for a record that may be absent also holds if it is there.")
def baseline_risk_to_replace_one_baseline_risk(guarantee: BaselineRisk) -> BaselineRisk:
    """Secrets about a record that is in the data are among those about one that may be."""
    check_neighbours(guarantee, Adjacency.ADD_REMOVE)
    return attrs.evolve(guarantee, adjacency=Adjacency.REPLACE_ONE)
