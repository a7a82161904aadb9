"""`deniable.correlation` shows what the judge has for correlated records."""

import deniable
from deniable.judge import correlation


def test_the_public_names_are_those_of_the_judge():
    bounds = {"Households", "household_epsilon", "person_epsilon"}  # which hold of any mechanism
    assert set(deniable.correlation.__all__) == {*correlation.__all__, *bounds}
    for name in correlation.__all__:
        assert getattr(deniable.correlation, name) is getattr(correlation, name)
