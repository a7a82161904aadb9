import math

import attrs
import numpy as np
import opendp.mod
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.publish import noise
from deniable.publish.noise import LEAST_SCALE, Share, calibrated, release
from deniable.publish.statistics.protocol import SelectionPart, VectorPart

COUNTS = VectorPart("count", 1.0, coordinates=3, l1=2, l2=math.sqrt(2), moved=2)
TOP = SelectionPart("top", 1.0, 2, 4, number=2, sensitivity=3, monotone=False)


def test_a_share_is_exactly_one_finite_positive_number():
    assert Share(epsilon=2).amount == 2.0
    assert Share(None, 0.5).amount == 0.5
    for wrong in ({}, {"epsilon": 1.0, "rho": 1.0}):
        with pytest.raises(InvalidArgument, match="Expected exactly one of epsilon and rho"):
            Share(**wrong)
    for value in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(InvalidArgument, match="epsilon"):
            Share(epsilon=value)
        with pytest.raises(InvalidArgument, match="rho"):
            Share(rho=value)


def test_calibrated_chooses_the_mechanism_by_part_and_share():
    assert calibrated(COUNTS, Share(epsilon=0.5)) == DiscreteLaplace(4.0)
    assert calibrated(COUNTS, Share(rho=0.5)).name == "discrete-gaussian"
    assert calibrated(COUNTS, Share(rho=0.5)).scale == pytest.approx(math.sqrt(2))
    assert calibrated(TOP, Share(epsilon=1.5)) == NoisyTopK(8.0, 2, "exponential")
    assert calibrated(TOP, Share(rho=0.25)) == NoisyTopK(6.0, 2, "gumbel")
    monotone = attrs.evolve(TOP, monotone=True)
    assert calibrated(monotone, Share(epsilon=1.5)) == NoisyTopK(4.0, 2, "exponential")
    assert calibrated(monotone, Share(rho=0.25)) == NoisyTopK(3.0, 2, "gumbel")


@pytest.mark.parametrize("share", [Share(epsilon=1e9), Share(rho=1e9)])
@pytest.mark.parametrize("part", [COUNTS, TOP])
def test_a_huge_share_and_no_sensitivity_stop_at_the_least_scale(part, share):
    assert calibrated(part, share).scale == LEAST_SCALE
    public = (
        attrs.evolve(part, l1=0, l2=0.0)
        if isinstance(part, VectorPart)
        else attrs.evolve(part, sensitivity=0)
    )
    mechanism = calibrated(public, attrs.evolve(share, **small(share)))
    assert mechanism.scale == LEAST_SCALE


def small(share):
    return {"epsilon": 1e-9} if share.rho is None else {"rho": 1e-9}


def test_the_least_scale_does_not_move_a_value():
    exact = np.array([2**62, 0, -(2**62)])
    for share in (Share(epsilon=1e9), Share(rho=1e9)):
        assert release(calibrated(COUNTS, share), COUNTS, exact).tolist() == exact.tolist()
    scores = np.array([[0, -1, -2, -3], [-(2**62), -5, 0, -1]])
    for share in (Share(epsilon=1e9), Share(rho=1e9)):
        assert release(calibrated(TOP, share), TOP, scores).tolist() == [[0, 1], [2, 3]]


def test_a_share_below_all_floats_is_refused():
    with pytest.raises(InvalidArgument, match="share that finite noise can keep to"):
        calibrated(COUNTS, Share(epsilon=5e-324))


@pytest.mark.parametrize("share", [Share(epsilon=1.0), Share(rho=1.0)])
def test_sensitivities_beyond_64_bits_are_refused(share):
    beyond = attrs.evolve(TOP, sensitivity=2**62)
    with pytest.raises(InvalidArgument, match="sensitivity that OpenDP can take"):
        calibrated(beyond, share)
    with pytest.raises(InvalidArgument, match="sensitivity that OpenDP can take"):
        calibrated(attrs.evolve(COUNTS, l1=2**63), Share(epsilon=1.0))


