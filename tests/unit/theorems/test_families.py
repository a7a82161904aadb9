import pytest

from deniable.errors import NotApplicable
from deniable.numerics.rounding import directed, upper
from deniable.priors import BoundedPriors, CorrelatedPriors, OneOutOfPriors
from deniable.theorems._theorem import gamma_from, independent, ratio_from, uncertain
from tests.cases.refusals import refuses


def test_intervals_are_independent_families():
    for family in (BoundedPriors(0.1, 0.2), BoundedPriors()):
        assert independent(family) is uncertain(family) is family
    for other in (OneOutOfPriors(3), CorrelatedPriors()):
        with refuses(NotApplicable, "name-interval-instead"):
            independent(other)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_certainty_is_not_uncertain(end):
    with refuses(NotApplicable, "certainty-never-shaken"):
        uncertain(BoundedPriors(end, end))


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.25, 0.5), (0.5, 0.5), (0.75, 1.0), (0.0, 0.5)])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 8.0])
def test_the_two_maps_invert_each_other(ends, ratio):
    with directed() as r:
        low, high = map(r, ends)
        back = ratio_from(gamma_from(r(ratio), low, high), low, high)
        assert upper(back) == pytest.approx(ratio, rel=1e-15)
