import pytest

from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.notions import Adjacency


def test_the_unit_names_the_column_or_says_that_a_row_is_all_there_is():
    assert "“person”" in unit_sentence("person", Adjacency.REPLACE_ONE)
    assert "one row" in unit_sentence(None, Adjacency.REPLACE_ONE)


def test_the_plan_may_name_the_unit():
    told = unit_sentence(None, Adjacency.REPLACE_ONE, "person-year")
    assert told.startswith("The protected unit is one person-year, which is one row of the table")


@pytest.mark.parametrize("entity", ["person", None])
def test_the_number_is_public_under_replace_one_only(entity):
    assert unit_sentence(entity, Adjacency.REPLACE_ONE).endswith("is public.")
    assert "stays hidden, and so does how many" in unit_sentence(entity, Adjacency.ADD_REMOVE)


def test_null_entities_and_limits_are_named_where_there_are_some():
    told = " ".join(assumptions("person", 5))
    assert "NULL" in told
    assert "at most 5 rows" in told
    assert "rows are used" not in " ".join(assumptions("person", None))
    assert "NULL" not in " ".join(assumptions(None, None))


def test_what_is_never_covered_is_named():
    told = " ".join(NOT_COVERED)
    for words in ("belong together", "made from the data", "Other releases", "Wrong entity ids"):
        assert words in told
