"""What half-widths leave out, said from the plan alone or beside what a release publishes of it."""

import pytest

import deniable
from deniable.certificate.limits import beside_noise
from deniable.certificate.model import Unit
from deniable.certificate.results import ResultRow
from deniable.certificate.tables import CertifiedQuery
from tests.cases.release_case import write_case

PEOPLE = Unit("nr", "replace-one", "…", "patient")
ROWS = Unit(None, "replace-one", "…", None)


def query(statistic="count", column=None, scaled=None, **parameters):
    return CertifiedQuery("q", statistic, column, parameters, (), (), 1.0, 1, scaled, ())


@pytest.mark.parametrize(
    ("queries", "unit", "limit", "said"),
    [
        ([query()], PEOPLE, 4, ["at most 4 rows per patient are kept"]),
        ([query()], PEOPLE, 1, ["at most 1 row per patient is kept"]),
        ([query()], Unit("nr", "add-remove", "…", None), 4, ["per “nr”"]),
        ([query(scaled=9.0)], PEOPLE, None, ["scaled to at most 9 rows"]),
        ([query("sum", "cost", bounds=(0, 50))], ROWS, None, ["cost is clipped to 0…50"]),
        (
            [query("mean", "age", bounds=(0, 120)), query("sum", "cost", bounds=(0, 50)), query()],
            PEOPLE,
            4,
            ["at most 4 rows", "age is clipped to 0…120", "cost is clipped to 0…50"],
        ),
    ],
)
def test_each_limit_before_noise_is_named_once(queries, unit, limit, said):
    text = beside_noise(queries, unit, limit)
    assert text.startswith("± covers the noise alone.")
    assert [text.count(each) for each in said] == [1] * len(said)
    assert text.count(";") == len(said) - 1
    assert ('"removed"' in text) == (limit is not None)


@pytest.mark.parametrize("queries", [[query()], [query("quantile", "age", bounds=(0, 9))], []])
def test_without_a_limit_there_is_nothing_to_say(queries):
    assert beside_noise(queries, ROWS, None) is None


def test_what_a_release_publishes_of_it_stands_in_the_sentence():
    share = ResultRow("gone", "share", value=0.0912, half_width_95=0.012, half_width_unit="share")
    for most, word in ((None, "entities"), (20, "rows")):
        removed = attrs_with(most)
        text = beside_noise([query(), removed], PEOPLE, 4, [share])
        assert "About 9.1 % (± 1.2 %)" in text
        assert f"of the {word} " in text
        assert "private" not in text
        assert "private" in beside_noise([query(), removed], PEOPLE, 4)


def attrs_with(most):
    parameters = {"rows_per_entity": 4, "most_rows": most}
    return CertifiedQuery("gone", "removed", None, parameters, (), (), 1.0, 2, None, ())


def test_the_sentence_of_a_plan_knows_nothing_of_the_data(tmp_path):
    """The same before and after a release, whatever the rows are."""
    plan = write_case(tmp_path)
    before = deniable.plan(plan).beside_noise
    released = deniable.release(plan, tmp_path / "out")
    assert before
    assert released.prepared.besides_noise(released.rows) == before
