import attrs
import numpy as np
import pytest

import deniable
from deniable import Effort
from deniable.errors import DeniableError, InvalidArgument, PlanError
from tests.cases.audited import PEOPLE, SURE, fit
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses
from tests.cases.release_case import FEW, write_case

SMALL = {"claimed": "pure-dp:8@add-remove", "runs": 80}


def test_a_model_is_audited_by_its_name_or_itself():
    one = deniable.audit(fit, PEOPLE, **SMALL)
    named = deniable.audit("tests.cases.audited:fit", PEOPLE, **SMALL)
    assert named == one
    assert one.adjacency == "add-remove"
    assert one.claimed_epsilon == 8
    assert one.runs == 80
    assert len(one.worst) > 1


def test_seed_and_claim_are_what_an_audit_depends_on(tmp_path):
    one = deniable.audit(fit, PEOPLE, **SMALL)
    kept = Effort(workers=2, checkpoint=tmp_path, time_limit=600)
    assert deniable.audit(fit, PEOPLE, **SMALL, effort=kept) == one
    other = deniable.audit(fit, PEOPLE, **SMALL, effort=Effort(seed=1, time_limit=600))
    assert other != one
    assert attrs.evolve(other.found, seed=0) != one.found


def test_what_is_watched_is_the_share_done_and_the_limit_so_far():
    shares, told = [], []
    deniable.audit(
        fit,
        PEOPLE,
        **SMALL,
        effort=Effort(progress=shares.append),
        watch=lambda *moment: told.append(moment),
    )
    assert shares == [share for share, _ in told]
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": 7},
        {"target": "nothing"},
        {"target": "no.such.module:fit"},
        {"target": "tests.cases.audited:nothing"},
        {"target": "tests.cases.audited:PEOPLE"},
        {"size": 3},
        {"neighbours": ([], [1])},
        {"out": "page.txt"},
        {"out": "no/such/folder/page.html"},
        {"target": object()},
        {"target": fit, "data": None},
        {"data": [[1.0, 2.0]]},
        {"claimed": "nonsense"},
        {"claimed": ""},
        {"claimed": "pure-dp:1"},
        {"claimed": "population:1"},
        {"claimed": "pure-dp:-1@add-remove"},
        {"adjacency": "neighbours"},
        {"adjacency": "parent-set"},
        {"confidence": 1},
        {"confidence": 0},
        {"confidence": 95},
        {"delta": 2.0},
        {"delta": -1e-6},
        {"delta": 1.0, "claimed": None},
        {"runs": 0},
        {"runs": 19},
        {"runs": 40.5},
        {"runs": -40},
        {"runs": 10**14},
        {"runs": "many"},
        {"label": "y"},
        {"losses": "loss"},
    ],
    ids=lambda wrong: " ".join(wrong),
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(wrong):
    given = {"target": fit, "data": PEOPLE, **SMALL} | wrong
    with pytest.raises(DeniableError) as raised:
        deniable.audit(**given)
    assert refusal_of(str(raised.value)).got
    assert "\n" not in str(raised.value)


def test_a_training_that_fails_is_named_by_run_and_place():
    def failing(X, y):  # noqa: N803, ARG001 - as models have it
        raise ArithmeticError("Anna, 34")

    with pytest.raises(InvalidArgument) as raised:
        deniable.audit(failing, PEOPLE, **SMALL)
    told = refusal_of(str(raised.value))
    assert told.got == "ArithmeticError in run 1 of 80"
    assert told.place.startswith("test_run.py:")


def test_an_odd_number_of_runs_is_used_up():
    audit = deniable.audit(fit, PEOPLE, runs=41)
    assert audit.runs == 41
    assert audit.claimed is None
    assert np.isinf(audit.found.upper)


def test_a_plan_is_audited_without_its_rows(tmp_path):
    plan = write_case(tmp_path, queries=FEW)
    for path in tmp_path.glob("*.parquet"):
        made = path.read_bytes()
        audit = deniable.audit(str(plan), runs=80, confidence=SURE)
        assert path.read_bytes() == made
    assert audit.verdict != "violated"
    assert audit.claimed.startswith("pure-dp:")
    with refuses(InvalidArgument, "such-target-what-belongs: label"):
        deniable.audit(plan, label="y")
    with pytest.raises(PlanError):
        deniable.audit(tmp_path / "nowhere.toml")


def count(data, rng):
    """One record more or less, with noise of half the scale that ε = 1 asks for."""
    q = 1 - np.exp(-2.0)
    return len(data) + rng.geometric(q) - rng.geometric(q)


def test_a_mechanism_with_too_little_noise_is_a_violation_and_its_page_says_so(tmp_path):
    page = tmp_path / "page.html"
    audit = deniable.audit(count, [1, 2, 3], claimed="pure-dp:1@add-remove", runs=4_000, out=page)
    assert (audit.verdict, audit.adjacency) == ("violated", "add-remove")
    assert 1 < audit.found.lower < 2
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_neighbours_say_themselves_what_they_are():
    of_one_size = deniable.audit(count, neighbours=([1, 2], [1, 3]), claimed="pure-dp:2", runs=100)
    assert (of_one_size.adjacency, of_one_size.found.lower) == ("replace-one", 0.0)
    with refuses(InvalidArgument, "neighbours-by-add-remove"):
        deniable.audit(count, neighbours=([1], [1, 3]), claimed="pure-dp:2", runs=400)


def test_samples_of_a_parent_set_are_about_population_privacy():
    def total(data, rng):
        return int(sum(data)) + rng.geometric(0.5) - rng.geometric(0.5)

    audit = deniable.audit(total, [0, 0, 1, 9], size=2, claimed="population:0.1", runs=2_000)
    assert (audit.subject, audit.adjacency) == ("population privacy", "parent-set")
    assert audit.verdict == "violated"


def test_a_finding_is_told_once():
    def floating(data, rng):
        return float(len(data)) + rng.laplace()

    audit = deniable.audit(floating, neighbours=([], [1]), claimed="pure-dp:1@add-remove")
    assert [each.name for each in audit.findings] == ["low-bits"]
