import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable
from deniable.certificate.json_documents import sha256, statement_sha256
from deniable.errors import BudgetExceeded, InfeasibleTarget, InvalidArgument
from deniable.priors import BoundedPriors
from deniable.training.certify import derive_guarantees
from deniable.training.explain import GAP
from deniable.training.noisy_gradients import Phase, privacy_curve
from tests.cases.effort import usual
from tests.cases.refusals import refuses

RUN = [(2.0, 0.125, 8)]
SAID = {"delta": 1e-5, "engine": "opacus", "batches": "poisson"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("training") / "out"
    deniable.certify_training(RUN, out, prior=(0.0, 0.1), max_posterior=0.5, **SAID)
    return out


def document(folder):
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))


def altered(folder, tmp_path, change, report=None):
    """The folder after somebody changed its certificate, or its report, and every digest."""
    tmp_path.mkdir(exist_ok=True)
    page = (folder / "report.html").read_text(encoding="utf-8") if report is None else report
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    forged = document(folder)
    change(forged)
    forged["files"]["report.html"] = sha256(page.encode())
    forged["statement_sha256"] = statement_sha256(forged)
    (tmp_path / "certificate.json").write_text(json.dumps(forged), encoding="utf-8")
    return {each.name for each in deniable.check(tmp_path).checks if not each.holds}


def test_what_was_certified_holds_and_its_history_is_named_as_taken_on_trust(folder):
    assert {path.name for path in folder.iterdir()} == {"certificate.json", "report.html"}
    answer = deniable.check(folder)
    assert answer.holds, answer.checks
    trusted = {each.what for each in answer.on_trust}
    assert "/training/history/*/steps" in trusted
    assert "values" not in trusted
    assert {"report.html"} <= {each.what for each in answer.verified}


def test_the_certificate_is_of_what_was_done():
    asked = deniable.explain_training([(1.0, 0.032, 312)], delta=1e-5)
    done = deniable.explain_training([[1.0, 0.03125, 160], [1.0, 0.03125, 160]], delta=1e-5)
    assert (done.steps, done.history[0].sample_rate) == (320, 0.03125)
    assert done.epsilon != asked.epsilon


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda d: d["training"]["history"][0].update(steps=7), {"guarantee", "derivation"}),
        (lambda d: d["training"]["history"][0].update(noise_multiplier=4.0), {"guarantee"}),
        (lambda d: d["training"]["history"].append(d["training"]["history"][0]), {"guarantee"}),
        (lambda d: d["guarantee"].update(epsilon=0.1), {"guarantee"}),
        (lambda d: d["guarantee"].update(privacy_loss=0.1), {"guarantee"}),
        (lambda d: d["guarantee"].update(exceedance=1e-6), {"schema"}),
        (lambda d: d["training"]["advantage"].update(upper=0.0, lower=0.0), {"training"}),
        (lambda d: d["training"]["trade_off"][0].update(fnr=1.0), {"training"}),
        (lambda d: d["training"].update(fnr=0.999), {"training"}),
        (lambda d: d["target"].update(value=0.12), {"derivation"}),
        (lambda d: d.update(target=None), {"derivation"}),
        (lambda d: d["not_covered"].pop(0), {"not covered"}),
        (lambda d: d.pop("training"), {"schema"}),
        (lambda d: d["training"].update(sampling="shuffle"), {"schema"}),
        (lambda d: d["training"]["history"].clear(), {"schema"}),
    ],
)  # fmt: skip
def test_whoever_changes_a_certificate_is_found(folder, tmp_path, change, found):
    assert found <= altered(folder, tmp_path / "out", change)


@settings(max_examples=usual(2, 5), deadline=None)
@given(
    st.floats(0.5, 5.0),
    st.floats(0.001, 1.0),
    st.integers(1, 30),
    st.floats(1e-9, 0.05),
    st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
    st.floats(1e-3, 0.9),
)
def test_nothing_stated_is_stronger_than_its_curve(noise, rate, steps, delta, ends, fpr):
    history = (Phase(noise, rate, steps),)
    made = derive_guarantees(history, delta, BoundedPriors(*sorted(ends)), fpr, None)
    curve = privacy_curve(history, gap=GAP)
    stated, read, training = made.stated.guarantee, made.explanation, made.stated.training
    assert stated.epsilon >= curve.epsilon(delta).upper
    assert stated.privacy_loss >= curve.loss(delta).upper
    assert stated.advantage >= curve.advantage().upper
    assert stated.attack_success >= curve.attack_success().upper
    assert stated.gamma >= read.gamma
    assert stated.gamma_outside >= read.gamma_outside >= Fraction(math.exp(read.loss.lower))
    assert Fraction(stated.rho) >= Fraction(steps) / (2 * Fraction(noise) ** 2)
    assert training.advantage.lower <= curve.advantage().lower
    assert training.advantage.upper >= curve.advantage().upper
    rates = [training.rates, *training.trade_off]
    assert all(each.fnr <= curve.fnr(each.fpr).lower for each in rates[::7])
    assert all(0 <= each.fnr <= 1 - each.fpr for each in rates)
    for belief, prior in zip(read.posterior, sorted(ends), strict=True):
        odds = Fraction(math.exp(read.loss.lower)) * Fraction(1 - 1e-12)
        assert belief.prior == prior
        p = Fraction(prior)
        assert belief.upper >= odds * p / (1 - p + odds * p)
        assert belief.lower <= p / (p + odds * (1 - p))


