import datetime
import re

import attrs
import pytest

from deniable.report.queries import description, scalar
from tests.cases.sample_certificate import query, sample_certificate, sample_queries


def told(name: str) -> str:
    found = {query.name: query for query in sample_queries()}[name]
    told = re.sub("<[^>]*>", "", description(found, sample_certificate()))
    return told.replace("\u2060", "")


ROWS = "at most 5 rows of each “person”"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("years by plan", f"The number of rows, by plan (3 groups). Limits: {ROWS}."),
        (
            "visits by plan and year",
            "The sum of visits, by plan and since (6 groups), of rows where age ≥ 18 and region in "
            "north, south. Limits: all that each “person” adds scaled to at most 100 visits; "
            "values cut to 0…52.",
        ),
        (
            "mean visits by plan",
            "The mean of visits, by plan (3 groups). The number of rows behind a mean has noise of "
            f"its own. Limits: {ROWS}; values cut to 0…52.",
        ),
        ("visits in a year", f"The number of rows by visits, in 6 bins. Limits: {ROWS}."),
        (
            "median age",
            f"The median of age, one of 121 points. Limits: {ROWS}; chosen between 0…120.",
        ),
        (
            "most frequent reasons",
            f"The 3 most frequent of 5 values of reason, in order. Limits: {ROWS}.",
        ),
    ],
)
def test_a_query_is_told_from_its_public_parameters(name, sentence):
    assert told(name) == sentence


def test_entities_are_called_what_the_plan_calls_them():
    entities = query("q", "entities", [], max_contribution=3.0)
    assert "number of different values of <bdi>person</bdi>" in description(
        entities, sample_certificate()
    )
    assert "at most 3 rows" in description(entities, sample_certificate())


def test_other_quantiles_and_imputed_values_are_named():
    ninth = query("q", "quantile", [], "age", bounds=[0, 120], quantile=0.9)
    assert "The 90th percentile of" in description(ninth, sample_certificate())
    mean = attrs.evolve(
        query("q", "mean", [], "age", bounds=[0, 120]),
        parameters={"bounds": [0, 120], "nulls": 40, "size_is_public": True},
    )
    assert "a missing value taken as 40" in description(mean, sample_certificate())
    assert "noise of its own" not in description(mean, sample_certificate())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (False, "false"),
        (25, "25"),
        (0.5, "0.5"),
        (2019.0, "2019"),
        (20190.0, "20190"),
        ("free", "free"),
        ("", "(empty text)"),
        (datetime.date(1974, 1, 1), "1974-01-01"),
    ],
)
def test_keys_as_text(value, text):
    assert scalar(value) == text
