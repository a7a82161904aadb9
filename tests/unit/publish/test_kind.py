import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest

from deniable.certificate.json_documents import statement_sha256
from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from deniable.publish.release import release
from tests.cases.refusals import refuses
from tests.cases.release_case import certificate_of, write_case

TARGETS = ["gamma = 2.0", "gamma = 2.0\ndelta = 1e-6", "epsilon = 1.0\ndelta = 1e-6"]


@pytest.fixture(scope="module", params=TARGETS)
def certificate(request: pytest.FixtureRequest, tmp_path_factory: Any) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("release")
    release(write_case(folder, target=request.param), folder / "out")
    return certificate_of(folder / "out")


def checked(folder: Path, document: object) -> Any:
    path = folder / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return check(path)


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"statement_sha256": statement_sha256(document)}


def test_a_released_certificate_holds(tmp_path: Path, certificate: dict[str, Any]) -> None:
    answer = checked(tmp_path, certificate)
    assert answer.holds, answer
    assert [each.name for each in answer.checks][:4] == [
        "schema",
        "derivation",
        "guarantee",
        "sum of shares",
    ]


def down(value: float) -> float:
    return math.nextafter(value, 0)


@pytest.mark.parametrize(
    ("place", "failing"),
    [
        (("guarantee", "gamma"), "guarantee"),
        (("guarantee", "gamma_outside"), "guarantee"),
        (("guarantee", "advantage"), "guarantee"),
        (("queries", 0, "parts", 0, "scale"), "query rows by plan"),
        (("queries", 2, "parts", 0, "sensitivity", "value"), "query visits"),
        (("queries", 8, "parts", 0, "scale"), "query top plans"),
    ],
)
def test_one_ulp_of_too_strong_a_claim_is_found(
    tmp_path: Path, certificate: dict[str, Any], place: tuple[Any, ...], failing: str
) -> None:
    forged = copy.deepcopy(certificate)
    holder = forged
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = down(holder[place[-1]])
    answer = checked(tmp_path, resealed(forged))
    assert [each.name for each in answer.checks if not each.holds] == [failing]


def test_shares_above_the_budget_are_found(tmp_path: Path, certificate: dict[str, Any]) -> None:
    forged = copy.deepcopy(certificate)
    part = forged["queries"][0]["parts"][0]
    kind = "rho" if part["epsilon"] is None else "epsilon"
    part[kind] *= 2
    answer = checked(tmp_path, resealed(forged))
    failing = [each.name for each in answer.checks if not each.holds]
    assert failing == ["sum of shares", "query rows by plan"]


def test_an_extra_key_does_not_fit_the_schema(tmp_path: Path, certificate: dict[str, Any]) -> None:
    answer = checked(tmp_path, certificate | {"rows": 161})
    assert [each.holds for each in answer.checks] == [False]


def test_parameters_of_another_statistic_are_found(
    tmp_path: Path, certificate: dict[str, Any]
) -> None:
    forged = copy.deepcopy(certificate)
    forged["queries"][0]["parameters"] = {"edges": [0, 1]}
    answer = checked(tmp_path, resealed(forged))
    assert not answer.holds
    (found,) = (check.finding for check in answer.checks if not check.holds)
    assert "edges" in found or "bounds" in found or "parameters" in found


def test_what_is_no_certificate_is_refused(tmp_path: Path) -> None:
    with refuses(InvalidArgument, "no-readable-file"):
        check(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("hello")
    with refuses(InvalidArgument, "json-in-utf-8"):
        check(tmp_path / "text.json")
