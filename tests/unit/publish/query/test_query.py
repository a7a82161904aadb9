import attrs
import pytest

from deniable.publish.query import Query
from deniable.publish.statistics import Count


def test_a_query_takes_all_rows_and_an_equal_share_unless_something_else_is_said():
    query = Query("q", Count())
    assert (query.grouping.cells, query.where) == (1, ())
    assert (query.max_contribution, query.weight) == (None, 1.0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        query.name = "other"
