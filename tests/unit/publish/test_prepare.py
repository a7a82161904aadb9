from fractions import Fraction
from pathlib import Path

import pytest

from deniable.errors import InfeasibleTarget
from deniable.publish.prepare import plan
from tests.cases.refusals import refuses
from tests.cases.release_case import QUERIES, table, write_case


def test_a_plan_is_answered_without_the_datas_values(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    before = plan(path).as_json()
    write_case(tmp_path, data=table(3))
    assert plan(path).as_json() == before


def test_the_answer_has_the_keys_of_the_interface(tmp_path: Path) -> None:
    answer = plan(write_case(tmp_path)).as_json()
    assert {"epsilon", "delta", "gamma", "gamma_outside", "queries", "posterior"} <= set(answer)
    assert len(answer["queries"]) == QUERIES
    for query in answer["queries"]:
        assert {"name", "mechanism", "scale", "epsilon", "rho", "cells"} <= set(query)
        assert query["rho"] is None
        assert query["scale"] > 0
    spent = sum(Fraction(query["epsilon"]) for query in answer["queries"])
    assert spent <= Fraction(answer["epsilon"])


def test_scales_are_in_units_of_the_published_value(tmp_path: Path) -> None:
    answer = plan(write_case(tmp_path)).as_json()
    by_name = {query["name"]: query for query in answer["queries"]}
    assert by_name["visits"]["scale"] == pytest.approx(30 / by_name["visits"]["epsilon"])
    assert by_name["rows by plan"]["scale"] == pytest.approx(6 / by_name["rows by plan"]["epsilon"])
    assert by_name["ages"]["cells"] == 3


def test_beliefs_are_told_at_the_usual_priors_and_the_adversarys(tmp_path: Path) -> None:
    prepared = plan(write_case(tmp_path))
    assert [each.prior for each in prepared.posterior] == [0.01, 0.05, 0.1, 0.5]
    assert all(each.lower < each.prior < each.upper for each in prepared.posterior)


def test_epsilon_with_delta_reads_beliefs_at_a_larger_loss(tmp_path: Path) -> None:
    prepared = plan(write_case(tmp_path, target="epsilon = 1.0\ndelta = 1e-6"))
    assert prepared.calibration.epsilon == 1.0
    assert prepared.loss > 1.0
    assert prepared.as_json()["exceedance"] == pytest.approx(1e-4)


def test_an_unreachable_target_is_refused(tmp_path: Path) -> None:
    with refuses(InfeasibleTarget, "max-posterior-above"):
        plan(write_case(tmp_path, target="max_posterior = 0.4"))
