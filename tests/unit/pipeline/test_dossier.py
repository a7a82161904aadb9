"""Dossiers: every golden certificate by every regime, numbers from elsewhere, and forgeries."""

import json
import shutil
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import deniable
from deniable.certificate.tables import TableCertificate
from deniable.errors import InvalidArgument, NotApplicable
from deniable.gwas.certificates import StudyCertificate
from deniable.pipeline.certified import of_certificate
from deniable.pipeline.check import check_certificate
from deniable.pipeline.dossier_page import dossier_page
from deniable.pipeline.dossiers import check_written, regimes
from deniable.pipeline.kind import kind_of
from deniable.pipeline.statements import Status, weakest
from tests.cases.effort import one_in, some_pairs, usual
from tests.cases.refusals import refuses

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
NAMES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir() and path.name[0] != "_")
DERIVED = {
    "beliefs",
    "risk",
    "attribute",
    "composition",
    "exception",
    "parameters",
    "population",
    "together",
}
"""Statements with figures that stand in no certificate; each has its own test here."""


@pytest.fixture(scope="module")
def made():
    """The dossier of a golden folder, made once."""
    known = {}

    def make(name, regime="nist"):
        if name not in known:
            known[name] = deniable.dossier(GOLDEN / name, "nist", candidates=20)
        return attrs.evolve(known[name], regime=regimes()[regime])

    return make


def stated(name):
    return json.loads((GOLDEN / name / "certificate.json").read_text(encoding="utf-8"))


def numbers(value):
    """Every number of a JSON value."""
    match value:
        case dict():
            return {each for item in value.values() for each in numbers(item)}
        case list():
            return {each for item in value for each in numbers(item)}
        case bool() | str() | None:
            return set()
        case _:
            return {value}


def uppers(statement):
    return [each.upper for each in statement.figures]


@pytest.mark.parametrize(("name", "regime"), some_pairs([*NAMES], [*regimes()]))
def test_every_certificate_answers_every_regime(made, name, regime):
    answer = made(name, regime)
    content = json.loads(json.dumps(answer.as_json()))
    assert len(content["questions"]) == sum(content["counts"].values())
    table = {each["statement"]: each for each in content["statements"]}
    for question in content["questions"]:
        status = weakest(answer.table[one] for one in question["statements"])
        assert question["status"] == str(status)
        assert question["statements"] or question.get("otherwise") or "words" in question
        assert all(one in table for one in question["statements"])
    page = dossier_page(answer)
    assert "<script" not in page
    for each in answer.answers:
        assert each.question.place in page
    assert "probability of re-identification" not in page.lower()
    assert "re-identification probability" not in page.lower()


@pytest.mark.parametrize("name", NAMES)
def test_what_the_certificate_states_is_stated(made, name):
    table, block = made(name).table, stated(name)["guarantee"]
    given = [block["epsilon"], block["delta"]]
    is_training = "training" in stated(name)
    if block["rho"] is not None and not is_training:
        given = [block["rho"], *given]
    assert uppers(table["parameters"])[: len(given)] == given
    assert uppers(table["factor"]) == [block["gamma"], block["gamma_outside"]]
    assert uppers(table["guess"]) == [block["attack_success"], block["advantage"]]
    assert table["unit"].says == (stated(name)["unit"]["sentence"],)
    assert table["assumptions"].says == tuple(stated(name)["assumptions"])
    if is_training:
        (phase,) = stated(name)["training"]["history"]
        assert uppers(table["mechanisms"]) == [phase["noise_multiplier"]]


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_comes_from_nowhere(made, name):
    known = numbers(stated(name))
    for key, statement in made(name).table.items():
        if key not in DERIVED:
            for figure in statement.figures:
                assert {figure.lower, figure.upper} - {None} <= known, (key, figure)


