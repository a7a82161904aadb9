import itertools
import math

import attrs
import numpy as np
import pytest

from deniable.correlation import AllOrNothing
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace
from deniable.numerics.bound import Evidence
from tests.cases.effort import one_in
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("members", "p", "epsilon"),
    one_in(3, [*itertools.product([1, 2, 7], [1e-3, 0.3, 0.5, 0.9], [0.1, 1.0])]),
)
def test_against_bayes_on_every_output(members, p, epsilon):
    y = np.arange(-50, 60)
    present = DiscreteLaplace(1 / epsilon).pmf(y - members)
    absent = DiscreteLaplace(1 / epsilon).pmf(y)
    posterior = p * present / (p * present + (1 - p) * absent)
    family = AllOrNothing(members, p, epsilon)
    assert family.posterior().upper == pytest.approx(posterior.max(), rel=1e-12)
    gamma = max((posterior / p).max(), ((1 - p) / (1 - posterior)).max())
    assert family.gamma().upper == pytest.approx(gamma, rel=1e-9)


def test_bounds_are_tight_enclosures():
    family = AllOrNothing(3, 0.25, 0.5)
    for bound in (family.posterior(), family.gamma(), family.gamma_over_priors()):
        assert bound.evidence is Evidence.ENCLOSURE
        assert bound.upper <= math.nextafter(bound.lower, math.inf)


def test_one_member_is_as_private_as_dp_says():
    assert AllOrNothing(1, 0.5, 1.0).gamma_over_priors().lower <= math.e
    assert AllOrNothing(1, 0.5, 1.0).gamma().upper < math.e


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.5, 1.0), "below-least: n_members | 1"),
        ((2, 0.0, 1.0), "not-between-0-and-1: probability"),
        ((2, 1.0, 1.0), "not-between-0-and-1: probability"),
        ((2, 0.5, 0.0), "not-above-0: epsilon"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with refuses(InvalidArgument, message):
        AllOrNothing(*arguments)


def test_is_a_frozen_value():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        AllOrNothing(2, 0.5, 1.0).epsilon = 2.0
