"""What the mechanisms have in common, as structural types."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.errors import validate
from deniable.notions import ZCDP, Adjacency, GaussianDP, PureDP

if TYPE_CHECKING:
    from deniable.numerics.effort import Generator as Generator
else:  # a type; what a release draws needs nothing of simulations
    from numpy.random import Generator  # noqa: TID251


def positive_scale(value: float) -> float:
    """The spread of some noise, finite and > 0."""
    return validate.positive(value, "scale")


class PrivateMechanism(Protocol):
    """A mechanism whose guarantee follows from how far its input moves between neighbours.

    A sensitivity is that of the input under the adjacency: the same query moves by different
    amounts under add-remove and replace-one, and a query states both.
    """

    def guarantee(self, sensitivity: Any, adjacency: Adjacency) -> PureDP | GaussianDP | ZCDP:
        """What holds for inputs that move by at most `sensitivity` between neighbours."""

    def delta(self, epsilon: float, sensitivity: Any) -> float:
        """The privacy curve: (ε, δ) holds for these inputs, rounded up."""


class AdditiveNoise(PrivateMechanism, Protocol):
    """Independent noise on every coordinate.

    `draws` simulates: its generator is NumPy's, in floating point, and must never reach a
    release. Releases draw in `pipeline/noise/sampler.py`.
    """

    @property
    def scale(self) -> float:
        """The spread of the noise, in units of the value."""

    def tail(self, t: float) -> float:
        """The probability that the noise is farther than t from 0."""

    def half_width(self, confidence: float) -> float:
        """A distance that the noise keeps within with at least this probability, in (0, 1)."""

    def draws(self, rng: Generator, n_draws: int) -> NDArray[np.float64] | NDArray[np.int64]:
        """Independent simulated noise; shape (n_draws,)."""
