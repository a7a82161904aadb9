import math

import attrs
import numpy as np
import opendp.measurements
import opendp.mod
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace, NoisyTopK
from deniable.pipeline.noise import SelectionPart, Share, VectorPart, calibrate_mechanism
from deniable.pipeline.noise.sampler import release, repeat_draws
from tests.cases.refusals import refuses

COUNTS = VectorPart("count", 1.0, coordinates=3, l1=2, l2=math.sqrt(2), moved=2)
TOP = SelectionPart("top", 1.0, 2, 4, number=2, sensitivity=3, monotone=False)


def test_the_least_scale_does_not_move_a_value():
    exact = np.array([2**62, 0, -(2**62)])
    for share in (Share(epsilon=1e9), Share(rho=1e9)):
        assert release(calibrate_mechanism(COUNTS, share), COUNTS, exact).tolist() == exact.tolist()
    scores = np.array([[0, -1, -2, -3], [-(2**62), -5, 0, -1]])
    for share in (Share(epsilon=1e9), Share(rho=1e9)):
        assert release(calibrate_mechanism(TOP, share), TOP, scores).tolist() == [[0, 1], [2, 3]]


def test_numbers_may_be_read_only_or_lie_apart_and_are_not_changed():
    exact = np.array([2**53 + 1, 7, -(2**53) - 1, 7, 5, 7])
    exact.flags.writeable = False
    mechanism = calibrate_mechanism(COUNTS, Share(epsilon=1e9))
    for numbers in (exact[::2], exact[:3]):
        for noisy in (
            release(mechanism, COUNTS, numbers),
            repeat_draws(mechanism, COUNTS, numbers, 1)[0],
        ):
            assert noisy.tolist() == numbers.tolist()
            noisy += 1
    assert exact.tolist() == [2**53 + 1, 7, -(2**53) - 1, 7, 5, 7]
    scores = np.asfortranarray([[0, -1, -2, -3], [-9, -5, 0, -1]])
    scores.flags.writeable = False
    assert release(calibrate_mechanism(TOP, Share(rho=1e9)), TOP, scores)[:, 0].tolist() == [0, 2]


def test_shapes_and_types_of_a_release():
    vector = release(calibrate_mechanism(COUNTS, Share(epsilon=0.5)), COUNTS, np.arange(3))
    assert (vector.shape, vector.dtype) == ((3,), np.int64)
    for share in (Share(epsilon=0.1), Share(rho=0.1)):
        chosen = release(calibrate_mechanism(TOP, share), TOP, np.zeros((2, 4), dtype=np.int64))
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


def test_repeated_draws_are_releases_with_noise_of_their_own():
    part = attrs.evolve(COUNTS, coordinates=2)
    exact = np.array([5, -5])
    for mechanism in (DiscreteLaplace(1e12), DiscreteGaussian(1e12)):
        noisy = repeat_draws(mechanism, part, exact, 100)
        assert (noisy.shape, noisy.dtype) == ((100, 2), np.int64)
        assert len(set(noisy.reshape(-1).tolist())) == 200
        assert repeat_draws(mechanism, part, exact, 0).shape == (0, 2)
    least = calibrate_mechanism(TOP, Share(epsilon=1e9))
    scores = np.array([[0, -1, -2, -3], [-9, -5, 0, -1]])
    assert repeat_draws(least, TOP, scores, 3).tolist() == [[[0, 1], [2, 3]]] * 3
    assert repeat_draws(least, TOP, scores, 0).shape == (0, 2, 2)
    with refuses(InvalidArgument, "int64-values-of-shape"):
        repeat_draws(least, TOP, scores[:1], 3)


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
    with refuses(InvalidArgument, "mechanism-that-fits-part"):
        release(mechanism, part, exact)


@pytest.mark.parametrize("exact", [np.zeros(4, dtype=np.int64), np.zeros(3), np.zeros((1, 3))])
def test_exact_values_must_fit_the_part_and_are_not_quoted(exact):
    with refuses(InvalidArgument, "int64-values-of-shape: (3,)"):
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

    monkeypatch.setattr(opendp.measurements, "make_laplace", lambda *_: Broken())
    with pytest.raises(RuntimeError, match="of the library") as caught:
        release(DiscreteLaplace(4.0), COUNTS, np.array([4711, 0, 0]))
    assert "4711" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_nothing_is_drawn_when_the_map_says_more_than_the_claim(monkeypatch):
    class Leaky:
        def map(self, _distance):
            return 1.0

    monkeypatch.setattr(opendp.measurements, "make_laplace", lambda *_: Leaky())
    with pytest.raises(RuntimeError, match=r"0\.5, got 1\.0 at"):
        release(DiscreteLaplace(4.0), COUNTS, np.zeros(3, dtype=np.int64))
