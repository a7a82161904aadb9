"""Rows of running counts: totals are sums of counts, and what is said of errors beforehand."""

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.mechanisms import DiscreteGaussian, DiscreteLaplace
from deniable.more_statistics.running_count import RunningCount
from deniable.notions import Adjacency
from deniable.publish.query import Grouping, Protection
from tests.cases.refusals import refuses

GROUPING = Grouping(("week", "ward"), ((1, 2, 3), ("A", "B")))
NOISE = DiscreteGaussian(3.0 * 2**20)


def test_totals_are_sums_of_counts_and_each_period_has_its_own_error():
    noisy = np.array([5, -3, 1, 0, 2**22, 7]) * 2**20 + 12345
    rows = RunningCount(3).rows("q", GROUPING, [noisy], [NOISE])
    totals, counts = rows[::2], rows[1::2]
    assert [row.statistic for row in rows] == ["running_count", "count"] * 6
    assert [row.measured for row in totals] == noisy.tolist()
    assert all(row.measured is None for row in counts)
    for ward in range(2):
        values = [row.value for row in counts[ward::2]]
        assert np.cumsum(values) == pytest.approx([row.value for row in totals[ward::2]])
    widths = [row.half_width_95 for row in totals]
    assert widths[::2] == widths[1::2] == sorted(widths[::2])
    assert widths[0] < widths[2] < widths[4]


def test_what_a_plan_says_of_later_periods_is_what_will_be_published():
    later = RunningCount(3).later([NOISE])
    long = Grouping(("week",), (tuple(range(52)),))
    rows = RunningCount(52, 3).rows("q", long, [np.zeros(52, np.int64)], [NOISE])
    assert later["total after 52 periods"] == rows[-2].half_width_95
    fresh = later["52 fresh counts added up"]
    # 1.96 √52 of the noise that one count alone would have, on whole numbers
    assert fresh == pytest.approx(1.96 * 52**0.5 * 3.0 / 2.0701**0.5, rel=0.03)
    assert later["520 fresh counts added up"] > 6 * later["total after 520 periods"]


def test_only_new_periods_are_measured():
    totals = np.arange(6).reshape(6, 1, 1)
    protection = Protection(Adjacency.ADD_REMOVE, 1)
    (everything,) = RunningCount(3).exact(totals, protection)
    (new,) = RunningCount(3, 2).exact(totals, protection)
    assert new.tolist() == everything.tolist()[4:]
    (part,) = RunningCount(3, 2).parts(protection, 6)
    assert (part.coordinates, part.endless) == (2, True)


def test_other_noise_than_gaussian_is_refused():
    with refuses(InvalidArgument, "set-delta-in-target"):
        RunningCount(3).half_widths([DiscreteLaplace(3.0)], 6)
