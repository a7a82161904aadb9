"""Composition of what one release publishes, and the largest budget that meets a requirement.

Releases with δ > 0 draw discrete Gaussian noise and Gumbel noisy maxima; their costs add up in
ρ (zCDP). Where every part is Gaussian noise the sharper Gaussian curve holds as well, with the
lattice slack of `discrete_gaussian_to_gaussian_dp`. Whichever allows more is taken; both are
proved. Where keys are published that nobody knows beforehand, the costs are those of the noise, but
for a probability that keys of one entity alone appear (`pipeline.noise.thresholds`).
"""

import enum
import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from deniable.errors import NotApplicable
from deniable.errors.late import late
from deniable.notions import (
    ZCDP,
    Adjacency,
    Advantage,
    ApproxDP,
    ApproxZCDP,
    GaussianDP,
    PrivacyLossTail,
    Setting,
)
from deniable.numerics.rounding import directed, greatest_within, least_within, upper
from deniable.theorems.attacks import (
    approx_zcdp_to_advantage,
    gaussian_dp_to_advantage,
    zcdp_to_advantage,
)
from deniable.theorems.gaussian import gaussian_dp_to_approx_dp, gaussian_dp_to_privacy_loss_tail
from deniable.theorems.pure_and_approximate import (
    approx_zcdp_to_approx_dp,
    approx_zcdp_to_privacy_loss_tail,
    zcdp_to_approx_dp,
    zcdp_to_privacy_loss_tail,
)

if TYPE_CHECKING:
    from deniable.notions.households import Households
    from deniable.theorems import households as tied
else:  # for plans about people who belong together
    tied = late("deniable.theorems.households")

Requirement: TypeAlias = PrivacyLossTail | ApproxDP | Advantage
"""What the composed release has to satisfy."""

LARGEST_RHO = 1000.0
"""The largest ρ of a composition that is searched; more protects nobody."""
_LARGEST_EPSILON = 5000.0
"""ε up to which a tail is searched; e^5000 is no odds that anybody states."""
_REMEMBERED = 256
"""Searches whose answers are kept: a release and its check ask for one of them several times."""


class Route(enum.Enum):
    """The route by which a composition meets its requirement."""

    CONCENTRATED = "total rho"
    GAUSSIAN = "Gaussian curve"
    APPROXIMATE = "total rho but for keys of one entity"


@attrs.frozen
class Composition:
    """A total ρ, to which the parts may add up, and the route by which it meets its requirement.

    `slack` is the lattice slack per unit of μ if all parts are Gaussian noise, √κ, and None
    otherwise; `exposure` the probability that keys of one entity alone appear.
    """

    rho: float
    route: Route
    slack: float | None
    adjacency: Adjacency
    exposure: float = 0.0

    @property
    def zcdp(self) -> ZCDP:
        """The composed guarantee in ρ."""
        if self.exposure:
            raise NotApplicable("Expected keys that are public, got some that nobody knows.")
        return ZCDP(self.rho, self.adjacency)

    @property
    def approx_zcdp(self) -> ApproxZCDP:
        """The same but for the keys of one entity."""
        return ApproxZCDP(self.rho, self.exposure, self.adjacency)

    @property
    def gaussian(self) -> GaussianDP:
        """The composed Gaussian guarantee, rounded up."""
        if self.slack is None:
            raise NotApplicable("Expected Gaussian noise in every part, got selections too.")
        with directed() as r:
            mu = r.sqrt(2 * r(self.rho))
            return GaussianDP(upper(mu), self.adjacency, upper(mu * r(self.slack)))

    @property
    def spent(self) -> ZCDP | ApproxZCDP | GaussianDP:
        """The composed guarantee by its route."""
        match self.route:
            case Route.CONCENTRATED:
                return self.zcdp
            case Route.GAUSSIAN:
                return self.gaussian
            case Route.APPROXIMATE:
                return self.approx_zcdp


def is_satisfied(composition: Composition, requirement: Requirement) -> bool:
    """Whether the theorem of the composition's route gives the requirement."""
    return _value(composition, requirement) <= _limit(requirement)


@functools.lru_cache(maxsize=_REMEMBERED)
def largest_rho(
    requirement: Requirement,
    slack: float | None,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    exposure: float = 0.0,
) -> Composition:
    """The largest total ρ that meets the requirement of all together by some route, by bisection.

    `slack` is √κ, κ = Σ_q f_q d_q / Δ_q² over the parts q, f_q their shares of ρ; 0 for continuous
    noise; None if some part is no Gaussian noise.
    """
    compositions = []
    for route in _open_routes(slack, exposure):
        spent = Composition(0.0, route, slack, adjacency, exposure)

        def value(rho: float, spent: Composition = spent) -> float:
            return _value(attrs.evolve(spent, rho=rho), requirement)

        rho = greatest_within(value, _limit(requirement), 0.0, LARGEST_RHO)
        compositions.append(attrs.evolve(spent, rho=rho))
    return max(compositions, key=lambda composition: composition.rho)


