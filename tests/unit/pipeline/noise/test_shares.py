import math

import attrs
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteLaplace, NoisyTopK
from deniable.pipeline.noise import (
    LEAST_SCALE,
    MOST_SENSITIVE,
    SelectionPart,
    Share,
    VectorPart,
    calibrate_mechanism,
    claimed_loss,
    sampler,
)
from tests.cases.refusals import refuses

COUNTS = VectorPart("count", 1.0, coordinates=3, l1=2, l2=math.sqrt(2), moved=2)
TOP = SelectionPart("top", 1.0, 2, 4, number=2, sensitivity=3, monotone=False)


def test_a_share_is_exactly_one_finite_positive_number():
    assert Share(epsilon=2).amount == 2.0
    assert Share(None, 0.5).amount == 0.5
    for wrong in ({}, {"epsilon": 1.0, "rho": 1.0}):
        with refuses(InvalidArgument, "exactly-one-of-epsilon"):
            Share(**wrong)
    for value in (0.0, -1.0, math.inf, math.nan):
        with refuses(InvalidArgument, "names-argument: epsilon"):
            Share(epsilon=value)
        with refuses(InvalidArgument, "names-argument: rho"):
            Share(rho=value)


def test_calibrated_chooses_the_mechanism_by_part_and_share():
    assert calibrate_mechanism(COUNTS, Share(epsilon=0.5)) == DiscreteLaplace(4.0)
    assert calibrate_mechanism(COUNTS, Share(rho=0.5)).name == "discrete-gaussian"
    assert calibrate_mechanism(COUNTS, Share(rho=0.5)).scale == pytest.approx(math.sqrt(2))
    assert calibrate_mechanism(TOP, Share(epsilon=1.5)) == NoisyTopK(8.0, 2, "exponential")
    assert calibrate_mechanism(TOP, Share(rho=0.25)) == NoisyTopK(6.0, 2, "gumbel")
    monotone = attrs.evolve(TOP, monotone=True)
    assert calibrate_mechanism(monotone, Share(epsilon=1.5)) == NoisyTopK(4.0, 2, "exponential")
    assert calibrate_mechanism(monotone, Share(rho=0.25)) == NoisyTopK(3.0, 2, "gumbel")


@pytest.mark.parametrize("share", [Share(epsilon=1e9), Share(rho=1e9)])
@pytest.mark.parametrize("part", [COUNTS, TOP])
def test_a_huge_share_and_no_sensitivity_stop_at_the_least_scale(part, share):
    assert calibrate_mechanism(part, share).scale == LEAST_SCALE
    public = (
        attrs.evolve(part, l1=0, l2=0.0)
        if isinstance(part, VectorPart)
        else attrs.evolve(part, sensitivity=0)
    )
    mechanism = calibrate_mechanism(public, attrs.evolve(share, **small(share)))
    assert mechanism.scale == LEAST_SCALE


def small(share):
    return {"epsilon": 1e-9} if share.rho is None else {"rho": 1e-9}


def test_a_share_below_all_floats_is_refused():
    with refuses(InvalidArgument, "share-that-finite-noise-can"):
        calibrate_mechanism(COUNTS, Share(epsilon=5e-324))


@pytest.mark.parametrize("share", [Share(epsilon=1.0), Share(rho=1.0)])
def test_sensitivities_beyond_64_bits_are_refused(share):
    beyond = attrs.evolve(TOP, sensitivity=2**62)
    with refuses(InvalidArgument, "sensitivity-of-at-most"):
        calibrate_mechanism(beyond, share)
    with refuses(InvalidArgument, "sensitivity-of-at-most"):
        calibrate_mechanism(attrs.evolve(COUNTS, l1=2**63), Share(epsilon=1.0))


def test_the_largest_sensitivity_of_64_bits_is_taken_by_opendp_too():
    part = attrs.evolve(COUNTS, l1=MOST_SENSITIVE)
    sampler.confirm(calibrate_mechanism(part, Share(epsilon=1.0)), part)
    for monotone, most in ((True, MOST_SENSITIVE), (False, MOST_SENSITIVE // 2)):
        scores = attrs.evolve(TOP, sensitivity=most, monotone=monotone)
        for share in (Share(epsilon=1.0), Share(rho=1.0)):
            sampler.confirm(calibrate_mechanism(scores, share), scores)


@pytest.mark.parametrize("part", [COUNTS, TOP], ids=["vector", "selection"])
@pytest.mark.parametrize("kind", ["epsilon", "rho"])
def test_the_scale_is_the_least_float_whose_loss_is_within_the_share(part, kind):
    for amount in (1e-6, 0.1, 1 / 3, 0.8873031950009027, 1.0, 7.0, 150.0):
        mechanism = calibrate_mechanism(part, Share(**{kind: amount}))
        assert claimed_loss(mechanism, part) <= amount
        less = attrs.evolve(mechanism, scale=math.nextafter(mechanism.scale, 0.0))
        assert claimed_loss(less, part) > amount
        sampler.confirm(mechanism, part)
