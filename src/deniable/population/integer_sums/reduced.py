"""What is asked about a noisy sum, reduced to what the answer depends on."""

import math

import attrs
import numpy as np

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.bounds import epsilon_at
from deniable.population.integer_sums.chernoff_tilt import tilt_at
from deniable.population.integer_sums.multiset import Floats, Ints, Multiset
from deniable.population.integer_sums.release import Noise


@attrs.frozen(eq=False)
class Reduced:
    """ε̃ of one record of each target value.

    Parameters
    ----------
    problem : Multiset
        The records, by their distinct values, and the sample size.
    targets : int array, shape (n_targets,)
        Positions in `problem.values`, ascending.
    noise : DiscreteLaplace or DiscreteGaussian
        What is added to the sum.
    delta : float
        δ in [0, 1); above 0 for discrete Gaussian noise.
    """

    problem: Multiset
    targets: Ints
    noise: Noise
    delta: float

    def farthest(self) -> Ints:
        """How far each target is from the farthest other value, in units of the data."""
        values = self.problem.values
        own = values[self.targets]
        return np.asarray(np.maximum(own, values[-1] - own) * self.problem.step)

    def noise_alone(self) -> tuple[Floats, Floats]:
        """What holds without any work: 0, and the ε of exchanging the farthest of the targets."""
        most = epsilon_at(self.noise, float(self.farthest().max()), self.delta)
        return np.zeros(len(self.targets)), np.full(len(self.targets), most)

    def only(self, some: Ints) -> "Reduced":
        """The same of some targets, by their places or a mask."""
        return attrs.evolve(self, targets=self.targets[some])

    def likely_tilt(self) -> float:
        """The λ, for one column, up to which tilted sums carry what noisy outputs show.

        Laplace noise weighs a sum by at most e^(±1/b) a unit. With δ > 0, outputs beyond a few
        standard deviations are rarer than δ counts, and those before them are reached by less.
        """
        if self.delta == 0:
            return self.farthest_tilt()
        deviations = math.sqrt(2 * math.log(_RARER / self.delta)) + 1
        step = self.problem.step
        smooth = self.noise.scale / step if isinstance(self.noise, DiscreteGaussian) else 0.0
        likely = deviations / math.hypot(tilt_at(self.problem, 0.0).deviation, smooth)
        return min(self.farthest_tilt(), likely)

    def farthest_tilt(self) -> float:
        """The λ, for one column, beyond which no likely output weighs sums, outliers or not.

        Discrete Gaussian noise at a distance t weighs them by e^(t/σ²) a unit.
        """
        step, scale = self.problem.step, self.noise.scale
        if isinstance(self.noise, DiscreteLaplace):
            return step / scale
        far = float(self.problem.values[-1]) * step + _DEVIATIONS * scale
        return far / scale * step / scale


_RARER = 1e9
"""How much rarer than δ outputs are that no tilt is wanted for: their share of ε̃ is below 1e-9."""
_DEVIATIONS = 10.0
"""Standard deviations of Gaussian noise that are looked at: beyond, its mass is below 1e-22."""
