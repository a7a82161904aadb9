"""`deniable.correlation` shows what the judge has for correlated records."""

import deniable
from deniable.judge import correlation


def test_the_public_names_are_those_of_the_judge():
    assert deniable.correlation.__all__ == correlation.__all__
    for name in correlation.__all__:
        assert getattr(deniable.correlation, name) is getattr(correlation, name)
