from pathlib import Path

import pytest

from deniable.pipeline.kind import Origin
from deniable.publish.kind import KIND
from deniable.publish.prepare import plan
from tests.cases.release_case import QUERIES, write_case
from tests.cases.sample_certificate import VERSIONS

ORIGIN = Origin("2026-01-02", VERSIONS)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_a_certificate_says_what_was_prepared(tmp_path: Path, adjacency: str) -> None:
    prepared = plan(write_case(tmp_path, adjacency=adjacency))
    document = KIND.certified(prepared, ORIGIN).document()
    assert document["created"] == "2026-01-02"
    assert document["unit"]["entity"] == "person"
    assert document["unit"]["adjacency"] == adjacency
    assert document["guarantee"]["epsilon"] == prepared.calibration.epsilon
    assert document["guarantee"]["rho"] is None
    assert len(document["queries"]) == QUERIES
    assert document["limits"] == {"rows_per_entity": 3}
    assert document["plan_sha256"] == prepared.plan.digest


def test_parameters_and_sensitivities_are_public_numbers(tmp_path: Path) -> None:
    queries = KIND.certified(plan(write_case(tmp_path)), ORIGIN).document()["queries"]
    count, _, total, scaled, rows, mean, histogram, quantile, top = queries
    assert count["parts"][0]["sensitivity"] == {"norm": "l1", "value": 6, "monotone": None}
    assert total["parameters"] == {"bounds": [0.0, 10.0]}
    assert total["parts"][0]["sensitivity"]["value"] * total["parts"][0]["step"] == 30.0
    assert scaled["max_contribution"] == 20
    assert scaled["parts"][0]["sensitivity"]["value"] * scaled["parts"][0]["step"] == 20.0
    assert rows["parameters"] == {"scaled": True}
    assert rows["parts"][0]["sensitivity"]["value"] * rows["parts"][0]["step"] == 4.0
    assert [part["label"] for part in mean["parts"]] == ["sum", "count"]
    assert histogram["cells"] == 3
    assert quantile["parts"][0]["sensitivity"]["norm"] == "linf-sum"
    assert top["parameters"]["categories"] == ["free", "shared", "nowhere"]
    assert total["where"] == [["age", ">=", 18]]
    assert count["group_by"] == [{"column": "plan", "keys": ["free", "shared", "nowhere"]}]


def test_with_delta_parts_have_rho_and_an_l2_sensitivity(tmp_path: Path) -> None:
    prepared = plan(write_case(tmp_path, target="gamma = 2.0\ndelta = 1e-6"))
    document = KIND.certified(prepared, ORIGIN).document()
    parts = [part for query in document["queries"] for part in query["parts"]]
    assert {part["mechanism"] for part in parts} == {"discrete-gaussian", "noisy-top-k-gumbel"}
    assert all(part["epsilon"] is None and part["rho"] > 0 for part in parts)
    assert document["guarantee"]["exceedance"] == 1e-6
