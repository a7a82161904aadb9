import pytest

from deniable.certificate.limits import limits, measured, number, ordinal, quantile
from deniable.certificate.model import Unit
from deniable.notions import Adjacency
from tests.cases.sample_certificate import query, sample_queries

PATIENT = Unit("id", Adjacency.REPLACE_ONE, "…", "patient")
COLUMN = Unit("id", Adjacency.REPLACE_ONE, "…")
ROW = Unit(None, Adjacency.ADD_REMOVE, "…", "person-year")


@pytest.mark.parametrize(
    ("statistic", "more", "told"),
    [
        ("count", {}, "rows, at most 10 of each patient"),
        ("histogram", {"column": "age"}, "rows by age, at most 10 of each patient"),
        ("entities", {}, "different values of “id”, at most 10 rows of each patient"),
        (
            "sum",
            {"column": "cost", "bounds": [-2000, 2000]},
            "sum of cost, at most 10 rows of each patient, values cut to −2,000…2,000",
        ),
        (
            "mean",
            {"column": "cost", "bounds": [-0.5, 1e6]},
            "mean of cost, at most 10 rows of each patient, values cut to −0.5…1,000,000",
        ),
        (
            "quantile",
            {"column": "age", "bounds": [0, 120], "quantile": 0.9},
            "90th percentile of age, at most 10 rows of each patient, chosen between 0…120",
        ),
        (
            "top",
            {"column": "reason"},
            "most frequent values of reason, at most 10 rows of each patient",
        ),
    ],
)  # fmt: skip
def test_every_statistic_names_its_limits(statistic, more, told):
    assert measured(query("q", statistic, [], **more), PATIENT, 10) == told


def test_a_scaled_query_names_its_scale_and_not_the_limit_on_rows():
    scaled = query("q", "sum", [], "cost", bounds=[0, 52], max_contribution=100.0)
    assert limits(scaled, PATIENT, 10) == (
        "all that each patient adds scaled to at most 100 cost",
        "values cut to 0…52",
    )


def test_where_each_row_is_one_no_row_is_cut():
    assert measured(query("q", "count", []), ROW, None) == "rows"
    assert measured(query("q", "entities", []), ROW, None) == "rows"


def test_without_a_word_the_column_is_named():
    assert limits(query("q", "count", []), COLUMN, 3) == ("at most 3 rows of each “id”",)


@pytest.mark.parametrize("each", sample_queries(), ids=lambda each: each.name)
def test_every_public_bound_stands_in_the_words(each):
    told = measured(each, PATIENT, 5)
    for end in each.parameters.get("bounds", ()):
        assert number(end) in told
    most = 5 if each.max_contribution is None else each.max_contribution
    assert f"at most {number(most)} " in told


def test_small_words():
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 21, 112, 101)] == [
        "1st", "2nd", "3rd", "4th", "11th", "21st", "112th", "101st",
    ]  # fmt: skip
    assert quantile(0.07) == "7th percentile"
    assert quantile(0.333333) == "0.333333 quantile"
