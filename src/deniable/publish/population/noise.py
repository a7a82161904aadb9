"""The noise of all parts as one thing: made larger by a common factor, and the DP it then has."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

import attrs

from deniable.errors import InfeasibleTarget
from deniable.mechanisms import Mechanism
from deniable.notions import Adjacency, ApproxDP
from deniable.numerics.rounding import directed, least, upper
from deniable.pipeline.noise import Part, PublicPart, claimed_loss
from deniable.theorems.analysis import Calibration, Composition, Route, is_satisfied, largest_rho

PlannedNoise: TypeAlias = Sequence[tuple[Part, Mechanism | None]]
"""All parts of a plan in order; None beside what is public."""

_LARGEST_EPSILON = 5000.0
"""ε up to which the curve of Gaussian noise is searched; e^5000 is no odds that anybody states."""
_OUTWARDS = 1 + 2.0**-40
"""A factor's room for rounding where it is computed backwards."""


M = TypeVar("M", bound=Mechanism)


def larger(mechanism: M, factor: float) -> M:
    """The mechanism with its scale times the factor; never less noise."""
    made: M = attrs.evolve(mechanism, scale=mechanism.scale * factor)
    return made


@attrs.frozen
class Everybody:
    """The differential privacy of all parts together, whatever anybody knows.

    `noise` is as the floor needs it, and so is `slack`, of the lattice in the floor's composition;
    None with selections. With `gaussian` parts add up in ρ, and not in ε.
    """

    noise: PlannedNoise
    slack: float | None
    gaussian: bool

    @classmethod
    def of(cls, noise: PlannedNoise, calibration: Calibration) -> "Everybody":
        """Return the noise of a calibrated floor."""
        composition = calibration.composition
        slack = None if composition is None else composition.slack
        return cls(noise, slack, composition is not None)

    def spent(self, factor: float) -> float:
        """ε or ρ of all parts with their noise times the factor, rounded up."""
        total = Fraction(0)
        for part, mechanism in self.noise:
            if mechanism is not None and not isinstance(part, PublicPart):
                total += Fraction(claimed_loss(larger(mechanism, factor), part))
        with directed() as r:
            return upper(r(total))

    def epsilon(self, factor: float, delta: float) -> float:
        """The least ε at this δ, rounded up; infinite for Gaussian noise at δ = 0."""
        spent = self.spent(factor)
        if not self.gaussian:
            return spent
        if not delta:
            return float("inf")

        def holds(epsilon: float) -> bool:
            wanted = ApproxDP(epsilon, delta, Adjacency.REPLACE_ONE)
            return any(is_satisfied(each, wanted) for each in self._routes(spent))

        return least(holds, 0.0, _LARGEST_EPSILON)

    def factor_for(self, epsilon: float, delta: float) -> float:
        """The least factor at which (ε, δ)-DP holds, and at least 1; a little above it."""
        if not self.gaussian:
            most = epsilon
            factor = max(self.spent(1.0) / most, 1.0)
        else:
            most = largest_rho(
                ApproxDP(epsilon, delta, Adjacency.REPLACE_ONE), self.slack
            ).rho  # fmt: skip
            if most <= 0:
                raise InfeasibleTarget(
                    f"Expected a population target that some noise meets, got epsilon={epsilon} "
                    f"at delta={delta}. Choose a larger target, or a larger delta."
                )
            factor = max((self.spent(1.0) / most) ** 0.5, 1.0)
        while self.spent(factor) > most:
            factor *= _OUTWARDS
        return factor

    def _routes(self, rho: float) -> list[Composition]:
        routes = [Route.CONCENTRATED] if self.slack is None else list(Route)
        return [Composition(rho, route, self.slack, Adjacency.REPLACE_ONE) for route in routes]