@pytest.mark.parametrize("name", NAMES)
def test_beliefs_are_bayes_at_the_certified_loss(made, name):
    block = stated(name)["guarantee"]
    assert block["exceedance"] == block["delta"]  # then the loss is epsilon, or a training's own
    loss = Decimal(block.get("privacy_loss", block["epsilon"]))
    low, high = stated(name)["adversary"]["prior"]
    priors = sorted({0.01, 0.05, 0.1, 0.5, low, high} - {0.0, 1.0})
    figures = made(name).table["beliefs"].figures
    assert [float(each.of.split(" from ")[1].split()[0]) for each in figures] == priors
    with localcontext(prec=60):
        for prior, figure in zip(map(Decimal, priors), figures, strict=True):
            for end, sign in ((figure.upper, 1), (figure.lower, -1)):
                odds = prior / (1 - prior) * (sign * loss).exp()
                exact = odds / (1 + odds)
                assert sign * (Decimal(end) - exact) >= 0
                assert abs(Decimal(end) - exact) < exact * Decimal("1e-12")


def test_groups_of_people_are_read_off_the_guarantee_for_one(made):
    statement, block = made("plan").table["together"], stated("plan")["guarantee"]
    assert statement.status is Status.NOT_COVERED
    for people, figure in zip((2, 3, 5, 10), statement.figures, strict=True):
        assert f"from 0.5 before, if {people} are all in or all out" in figure.of
        with localcontext(prec=60):
            exact = 1 / (1 + (-people * Decimal(block["epsilon"])).exp())
            assert 0 <= Decimal(figure.upper) - exact < exact * Decimal("1e-12")
    assert made("plan-gaussian").table["together"].figures == ()  # replace-one


@pytest.mark.parametrize("name", [each for each in NAMES if not each.startswith("training")])
def test_risks_are_those_of_risk(made, name):
    table = made(name).table
    expected = deniable.risk(GOLDEN / name)
    assert uppers(table["risk"]) == [each.success for each in expected.risks]
    assert expected.assumption in table["risk"].assumption
    one = deniable.risk(GOLDEN / name, [1 / 20], candidates=20)
    assert uppers(table["attribute"]) == [each.success for each in one.risks]


def test_a_trainings_risks_follow_from_its_curve(made):
    table = made("training").table
    at = {each["fpr"]: each["fnr"] for each in stated("training")["training"]["trade_off"]}
    for baseline, success in zip((0.01, 0.1, 0.5), uppers(table["risk"]), strict=True):
        assert success == pytest.approx(1 - at[baseline], rel=1e-3)  # two ways to enclose it


@pytest.mark.parametrize("name", [each for each in NAMES if not each.startswith("training")])
def test_shares_are_added_exactly(made, name):
    total, whole = uppers(made(name).table["composition"])
    block = stated(name)
    parts = [each for query in block.get("queries", []) for each in query["parts"]]
    parts += [block[key]["part"] for key in ("selection", "counted") if block.get(key)]
    parts += [block["statistics"]] if block.get("statistics") else []
    word = "epsilon" if block["guarantee"]["rho"] is None else "rho"
    exact = sum(Fraction(each[word]) for each in parts if each["mechanism"])
    assert exact <= Fraction(total) <= exact * (1 + Fraction(1, 2**52))
    assert whole == block["guarantee"][word]
    assert total <= whole


def test_what_is_worth_what(made):
    def status(name, key):
        return made(name).table[key].status

    assert status("plan", "several releases") is Status.NOT_COVERED
    assert status("plan-charged", "several releases") is Status.ON_TRUST
    assert status("members", "population") is Status.ON_TRUST
    assert status("plan", "parameters") is Status.COMPUTED
    assert status("training", "parameters") is Status.COMPUTED
    assert status("training", "mechanisms") is Status.ON_TRUST
    assert status("training", "floating point") is Status.NOT_COVERED
    assert status("plan", "floating point") is Status.ON_TRUST
    assert status("plan", "noise") is Status.ON_TRUST
    assert status("study", "everybody") is Status.NOT_COVERED
    for name in NAMES:
        assert status(name, "signature") is Status.NOT_COVERED
        assert status(name, "programs") is Status.ON_TRUST


