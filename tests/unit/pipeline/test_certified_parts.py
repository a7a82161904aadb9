import pytest

from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.pipeline.kind import certify_part, guarantee
from deniable.pipeline.noise import (
    PublicPart,
    SelectionPart,
    Share,
    VectorPart,
    calibrate_mechanism,
)
from tests.cases.sample_study import prepared

SUM = VectorPart("sum", 0.5, coordinates=3, l1=6, l2=4.5, moved=2)
TOP = SelectionPart("top", 2.0, cells=1, candidates=9, number=2, sensitivity=3, monotone=False)


@pytest.mark.parametrize(
    ("part", "share", "kind", "sensitivity"),
    [
        (SUM, Share(epsilon=0.5), DiscreteLaplace, ("l1", 6, None)),
        (SUM, Share(rho=0.5), DiscreteGaussian, ("l2", 4.5, None)),
        (TOP, Share(epsilon=0.5), NoisyTopK, ("linf-sum", 3, False)),
    ],
)
def test_a_part_with_noise(part, share, kind, sensitivity):
    mechanism = calibrate_mechanism(part, share)
    assert isinstance(mechanism, kind)
    told = certify_part(part, share, mechanism, 7.0)
    found = told.sensitivity
    assert (found.norm, found.value, found.monotone) == sensitivity
    assert told.scale == mechanism.scale * part.step
    assert (told.epsilon, told.rho) == (share.epsilon, share.rho)
    assert (told.label, told.step, told.half_width_95) == (part.label, part.step, 7.0)


def test_a_public_part_has_a_name_only():
    told = certify_part(PublicPart("entities"), None, None, None)
    assert (told.label, told.mechanism, told.scale, told.epsilon) == ("entities", None, None, None)


def test_the_guarantee_is_the_calibrations():
    calibration = prepared(adjacency="swap").calibration
    told = guarantee(calibration)
    assert (told.epsilon, told.gamma) == (calibration.epsilon, calibration.gamma)
    assert told.gamma_outside == calibration.gamma_outside
    assert told.rho is None
