import attrs
import pytest

from deniable.notions import Adjacency
from deniable.publish.query import Condition, Grouping, Protection


def test_without_groups_there_is_one_cell():
    assert Grouping().cells == 1
    assert Grouping().labels() == [()]


def test_the_last_column_runs_fastest():
    grouping = Grouping(("plan", "year"), (("free", "shared"), (1, 2, 3)))
    assert grouping.cells == 6
    assert grouping.labels()[:4] == [("free", 1), ("free", 2), ("free", 3), ("shared", 1)]


def test_values_are_frozen():
    for value in (Condition("age", ">=", 18), Protection(Adjacency.REPLACE_ONE, 1), Grouping()):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            value.name = "other"
