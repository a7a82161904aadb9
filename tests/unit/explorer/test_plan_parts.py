import json

import pytest

import deniable
from deniable.explorer import plan_parts
from tests.cases.effort import some_pairs
from tests.cases.explorer_case import written_plan


def test_shares_and_sensitivities_are_those_of_the_prepared_plan(tmp_path):
    prepared = deniable.plan(written_plan(tmp_path))
    parts = plan_parts(prepared, 1e-6)
    assert len(parts["queries"]) == len(prepared.queries)
    total = 0
    for shown, query in zip(parts["queries"], prepared.queries, strict=True):
        for part, share, mechanism in zip(
            shown["parts"], query.shares, query.mechanisms, strict=True
        ):
            total += part["share"]
            cost = part["l1"] if "l1" in part else part["epsilon"]
            budget = prepared.calibration.epsilon * part["share"]
            assert abs(budget - share.epsilon) <= 1e-12
            assert abs(mechanism.scale - cost / share.epsilon) <= 1e-9 * mechanism.scale
    assert 1 - 1e-12 < total <= 1
    assert json.dumps(parts, allow_nan=False)


def test_a_public_size_takes_no_share(tmp_path):
    (tmp_path / "visits.csv").write_text("age\n20\n")
    path = tmp_path / "visits.toml"
    path.write_text(
        '[data]\nsource = "visits.csv"\n[target]\nepsilon = 1.0\n'
        '[[query]]\nname = "age"\nstatistic = "mean"\ncolumn = "age"\nbounds = [0, 99]\nnulls = 0\n'
    )
    (query,) = plan_parts(deniable.plan(path), 1e-6)["queries"]
    assert [part and part["share"] for part in query["parts"]] == [1.0, None]
    assert [error["of"] for error in query["errors"]] == ["mean"]


CROSSTABS = """
[data]
source = "visits.csv"
{data}
[target]
epsilon = 1.0
{target}
[[query]]
name = "tables"
statistic = "crosstab"
columns = ["ward"]
keys = {{ ward = ["a", "b"] }}
[[query]]
name = "rows"
statistic = "count"
where = [["ward", "==", "a"]]
"""


def test_a_tree_has_no_error_of_one_noise(tmp_path):
    (tmp_path / "visits.csv").write_text("ward\na\n")
    plan = CROSSTABS.partition("[[query]]")[0].format(data="", target="")
    path = tmp_path / "visits.toml"
    path.write_text(
        plan + '[[query]]\nname = "t"\nstatistic = "tree"\nlevels = ["part", "ward"]\n'
        'nested = { one = ["a"], two = ["b", "c"] }\n'
    )
    (tree,) = plan_parts(deniable.plan(path), 1e-6)["queries"]
    assert [set(error) for error in tree["errors"]] == [{"of", "unit", "unscaled"}]


@pytest.mark.parametrize(
    ("target", "data"), some_pairs(["", "delta = 1e-6"], ["", 'adjacency = "add-remove"'])
)
def test_a_crosstab_has_no_error_of_one_noise(tmp_path, data, target):
    """What noise adds to a measured number is a thousand times what a cell is off."""
    (tmp_path / "visits.csv").write_text("ward\na\n")
    path = tmp_path / "visits.toml"
    path.write_text(CROSSTABS.format(data=data, target=target))
    tables, rows = plan_parts(deniable.plan(path), 1e-6)["queries"]
    assert [set(error) for error in tables["errors"]] == [{"of", "unit", "unscaled"}]
    assert [error["of"] for error in rows["errors"]] == ["count"]
