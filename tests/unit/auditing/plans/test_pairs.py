"""The neighbours that are attacked move a query as far as its noise is calibrated for."""

import pytest

from deniable.auditing.plans import (
    PRODUCTION,
    choose_pair,
    prepare_plan,
    read_audited_plan,
    write_plan,
)
from tests.cases.attacked_plans import QUERIES, SCALED, written
from tests.cases.effort import one_in, some_pairs

FULL = ("count in cells", "sum, scaled", "top", "rows removed")
"""Queries whose sensitivity two neighbours attain under either adjacency."""


def of_plan(folder, *queries, **words):
    (folder / "private").mkdir()
    told = read_audited_plan(written(folder, *queries, **words))
    prepared = prepare_plan(write_plan(folder / "private", told), told, PRODUCTION)
    return prepared, choose_pair(told, prepared, PRODUCTION)


@pytest.mark.parametrize(("name", "adjacency"), some_pairs(FULL, ["add-remove", "replace-one"]))
def test_the_worst_pair_spends_the_whole_budget(tmp_path, name, adjacency):
    _, worst = of_plan(tmp_path, name, adjacency=adjacency)
    assert 0.999 < worst.loss <= 1


@pytest.mark.parametrize("name", ["mean", "quantile"])
def test_a_mean_and_a_quantile_of_added_people_spend_it_too(tmp_path, name):
    prepared, worst = of_plan(
        tmp_path, name, adjacency="add-remove", target="epsilon=1\ndelta=1e-6"
    )
    share = sum(share.rho for query in prepared.queries for share in query.shares)
    assert worst.loss == pytest.approx(share, rel=1e-3)


def test_one_pair_for_many_queries_spends_less_than_their_budget(tmp_path):
    """One entity cannot be the worst of all queries at once, and is bad for each."""
    _, worst = of_plan(tmp_path, *one_in(2, [*QUERIES, *SCALED]), adjacency="add-remove")
    assert 0.6 < worst.loss <= 1


def test_where_each_row_is_an_entity_one_row_differs(tmp_path):
    _, worst = of_plan(tmp_path, "sum", adjacency="replace-one", entity=False)
    assert 0.999 < worst.loss <= 1
    out, within = worst.sides
    assert (len(out[0]), len(within[0]), out[1:]) == (1, 1, within[1:])


@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_an_entity_that_the_plan_names_is_the_record(tmp_path, adjacency):
    path = written(tmp_path, "count", adjacency=adjacency)
    text = path.read_text(encoding="utf-8").replace('"age", ">=", 18', '"person", "==", "x"')
    path.write_text(text, encoding="utf-8")
    (tmp_path / "private").mkdir()
    told = read_audited_plan(path)
    prepared = prepare_plan(write_plan(tmp_path / "private", told), told, PRODUCTION)
    assert choose_pair(told, prepared, PRODUCTION).loss == pytest.approx(1)
