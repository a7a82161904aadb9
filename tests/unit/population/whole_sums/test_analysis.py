import math

import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums.analysis import lattice
from deniable.population.work.effort import Effort

NOISE = DiscreteLaplace(2.0)


def test_worst_is_the_largest_of_all():
    every = lattice([0, 1, 5, 2, 5], 2, NOISE, records="all")
    worst = lattice([0, 1, 5, 2, 5], 2, NOISE)
    assert every.records.tolist() == [0, 1, 2, 3, 4]
    assert worst.records.tolist() == [every.worst()]
    assert worst.upper[0] == every.upper.max()
    assert every.upper[2] == every.upper[4]
    assert every.evidence is Evidence.ENCLOSURE


def test_records_in_the_order_asked_for():
    every = lattice([0, 1, 5, 2], 2, NOISE, 0.01, records="all")
    some = lattice([0, 1, 5, 2], 2, NOISE, 0.01, records=[3, 0, 3])
    assert some.records.tolist() == [3, 0, 3]
    assert some.upper == pytest.approx(every.upper[[3, 0, 3]], rel=1e-12)


@pytest.mark.parametrize("noise", [NOISE, DiscreteGaussian(1.0)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_equal_values_are_no_secret(noise, delta):
    assert lattice([7, 7, 7], 1, noise, delta).maximum().upper == 0


def test_gaussian_noise_alone_is_not_pure():
    assert lattice([0, 1, 2], 1, DiscreteGaussian(5.0)).maximum().lower == math.inf


def test_values_up_to_a_thousand_million_are_refused():
    values = np.random.default_rng(0).integers(0, 10**9, 1000)
    with pytest.raises(InvalidArgument, match="coarser unit"):
        lattice(values, 500, NOISE, 0.01)


def test_wide_values_of_few_records():
    """Forty records up to 90,000 took one recursion a record; one table of counts now."""
    values = np.random.default_rng(0).integers(20_000, 90_001, 40)
    found = lattice(values, 20, DiscreteLaplace(20_000.0), records=[int(values.argmax()), 3])
    assert np.all(found.upper - found.lower < 1e-9)
    assert np.all(found.lower > 0)
    coarse = lattice(values // 100, 20, DiscreteLaplace(200.0), records=found.records)
    assert coarse.upper == pytest.approx(found.upper, rel=0.02)


@pytest.mark.parametrize("noise", [NOISE, DiscreteGaussian(20.0)])
def test_when_time_is_over_the_noise_alone_is_told(noise):
    """No record is reached in a thousandth of a second; its end is that of an exchange."""
    values = np.random.default_rng(0).integers(20_000, 90_001, 40)
    found = lattice(values, 20, noise, 0.01, records="all", effort=Effort(time_limit=1e-3))
    assert np.all(found.lower == 0)
    assert np.all(np.isfinite(found.upper))
    assert np.all(found.upper > 1)


def test_a_crowd_of_many_lumps_is_told_narrowly():
    """Six outliers among zeros to fours: inversion leaves intervals wide, a recursion does not."""
    values = [*np.random.default_rng(0).integers(0, 5, 300), *range(300, 2100, 300)]
    found = lattice(values, 150, DiscreteLaplace(30.0), records="all")
    assert np.all(found.upper - found.lower < 1e-9 * np.maximum(found.lower, 1e-3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 1.0}, "delta < 1"),
        ({"delta": -0.1}, "0 <= delta <= 1"),
        ({"records": "most"}, "worst, all"),
        ({"records": [3]}, "from 0 to 2"),
        ({"records": []}, "at least one"),
        ({"size": 3}, "smaller than the population"),
    ],
)
def test_bad_arguments(change, message):
    given = {"values": [0, 1, 2], "size": 1, "noise": NOISE} | change
    with pytest.raises(InvalidArgument, match=message):
        lattice(**given)