def test_questions_about_models_are_asked_of_models(made):
    of_models = [each for each in regimes()["gdpr"].questions if each.kinds]
    assert of_models
    asked = [each.question for each in made("training", "gdpr").answers]
    assert all(each in asked for each in of_models)
    others = [each.question for each in made("plan", "gdpr").answers]
    assert not any(each in others for each in of_models)


def test_a_risk_that_does_not_apply_is_not_covered_with_the_reason():
    swap = stated("study")
    swap["unit"]["adjacency"] = "swap"
    table = of_certificate(StudyCertificate.from_json(swap), candidates=3)
    assert table["risk"].status is Status.NOT_COVERED
    assert "exchange what is secret" in table["risk"].says[0]
    assert "attribute" not in table
    hidden = stated("members")
    hidden["guarantee"]["epsilon"] = "inf"
    certificate = TableCertificate.from_json(hidden)
    table = of_certificate(certificate)
    assert table["risk"].status is Status.NOT_COVERED
    assert (table["beliefs"].figures[0].lower, table["beliefs"].figures[0].upper) == (0.0, 1.0)
    with pytest.raises(NotApplicable):
        deniable.risk("population:0.5,0")


# --- Written, and checked.


def write(answer, folder, kind):
    place = folder / f"dossier.{kind}"
    content = dossier_page(answer) if kind == "html" else json.dumps(answer.as_json(), indent=2)
    place.write_text(content, encoding="utf-8")
    return place


def result(name, place):
    answer = deniable.check(GOLDEN / name, dossier=place)
    (check,) = [each for each in answer.checks if each.name == place.name]
    assert answer.holds is check.holds
    return check


@pytest.mark.parametrize(
    ("name", "kind"), some_pairs(["plan", "study", "first-plan-gaussian"], ["html", "json"])
)
def test_a_written_dossier_is_made_again(made, tmp_path, name, kind):
    place = write(made(name, "hipaa"), tmp_path, kind)
    assert result(name, place).holds
    other = "plan-gaussian" if name == "plan" else "plan"
    assert not result(other, place).holds


def test_the_page_is_written_as_it_is_made(tmp_path):
    page = tmp_path / "page.html"
    answer = deniable.dossier(GOLDEN / "plan", "ema", baselines=[0.2], out=page)
    assert page.read_text(encoding="utf-8") == dossier_page(answer)
    assert deniable.check(GOLDEN / "plan", dossier=page).holds
    assert uppers(answer.table["risk"]) == [deniable.risk(GOLDEN / "plan", [0.2]).risks[0].success]


def leaves(value, path=()):
    match value:
        case dict():
            for key, item in value.items():
                yield from leaves(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                yield from leaves(item, (*path, index))
        case _:
            yield path, value


def test_a_dossier_with_one_altered_leaf_is_refused(made, tmp_path):
    """Some leaves of a dossier, each changed by the least that shows."""
    answer = made("first-plan-gaussian", "gdpr")
    content = answer.as_json()
    document = stated("first-plan-gaussian")
    _, recomputed = check_certificate(kind_of(document), document)
    certificate = recomputed.certificate
    place = tmp_path / "dossier.json"
    tried = 0
    for path, value in one_in(2, list(leaves(content))[::13]):
        forged = json.loads(json.dumps(content))
        spot = forged
        for step in path[:-1]:
            spot = spot[step]
        if isinstance(value, float):
            spot[path[-1]] = value * (1 - 2**-52)
        else:
            spot[path[-1]] = f"{value}x" if isinstance(value, str) else 7
        place.write_text(json.dumps(forged), encoding="utf-8")
        assert not check_written(place, certificate, dossier_page).holds, path
        tried += 1
    assert tried > usual(8, 15)
    place.write_text(json.dumps(content), encoding="utf-8")
    assert check_written(place, certificate, dossier_page).holds


def test_a_page_with_one_altered_digit_is_refused(made, tmp_path):
    place = write(made("plan", "gdpr"), tmp_path, "html")
    text = place.read_text(encoding="utf-8")
    figure = "at most 0."
    assert figure in text
    place.write_text(text.replace(figure, "at most 0.0", 1), encoding="utf-8")
    assert "another" in result("plan", place).finding


def test_a_dossier_of_another_version_is_refused(made, tmp_path):
    place = write(attrs.evolve(made("plan"), version="99.0"), tmp_path, "json")
    assert "/version" in result("plan", place).finding


def test_a_key_twice_is_refused(made, tmp_path):
    place = write(made("plan"), tmp_path, "json")
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace('"version"', '"regime": "none", "version"', 1), encoding="utf-8")
    with refuses(InvalidArgument, "each-key-once"):
        deniable.check(GOLDEN / "plan", dossier=place)


