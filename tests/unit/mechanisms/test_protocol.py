import inspect

import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.mechanisms.exponential import ExponentialMechanism
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.mechanisms.protocol import AdditiveNoise, PrivateMechanism
from deniable.mechanisms.randomised_response import RandomisedResponse

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
    [(one, AdditiveNoise) for one in ADDITIVE] + [(one, PrivateMechanism) for one in OTHERS],
)
def test_every_mechanism_keeps_the_protocol(mechanism, protocol):
    assert promised(protocol)
    for name, member in promised(protocol):
        wanted = list(inspect.signature(member).parameters)
        given = list(inspect.signature(getattr(mechanism, name)).parameters)
        assert given[: len(wanted)] == wanted