def least_loss(
    composition: Composition, exceedance: float, households: "Households | None" = None
) -> PrivacyLossTail:
    """The smallest ε that the loss, about any household's member, passes so rarely at most."""
    wanted = PrivacyLossTail(0.0, exceedance, composition.adjacency, households)
    return attrs.evolve(wanted, epsilon=_least_epsilon(composition, wanted))


def least_approx_dp(composition: Composition, delta: float) -> ApproxDP:
    """The smallest ε with which the composition is (ε, δ)-DP."""
    wanted = ApproxDP(0.0, delta, composition.adjacency)
    return attrs.evolve(wanted, epsilon=_least_epsilon(composition, wanted))


@functools.lru_cache(maxsize=_REMEMBERED)
def _least_epsilon(composition: Composition, wanted: PrivacyLossTail | ApproxDP) -> float:
    routes = _open_routes(composition.slack, composition.exposure)

    def value(epsilon: float) -> float:
        target = attrs.evolve(wanted, epsilon=epsilon)
        return min(_value(attrs.evolve(composition, route=route), target) for route in routes)

    return least_within(value, _limit(wanted), 0.0, _LARGEST_EPSILON)


def least_advantage(composition: Composition, households: "Households | None" = None) -> Advantage:
    """The smallest bound on the advantage, about any household's member, that it gives."""
    wanted = Advantage(1.0, Setting(composition.adjacency), households)
    routes = _open_routes(composition.slack, composition.exposure)
    values = [_value(attrs.evolve(composition, route=route), wanted) for route in routes]
    return attrs.evolve(wanted, value=min(values))


def lattice_slack(parts: Sequence[tuple[Fraction | float, float, int]]) -> float:
    """√κ from (share of ρ, L2 sensitivity in whole numbers, coordinates moved), rounded up."""
    with directed() as r:
        kappa = r(0)
        for share, l2, moved in parts:
            kappa += r(share) * r(moved) / r(l2) ** 2
        return upper(r.sqrt(kappa))


def noise_multiplier(gaussian: GaussianDP) -> float:
    """Standard deviation of the noise per unit of L2 sensitivity, 1/μ rounded up."""
    if gaussian.mu == 0:
        return math.inf
    with directed() as r:
        return upper(1 / r(gaussian.mu))


def theorem_of(composition: Composition, requirement: Requirement) -> Callable[..., Any]:
    """The theorem that gives the requirement by the composition's route."""
    if _households(requirement) is None:
        return _THEOREMS[type(requirement)][composition.route]
    gaussian = composition.route is Route.GAUSSIAN
    if isinstance(requirement, Advantage):
        if gaussian:
            return tied.gaussian_dp_to_advantage_of_households
        return tied.zcdp_to_advantage_of_households
    if gaussian:
        return tied.gaussian_dp_to_privacy_loss_tail_of_households
    return tied.zcdp_to_privacy_loss_tail_of_households


def _households(requirement: Requirement) -> "Households | None":
    """The households whose members a requirement speaks of; None where it speaks of one entity."""
    return None if isinstance(requirement, ApproxDP) else requirement.households


def _value(composition: Composition, requirement: Requirement) -> float:
    """The number that the theorem of the composition's route gives where a requirement has one."""
    guarantee = composition.spent
    theorem = theorem_of(composition, requirement)
    households = _households(requirement)
    about = () if households is None else (households,)
    match requirement:
        case PrivacyLossTail():
            return float(theorem(guarantee, requirement.epsilon, *about).exceedance)
        case ApproxDP():
            return float(theorem(guarantee, requirement.epsilon).delta)
        case Advantage():
            return float(theorem(guarantee, *about).value)


def _limit(requirement: Requirement) -> float:
    """The number that a theorem's must not pass."""
    match requirement:
        case PrivacyLossTail():
            return requirement.exceedance
        case ApproxDP():
            return requirement.delta
        case Advantage():
            return requirement.value


def _open_routes(slack: float | None, exposure: float) -> list[Route]:
    if exposure:
        return [Route.APPROXIMATE]
    return [Route.CONCENTRATED] if slack is None else [Route.CONCENTRATED, Route.GAUSSIAN]


_THEOREMS: dict[type, dict[Route, Callable[..., Any]]] = {
    PrivacyLossTail: {
        Route.CONCENTRATED: zcdp_to_privacy_loss_tail,
        Route.GAUSSIAN: gaussian_dp_to_privacy_loss_tail,
        Route.APPROXIMATE: approx_zcdp_to_privacy_loss_tail,
    },
    ApproxDP: {
        Route.CONCENTRATED: zcdp_to_approx_dp,
        Route.GAUSSIAN: gaussian_dp_to_approx_dp,
        Route.APPROXIMATE: approx_zcdp_to_approx_dp,
    },
    Advantage: {
        Route.CONCENTRATED: zcdp_to_advantage,
        Route.GAUSSIAN: gaussian_dp_to_advantage,
        Route.APPROXIMATE: approx_zcdp_to_advantage,
    },
}
"""What gives each kind of requirement by each route."""