USUAL = {"for": "nist", "baselines": None, "candidates": None, "dataset": None}


@pytest.mark.parametrize(
    "asked",
    [{"for": "nist"}, USUAL | {"for": ["nist"]}, USUAL | {"baselines": "0.1"},
     USUAL | {"dataset": [1]}, USUAL | {"more": 1}, [], None, 3, "for"],
)  # fmt: skip
def test_what_is_no_dossier_is_refused(tmp_path, asked):
    place = tmp_path / "dossier.json"
    place.write_text(json.dumps({"asked": asked}), encoding="utf-8")
    with refuses(InvalidArgument, "dossier-json-or-page"):
        deniable.check(GOLDEN / "plan", dossier=place)


@pytest.mark.parametrize("asked", [{"baselines": [0.1] * 101}, {"baselines": [2]},
                                   {"candidates": 1.5}, {"for": "nobody"}])  # fmt: skip
def test_a_dossier_that_asks_for_nonsense_does_not_hold(made, tmp_path, asked):
    content = made("plan").as_json()
    content["asked"] |= asked
    place = tmp_path / "dossier.json"
    place.write_text(json.dumps(content), encoding="utf-8")
    assert not result("plan", place).holds


def test_a_certificate_that_does_not_hold_has_no_dossier(made, tmp_path):
    folder = shutil.copytree(GOLDEN / "plan", tmp_path / "out")
    document = stated("plan")
    document["guarantee"]["epsilon"] *= 0.5
    (folder / "certificate.json").write_text(json.dumps(document), encoding="utf-8")
    with refuses(InvalidArgument, "certificate-that-holds"):
        deniable.dossier(folder, "nist")
    place = write(made("plan"), tmp_path, "json")
    answer = deniable.check(folder, dossier=place)
    assert not next(each for each in answer.checks if each.name == place.name).holds


# --- Ledgers.


@pytest.fixture
def ledger(tmp_path):
    place = tmp_path / "hospital.ledger"
    deniable.ledger.new(place, "visits", epsilon=0.75, entity="person", prior=(0.1, 0.2))
    return place


@pytest.mark.parametrize("regime", regimes())
def test_a_ledger_answers_of_its_budget_and_not_of_what_was_spent(ledger, regime):
    before = deniable.dossier(ledger, regime)
    deniable.ledger.charge_guarantee(ledger, "pure-dp:0.25", what="secret figures")
    after = deniable.dossier(ledger, regime)
    assert after == before
    text = json.dumps(after.as_json()) + dossier_page(after)
    assert "secret figures" not in text
    assert str(ledger) not in text
    summary = deniable.ledger.show(ledger)
    expected = {each.prior: each for each in summary.everything.beliefs.posterior}
    for figure in after.table["beliefs"].figures:
        belief = expected[float(figure.of.split(" from ")[1].split()[0])]
        assert (figure.lower, figure.upper) == (belief.lower, belief.upper)
    assert uppers(after.table["risk"]) == [each.success for each in deniable.risk(ledger).risks]
    assert after.table["several releases"].status is Status.COMPUTED