def test_a_report_that_says_something_else_is_found(folder, tmp_path):
    page = (folder / "report.html").read_text(encoding="utf-8").replace("8 steps", "3 steps")
    assert altered(folder, tmp_path / "out", lambda d: d, page) == {"report"}


def test_a_target_that_is_not_met_is_refused_and_nothing_is_written(tmp_path):
    with refuses(InfeasibleTarget, "training-that-keeps-to-max-posterior"):
        deniable.certify_training(
            RUN, tmp_path / "out", prior=(0.0, 0.1), max_posterior=0.11, **SAID
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("batches", ["poisson", "shuffled"])
@pytest.mark.parametrize(
    "missed",
    [
        {"epsilon": 0.1},
        {"gamma": 1.1},
        {"max_posterior": 0.11, "prior": (0.0, 0.1)},
        {"attack_success": 0.51},
        {"advantage": 0.01},
        {"fnr": 0.989, "fpr": 0.01},
    ],
)
def test_what_a_training_reaches_instead_is_said_and_is_met(tmp_path, missed, batches):
    kind, said = next(iter(missed)), SAID | {"batches": batches}
    with refuses(InfeasibleTarget, f"one-that-keeps-to: {kind}") as refused:
        deniable.certify_training(RUN, tmp_path / "out", **missed, **said)
    [reached] = re.findall(rf"got one that keeps to {kind}=(\S+)\. ", str(refused.value))
    assert (float(reached) < missed[kind]) == (kind == "fnr")
    done = deniable.certify_training(
        RUN, tmp_path / "out", **missed | {kind: float(reached)}, **said
    )
    assert done.certificate.target.value == float(reached)
    closer = 1.0005 if kind == "fnr" else 0.999
    with refuses(InfeasibleTarget, f"one-that-keeps-to: {kind}"):  # it is no looser than it is
        deniable.certify_training(
            RUN, tmp_path / "more", **missed | {kind: closer * float(reached)}, **said
        )


def test_what_has_no_number_of_its_kind_is_said_by_epsilon(tmp_path):
    with refuses(InfeasibleTarget, "one-that-keeps-to: epsilon"):
        deniable.certify_training(RUN, tmp_path / "out", identifiability=0.02, worlds=100, **SAID)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"delta": 0.0}, "not-between-0-and-1: delta"),
        ({"delta": 1.0}, "not-between-0-and-1: delta"),
        ({"delta": float("nan")}, "not-a-number: delta"),
        ({"delta": "x"}, "not-a-number: delta"),
        ({"delta": 1e-5, "prior": (0.5, 0.1)}, "ends-swapped: prior"),
        ({"delta": 1e-5, "fpr": 0.0}, "not-between-0-and-1: fpr"),
        ({"delta": 1e-5, "fpr": 1.5}, "not-between-0-and-1: fpr"),
        ({"delta": 1e-5, "fnr": 0.5}, "fpr-with-fnr"),
        ({"delta": 1e-5, "worlds": 5}, "exactly-one-target"),
        ({"delta": 1e-5, "gamma": 2.0, "advantage": 0.5}, "one-target"),
        ({"delta": 1e-5, "identifiability": 0.5}, "worlds-give-worlds"),
        ({"delta": 1e-5, "epsilon": -1.0}, "not-above-0: epsilon"),
    ],
)
def test_wrong_arguments_are_one_sentence(tmp_path, asked, word):
    with refuses(InvalidArgument, word):
        deniable.certify_training(RUN, tmp_path / "out", engine="opacus", **asked)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("engine", [None, "opacus"])
def test_a_history_alone_is_first_asked_how_batches_were_drawn(tmp_path, engine):
    """What a trainer must be asked whatever the engine: engines write one history either way."""
    with refuses(InvalidArgument, "batches-beside-history"):
        deniable.certify_training(RUN, tmp_path / "out", delta=1e-5, engine=engine)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_free_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    with refuses(InvalidArgument, "new-or-empty-folder"):
        deniable.certify_training(RUN, tmp_path, **SAID)


def test_a_training_is_charged_every_step_without_the_gain_of_sampling(tmp_path):
    book = tmp_path / "book.ledger"
    deniable.ledger.new(
        book, "records", advantage=0.75, delta=1e-5, adjacency="add-remove", each_row=True
    )
    account = {"ledger": book, "dataset": "records"}
    done = deniable.certify_training(RUN, tmp_path / "one", **SAID, **account)
    assert done.certificate.ledger.charged == 8 / (2 * 2.0**2)
    assert deniable.check(tmp_path / "one").holds
    with refuses(BudgetExceeded, "left-cannot-cost-less"):
        deniable.certify_training(RUN, tmp_path / "two", **SAID, **account)
    assert not (tmp_path / "two").exists()


def test_a_history_is_read_once(tmp_path, monkeypatch):
    """Between two reads of a file somebody may replace it."""
    path, reads = tmp_path / "history.json", []
    path.write_text(json.dumps(RUN), encoding="utf-8")
    read = Path.open

    def counted(self, *args, **options):
        reads.append(self.name)
        return read(self, *args, **options)

    monkeypatch.setattr(Path, "open", counted)
    deniable.certify_training(path, tmp_path / "out", **SAID)
    assert reads.count("history.json") == 1
