import copy
import json
import math

import pytest

from deniable.certificate.seal import statement_sha256
from deniable.pipeline.check import check
from tests.cases.sample_study import study_certificate

ASKED = [
    {"statistics": True},
    {"adjacency": "swap", "score": "genotypic"},
    {"prior": (0.3, 0.7), "threshold": 5e-8, "missing": "major"},
    {"epsilon": 1.0, "statistics": True},
]


def checked(folder, document):
    path = folder / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return check(path)


def failing(answer):
    return [each.name for each in answer.checks if not each.holds]


def with_change(document, place, change):
    forged = copy.deepcopy(document)
    holder = forged
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = change(holder[place[-1]])
    return forged | {"statement_sha256": statement_sha256(forged)}


def down(value):
    return math.nextafter(value, 0)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_certificate_as_it_was_made_holds(tmp_path, asked):
    answer = checked(tmp_path, study_certificate(**asked).as_json())
    assert answer.holds, answer
    assert answer.checks[0].name == "schema"


DOCUMENT = study_certificate(statistics=True, score="allelic", gamma=2.5).as_json()


@pytest.mark.parametrize(
    ("place", "change", "found"),
    [
        (("guarantee", "gamma"), down, ["guarantee"]),
        (("guarantee", "epsilon"), down, ["guarantee", "sum of shares"]),
        (("selection", "part", "scale"), down, ["selection"]),
        (("selection", "part", "sensitivity", "value"), lambda x: x - 1, ["selection"]),
        (("selection", "part", "step"), lambda x: x * 2, ["selection"]),
        (("selection", "part", "half_width_95"), down, ["selection"]),
        (("selection", "part", "epsilon"), lambda x: x * 2, ["selection", "sum of shares"]),
        (("statistics", "scale"), down, ["statistics"]),
        (("statistics", "sensitivity", "value"), lambda x: x - 1, ["statistics"]),
        (("derivation", 0, "theorem"), lambda _: "by decree", ["derivation"]),
        (("unit", "sentence"), lambda _: "Everything is protected.", ["unit"]),
        (("unit", "claim"), lambda _: "something else", ["unit"]),
        (("not_covered",), lambda _: [], ["not covered"]),
        (("assumptions",), lambda kept: kept[1:], ["assumptions"]),
        (("adversary", "sentence"), lambda _: "Nobody knows anything.", ["adversary"]),
        (("adversary", "prior"), lambda _: [0.1, 0.2], ["adversary"]),
        (("study", "cases"), lambda x: x // 2, ["selection"]),
    ],
)
def test_one_ulp_of_too_strong_a_claim_is_found(tmp_path, place, change, found):
    assert failing(checked(tmp_path, with_change(DOCUMENT, place, change))) == found


def test_an_assumption_that_is_called_a_default_is_found(tmp_path):
    document = study_certificate(prior=(0.4, 0.6)).as_json()
    forged = with_change(document, ("adversary", "source"), lambda _: "default")
    assert "adversary" in failing(checked(tmp_path, forged))


def test_a_line_that_the_rule_does_not_give_is_found(tmp_path):
    place = "selection", "threshold", "chi_squared"
    forged = with_change(study_certificate().as_json(), place, down)
    assert failing(checked(tmp_path, forged)) == ["selection"]


def test_what_does_not_fit_or_cannot_be_recomputed_is_said(tmp_path):
    assert failing(checked(tmp_path, DOCUMENT | {"missing_calls": 3})) == ["schema"]
    assert failing(checked(tmp_path, DOCUMENT | {"created": "2026-02-30"})) == ["schema"]
    many = with_change(DOCUMENT, ("selection", "top"), lambda _: 2**31)
    many["study"]["variants"] = 2**40
    assert failing(checked(tmp_path, many)) == ["schema"]
    more = with_change(DOCUMENT, ("selection", "top"), lambda _: 5001)
    answer = checked(tmp_path, more)
    assert failing(answer) == ["derivation"]
    assert "got top=5001" in answer.checks[1].finding