@pytest.mark.parametrize("kind", ["html", "json"])
def test_a_ledgers_dossier_is_checked_with_the_ledger(ledger, tmp_path, kind):
    place = write(deniable.dossier(ledger, "gdpr"), tmp_path, kind)
    deniable.ledger.charge_guarantee(ledger, "pure-dp:0.25", what="more")
    assert deniable.check(ledger, dossier=place).holds
    other = tmp_path / "other.ledger"
    deniable.ledger.new(other, "visits", epsilon=0.5, entity="person", prior=(0.1, 0.2))
    assert not deniable.check(other, dossier=place).holds
    with refuses(InvalidArgument, "with-dossier-only-more"):
        deniable.check(ledger, dossier=place, population=place)


def test_a_golden_ledger_has_its_dossier(tmp_path):
    book = shutil.copy(GOLDEN / "book.ledger", tmp_path)
    answer = deniable.dossier(book, "dp-registry", candidates=5)
    assert answer.dataset is not None
    assert answer.table["attribute"].figures[0].upper > 1 / 5
    place = write(answer, tmp_path, "json")
    assert deniable.check(book, dossier=place).holds


# --- What is refused.


@pytest.mark.parametrize(
    ("regime", "near"),
    [
        ("nits", "one-of-nist-ema-gdpr"),
        ("prci", "one-of-nist-ema-gdpr-hipaa"),
        ("EDPB", "nist-ema-gdpr-hipaa"),
        ("registry", "dp-registry"),
        (3, "one-of-nist-ema-gdpr"),
    ],
)
def test_an_unknown_regime_is_refused_with_the_nearest(regime, near):
    with refuses(InvalidArgument, near):
        deniable.dossier(GOLDEN / "plan", regime)


def test_capitals_do_not_count():
    assert deniable.dossier(GOLDEN / "plan", " NIST ").regime.key == "nist"


@pytest.mark.parametrize("arguments", [{"baselines": []}, {"candidates": 1}, {"dataset": "visits"},
                                       {"out": "page.txt"}])  # fmt: skip
def test_arguments_that_mean_nothing_are_refused(arguments):
    with refuses(InvalidArgument, "expects-something"):
        deniable.dossier(GOLDEN / "plan", "nist", **arguments)


def test_a_guarantee_is_no_release():
    with refuses(InvalidArgument, "try-deniable-risk: pure-dp:1"):
        deniable.dossier("pure-dp:1", "nist")


# --- Kinds of releases that no golden folder has.


PLAN = """
[data]
source = "visits.csv"
entity = "person"
types = { person = "integer" }
[target]
epsilon = 1.0
delta = 1e-6
[limits]
rows_per_entity = 2
[[query]]
name = "by diagnosis"
statistic = "entities"
group_by = ["diagnosis"]
keys = { diagnosis = "unknown" }
"""


def test_keys_that_nobody_knew_are_an_exception_of_their_own(tmp_path):
    rows = "\n".join(f"{i},{'abc'[i % 3]}" for i in range(90))
    (tmp_path / "visits.csv").write_text(f"person,diagnosis\n{rows}\n", encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    deniable.release(tmp_path / "plan.toml", tmp_path / "out", confirm=lambda _: True)
    answer = deniable.dossier(tmp_path / "out", "nist")
    block = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert uppers(answer.table["unknown keys"]) == [block["guarantee"]["exposure"]]
    assert answer.table["parameters"].says[0].startswith("Approximate zero-concentrated DP")
    assert uppers(answer.table["risk"]) == [
        each.success for each in deniable.risk(tmp_path / "out").risks
    ]
    place = write(answer, tmp_path, "html")
    assert deniable.check(tmp_path / "out", dossier=place).holds
