import json
import math
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import deniable
from deniable.errors import InvalidArgument, NotApplicable
from deniable.ledger import units
from deniable.notions import ZCDP, Adjacency, ApproxDP, GaussianDP, PrivacyCurve, PureDP
from tests.cases import certified_case
from tests.cases.refusals import refuses

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"


def stated(name):
    return json.loads((GOLDEN / name / "certificate.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["plan", "plan-gaussian", "study", "frequencies", "members"])
def test_a_certificate_gives_what_it_states(name):
    block, unit = stated(name)["guarantee"], stated(name)["unit"]
    adjacency = "add-remove" if unit["adjacency"] == "add-remove" else "replace-one"
    expected = [ApproxDP(block["epsilon"], block["delta"], adjacency)]
    expected += [] if block["rho"] is None else [ZCDP(block["rho"], adjacency)]
    answer = deniable.risk(GOLDEN / name, [0.1])
    (gaussian,) = [x for x in answer.given if isinstance(x, GaussianDP)] or [None]
    assert (gaussian is not None) == (name == "frequencies")  # the plan has selections besides
    expected += [] if gaussian is None else [gaussian]
    assert answer.given == tuple(expected)
    assert "the certificate states" in answer.about
    assert answer.risks == deniable.risk(expected, [0.1]).risks
    assert deniable.risk(str(GOLDEN / name / "certificate.json"), [0.1]) == answer


@pytest.mark.parametrize("name", ["gaussian", "crosstab", "moments"])
def test_gaussian_noise_gives_its_own_curve(name):
    """μ by hand from scales and sensitivities, and less risk than by (ε, δ) and ρ together."""
    made = certified_case.certificate(certified_case.PLANS[name])
    shifts = [each.sensitivity.value * each.step / each.scale for each in made.parts]
    nearly = math.hypot(*shifts)
    approx, zcdp, gaussian = made.notions
    assert nearly < gaussian.mu <= nearly * 1.003
    assert (gaussian.adjacency, gaussian.slack) == (approx.adjacency, 0)
    baselines = [0.01, 0.1, 0.5]
    before, after, continuous = (
        [row.success for row in deniable.risk(given, baselines).risks]
        for given in ([approx, zcdp], made.notions, GaussianDP(nearly, approx.adjacency))
    )
    for loose, sharp, least in zip(before, after, continuous, strict=True):
        assert least <= sharp < loose


@pytest.mark.parametrize("name", ["every statistic", "budget", "running", "unknown keys"])
def test_other_noise_gives_none(name):
    """Also not where data may follow what was released, or keys of one entity appear."""
    made = certified_case.certificate(certified_case.PLANS[name])
    assert not [each for each in made.notions if isinstance(each, GaussianDP)]


def test_noise_below_a_step_gives_none():
    made = certified_case.certificate(certified_case.PLANS["gaussian"])
    (query, *others) = made.queries
    tiny = attrs.evolve(query.parts[0], scale=query.parts[0].step * 0.1)
    query = attrs.evolve(query, parts=(tiny, *query.parts[1:]))
    assert len(attrs.evolve(made, queries=(query, *others)).notions) == 2


def test_a_training_gives_its_curve():
    (phase,) = stated("training")["training"]["history"]
    curve = PrivacyCurve(phase["sample_rate"], phase["noise_multiplier"], phase["steps"])
    answer = deniable.risk(GOLDEN / "training", [0.01])
    assert answer.given == (curve,)
    assert (
        answer.risks[0].success
        < deniable.risk("approx-dp:1.75355,1e-6@add-remove", [0.01]).risks[0].success
    )


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_ledger_gives_its_budget(tmp_path, adjacency):
    place = tmp_path / "hospital.ledger"
    deniable.ledger.new(place, "visits", epsilon=0.75, adjacency=adjacency, each_row=True)
    answer = deniable.risk(place, [0.1])
    assert answer.given == (PureDP(0.75, adjacency),)
    assert "if every void of it is true" in answer.about
    assert answer == deniable.risk(deniable.Ledger(place), [0.1])
    deniable.ledger.new(place, "calls", epsilon=0.5, delta=1e-6, adjacency=adjacency, each_row=True)
    with refuses(InvalidArgument, "has-none: 2"):
        deniable.risk(place, [0.1])
    (spent,) = deniable.risk(place, [0.1], dataset="calls").given
    assert isinstance(spent, ZCDP)
    assert spent.adjacency is adjacency
    budget = units.amount(deniable.ledger.show(place, "calls").dataset.budget)
    assert Fraction(math.nextafter(spent.rho, 0.0)) < budget <= Fraction(spent.rho)
    assert deniable.risk(spent, [0.1]).risks == deniable.risk(place, [0.1], dataset="calls").risks


def test_an_exchange_of_two_people_is_refused(tmp_path):
    document = stated("study")
    document["unit"]["adjacency"] = "swap"
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    with refuses(NotApplicable, "two-people-exchange"):
        deniable.risk(file)


def test_a_release_of_population_privacy_alone_is_refused(tmp_path):
    document = stated("members")
    document["guarantee"]["epsilon"] = "inf"
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    with refuses(NotApplicable, "population-privacy-alone"):
        deniable.risk(file)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("nothing.json", {}, "no-readable-file: nothing.json"),
        ("pure-db:1", {}, "did-you-mean: pure-dp"),
        ("pure-dp:1", {"dataset": "visits"}, "with-ledger-only"),
        (PureDP(1.0), {"dataset": "visits"}, "with-ledger-only"),
        ([], {}, "guarantee-none"),
        (3, {}, "such-as-pure-dp-1-0: _ | pure-dp:3"),
    ],
)
def test_what_is_none_of_these_is_refused(given, options, message):
    with refuses(InvalidArgument, message):
        deniable.risk(given, **options)


def test_a_file_that_is_neither_is_refused(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("pure-dp:1", encoding="utf-8")
    with refuses(InvalidArgument, "json-in-utf-8"):
        deniable.risk(file)


def test_a_guarantee_may_be_longer_than_a_file_name():
    text = "privacy-curve:1.0,5.0,1@then-" + "/".join(["1.0,50.0,1"] * 40)
    assert len(text) > 255
    assert deniable.risk(text, [0.0, 1.0]).risks[0].success == 0.0
