import math

import numpy as np
import pytest

from deniable.bounds import Evidence
from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.population.whole_sums import lattice
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


MODULE = "deniable.population.whole_sums"


def one_each(_cost, n_targets):
    return n_targets


def test_parts_do_not_change_the_answer(monkeypatch):
    values = np.arange(12) ** 2
    told: list[float] = []
    whole = lattice(values, 5, NOISE, 0.02, records="all")
    monkeypatch.setattr(f"{MODULE}.ways.Cost.parts", one_each)
    parts = lattice(values, 5, NOISE, 0.02, records="all", effort=Effort(progress=told.append))
    assert np.all((whole.lower <= parts.upper) & (parts.lower <= whole.upper))
    assert told[-1] == 1
    assert len(told) == 12


def test_the_transform_takes_over_where_the_recursion_is_dear(monkeypatch):
    values = np.random.default_rng(3).integers(0, 5, 80)
    added = lattice(values, 20, NOISE, records="all")
    monkeypatch.setattr(f"{MODULE}.recursion.MOST_RECORDS", 10)
    monkeypatch.setattr(f"{MODULE}.counts._MOST_CELLS", 10)
    inverted = lattice(values, 20, NOISE, records="all")
    assert np.all((added.lower <= inverted.upper) & (inverted.lower <= added.upper))
    assert np.all(inverted.upper - inverted.lower < 1e-9)
    assert np.any(inverted.upper != added.upper)


def test_beyond_reach(monkeypatch):
    monkeypatch.setattr(f"{MODULE}.ways.MOST_COLUMNS", 100)
    with pytest.raises(InvalidArgument, match="at most 100 whole numbers, got"):
        lattice([0, 1, 900], 1, NOISE)


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


def test_work_beyond_the_time_limit_is_refused_at_once():
    values = np.random.default_rng(0).integers(20_000, 90_001, 40)
    with pytest.raises(
        InvalidArgument, match=r"limit of 0\.5 seconds, got at least .* coarser unit"
    ):
        lattice(values, 20, DiscreteLaplace(20_000.0), effort=Effort(time_limit=0.5))


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("noise", [NOISE, DiscreteGaussian(3.0)])
def test_when_time_is_over_the_rest_is_what_the_noise_gives(monkeypatch, noise, delta):
    if delta == 0 and isinstance(noise, DiscreteGaussian):
        return
    values = np.arange(12) ** 2
    told: list[float] = []
    whole = lattice(values, 5, noise, delta, records="all")
    monkeypatch.setattr(f"{MODULE}.ways.Cost.parts", one_each)
    monkeypatch.setattr("time.monotonic", lambda: 2.0 * len(told))  # a part takes 2 seconds
    effort = Effort(time_limit=1.0, progress=told.append)
    cut = lattice(values, 5, noise, delta, records="all", effort=effort)
    assert np.all((cut.lower <= whole.upper) & (whole.lower <= cut.upper))
    assert np.any(cut.lower == 0)
    assert cut.upper[0] == pytest.approx(whole.upper[0])  # the outermost come first
    assert np.all(np.isfinite(cut.upper))
    assert told[-1] == 1
    worst = lattice(values, 5, noise, delta, effort=effort)
    assert worst.lower[0] <= whole.upper.max()
    assert worst.upper[0] >= whole.lower.max()


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
