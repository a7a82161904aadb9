import pytest

from deniable.certificate.statements import NOT_COVERED, assumptions, unit_sentence
from deniable.notions import Adjacency


def test_the_unit_names_the_column_or_says_that_a_row_is_all_there_is():
    column, row = (unit_sentence(name, Adjacency.REPLACE_ONE) for name in ("person", None))
    assert column.split(". ")[0] == (
        "The protected unit is everything that one value of “person” owns in the table"
    )
    assert row.split(". ")[0] == (
        "The protected unit is one row of the table: no column names an entity"
    )


def test_the_plan_may_name_the_unit():
    told = unit_sentence(None, Adjacency.REPLACE_ONE, "person-year")
    assert told.startswith("The protected unit is one person-year, which is one row of the table")


@pytest.mark.parametrize("entity", ["person", None])
def test_the_number_is_public_under_replace_one_only(entity):
    assert unit_sentence(entity, Adjacency.REPLACE_ONE).endswith("is public.")
    assert "stays hidden, and so does how many" in unit_sentence(entity, Adjacency.ADD_REMOVE)


def test_null_entities_and_limits_are_named_where_there_are_some():
    always = assumptions(None, None)
    missing = "Rows whose “person” is NULL are left out."
    assert assumptions("person", None) == (*always, missing)
    assert assumptions("person", 5) == (
        *always,
        missing,
        "Of one “person”, at most 5 rows are used, chosen by a secret random order before any "
        "filter.",
    )


def test_what_is_never_covered_is_named():
    assert [sentence.partition(":")[0] for sentence in NOT_COVERED] == [
        "Entities that belong together",
        "A plan made from the data",
        "Other releases",
        "Wrong entity ids",
    ]