def test_shapes_and_types_of_a_release():
    vector = release(calibrated(COUNTS, Share(epsilon=0.5)), COUNTS, np.arange(3))
    assert (vector.shape, vector.dtype) == ((3,), np.int64)
    for share in (Share(epsilon=0.1), Share(rho=0.1)):
        chosen = release(calibrated(TOP, share), TOP, np.zeros((2, 4), dtype=np.int64))
        assert (chosen.shape, chosen.dtype) == ((2, 2), np.int64)
        assert all(len(set(row)) == 2 and set(row) <= set(range(4)) for row in chosen.tolist())


def test_values_stay_at_the_ends_of_64_bits():
    part = attrs.evolve(COUNTS, coordinates=400)
    ends = np.repeat([np.iinfo(np.int64).max, np.iinfo(np.int64).min], 200)
    for mechanism in (DiscreteLaplace(1e15), DiscreteGaussian(1e15), DiscreteLaplace(1e30)):
        noisy = release(mechanism, part, ends)
        assert (noisy == ends).any()
        if mechanism.scale == 1e15:
            assert (np.sign(noisy) == np.sign(ends)).all()


def test_two_releases_share_no_noise():
    part = attrs.evolve(COUNTS, coordinates=100)
    zeros = np.zeros(100, dtype=np.int64)
    for mechanism in (DiscreteLaplace(1e12), DiscreteGaussian(1e12)):
        once, again = (release(mechanism, part, zeros) for _ in range(2))
        assert len({*once.tolist(), *again.tolist()}) == 200


@pytest.mark.parametrize(
    ("mechanism", "part"),
    [
        (DiscreteLaplace(1.0), TOP),
        (DiscreteGaussian(1.0), TOP),
        (NoisyTopK(1.0, 2, "gumbel"), COUNTS),
        (NoisyTopK(1.0, 1, "gumbel"), TOP),
        (NoisyTopK(1.0, 5, "gumbel"), attrs.evolve(TOP, number=5)),
    ],
)
def test_a_mechanism_must_fit_its_part(mechanism, part):
    exact = np.zeros((2, 4) if isinstance(part, SelectionPart) else 3, dtype=np.int64)
    with pytest.raises(InvalidArgument, match="mechanism that fits the part"):
        release(mechanism, part, exact)


@pytest.mark.parametrize("exact", [np.zeros(4, dtype=np.int64), np.zeros(3), np.zeros((1, 3))])
def test_exact_values_must_fit_the_part_and_are_not_quoted(exact):
    with pytest.raises(InvalidArgument, match=r"int64 values of shape \(3,\), got"):
        release(DiscreteLaplace(1.0), COUNTS, exact)


@pytest.mark.parametrize(
    "error",
    [
        opendp.mod.OpenDPException("FailedFunction", "secret 4711"),
        TypeError("secret 4711"),
        OverflowError("secret 4711"),
    ],
)
def test_the_library_s_text_never_comes_through(monkeypatch, error):
    class Broken:
        def __call__(self, _values):
            raise error

        def map(self, _distance):
            return 0.5

    monkeypatch.setattr(noise, "make_laplace", lambda *_: Broken())
    with pytest.raises(RuntimeError, match="an error of the library") as caught:
        release(DiscreteLaplace(4.0), COUNTS, np.array([4711, 0, 0]))
    assert "4711" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_nothing_is_drawn_when_the_map_says_more_than_the_claim(monkeypatch):
    class Leaky:
        def map(self, _distance):
            return 1.0

    monkeypatch.setattr(noise, "make_laplace", lambda *_: Leaky())
    with pytest.raises(RuntimeError, match=r"at most 0\.5, got 1\.0 at discrete-laplace"):
        release(DiscreteLaplace(4.0), COUNTS, np.zeros(3, dtype=np.int64))
