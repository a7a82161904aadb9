import inspect
from typing import Any, Protocol

import numpy as np
import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.mechanisms.randomised_response import RandomisedResponse
from deniable.notions import Adjacency
from deniable.numerics.effort import Generator


class PrivateMechanism(Protocol):
    """A mechanism whose guarantee follows from how far its input moves between neighbours.

    A sensitivity is that of the input under the adjacency: the same query moves by different
    amounts under add-remove and replace-one, and a query states both.
    """

    def guarantee(self, sensitivity: Any, adjacency: Adjacency) -> object:
        """What holds for inputs that move by at most `sensitivity` between neighbours."""

    def delta(self, epsilon: float, sensitivity: Any) -> float:
        """The privacy curve: (ε, δ) holds for these inputs, rounded up."""


class AdditiveMechanism(PrivateMechanism, Protocol):
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

    def draws(self, rng: Generator, n_draws: int) -> np.ndarray:
        """Independent simulated noise; shape (n_draws,)."""


ADDITIVE = [Laplace, DiscreteLaplace, Gaussian, DiscreteGaussian]
OTHERS = [ExponentialMechanism, RandomisedResponse]


def promised(protocol):
    return [
        (name, member)
        for base in protocol.__mro__
        for name, member in vars(base).items()
        if not name.startswith("_") and inspect.isfunction(member)
    ]


@pytest.mark.parametrize(
    ("mechanism", "protocol"),
    [(one, AdditiveMechanism) for one in ADDITIVE] + [(one, PrivateMechanism) for one in OTHERS],
)
def test_every_mechanism_keeps_the_protocol(mechanism, protocol):
    assert promised(protocol)
    for name, member in promised(protocol):
        wanted = list(inspect.signature(member).parameters)
        given = list(inspect.signature(getattr(mechanism, name)).parameters)
        assert given[: len(wanted)] == wanted
