"""No range of beliefs gets narrower by a further release, or by a larger budget."""

import itertools

import pytest

import deniable
from tests.cases.effort import one_in, usual


def rises(ranges):
    return all(first <= second * (1 + 1e-9) for first, second in itertools.pairwise(ranges))


@pytest.mark.parametrize("exceedance", one_in(2, [1.9e-3, 1.6e-3, 1.3e-3, 1.1e-3, 1.01e-3]))
def test_a_range_whose_exceedance_is_near_delta_does_not_narrow(exceedance):
    budgets = usual([0.01, 0.11, 2.01], [0.01, 0.06, 0.11, 0.21, 0.51, 1.01, 2.01])
    answers = [deniable.explain(each, 1e-3, exceedance=exceedance) for each in budgets]
    assert rises([each.range_loss for each in answers])
    composed = [
        deniable.compose(["approx-dp:0.01,1e-3", f"pure-dp:{each}"], exceedance=exceedance)
        for each in usual((1e-9, 0.1, 2.0), (1e-9, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0))
    ]
    assert rises([each.range_loss for each in composed])
    assert rises([each.posterior[-2].upper for each in composed])


@pytest.mark.parametrize("exceedance", [0.3, 0.9, 0.999])
@pytest.mark.parametrize(
    "first",
    [
        ["rdp:17.8,0.00042", "rdp:1.26,0.0366"],
        ["rdp:55.0,0.25", "rdp:1.52,0.644", "rdp:1.14,0.0257", "rdp:1.93,0.00204"],
        ["zcdp:0.00001", "zcdp:0.001"],
        ["gaussian-dp:0.01", "pure-dp:0.02"],
    ],
)
def test_a_range_that_is_left_often_does_not_narrow(first, exceedance):
    kind = first[0].split(":")[0]
    further = {"rdp": "rdp:3.51,{}", "zcdp": "zcdp:{}", "gaussian-dp": "gaussian-dp:{}"}[kind]
    ranges = [
        deniable.compose([*first, further.format(size)], exceedance=exceedance).range_loss
        for size in (1e-9, 0.000127, 0.001, 0.01, 0.1)
    ]
    assert rises(ranges)
