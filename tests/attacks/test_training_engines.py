"""Histories of reused noise, or of noise spent elsewhere, look like those of fresh noise.

Each history below is what the named library wrote, as rows or as an event, when it was run:
Opacus 1.6.0, opacus-dpcr 1.0.0, jax-privacy 2.0.0 with dp-accounting 0.6.0.
"""

import json

import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from deniable.training.history import ENGINES, WEAKER
from deniable.training.noisy_gradients import Phase
from tests.attacks.test_training_histories import (
    ComposedDpEvent,
    GaussianDpEvent,
    PoissonSampledDpEvent,
    SelfComposedDpEvent,
)
from tests.cases.command_line import app
from tests.cases.refusals import refuses

STEP = PoissonSampledDpEvent(0.25, GaussianDpEvent(1.0))
OPACUS = [(1.0, 0.25, 8)]
HISTORIES = {
    "Opacus, with flat, per-layer, ghost or adaptive clipping, or batches in order": OPACUS,
    "Opacus, in order, two batches gathered": [(1.0, 0.5, 4)],
    "Opacus, with a noise schedule": [(1.0, 0.25, 4), (0.5, 0.25, 4)],
    "opacus-dpcr": {"history": OPACUS, "mechanism": "rdp"},
    "jax-privacy, 16 steps of four bands": SelfComposedDpEvent(STEP, 4),
    "jax-privacy, matrix factorisation without sampling": GaussianDpEvent(1.0),
    "TensorFlow Privacy, with adaptive clipping": ComposedDpEvent(
        [GaussianDpEvent(1.0), GaussianDpEvent(20.0)]
    ),
    "plain JSON": [{"noise_multiplier": 1.0, "sample_rate": 0.25, "steps": 8}],
    "plain JSON that says more": [
        {
            "noise_multiplier": 1.0,
            "sample_rate": 0.25,
            "steps": 8,
            "mechanism": "gaussian",
            "sampling": "poisson",
        }
    ],
    "phases of ours": [Phase(1.0, 0.25, 8)],
}
BOTH = pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)


def certified_from_file(tmp_path, history, *words):
    """The command on a history as a file, where JSON can hold it."""
    path = tmp_path / "history.json"
    path.write_text(json.dumps(history))
    return CliRunner().invoke(
        app, ["training", "certify", str(path), "--out", str(tmp_path / "out"), *words]
    )


def is_json(history):
    return not (
        type(history).__name__.endswith("DpEvent")
        or (isinstance(history, list) and isinstance(history[0], Phase))
    )


@BOTH
def test_no_history_is_certified_before_its_engine_is_named(tmp_path, history):
    with refuses(InvalidArgument, "engine-to-one"):
        deniable.certify_training(history, tmp_path / "out", delta=1e-5, batches="poisson")
    if is_json(history):
        done = certified_from_file(tmp_path, history, "--batches", "poisson")
        assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
        assert "--engine" in done.output
        assert all(name in done.output for name in ENGINES)
        assert "opacus-dpcr" in done.output
        assert "jax-privacy-bandmf" in done.output
    assert not (tmp_path / "out").exists()


@BOTH
@pytest.mark.parametrize("engine", WEAKER)
def test_no_history_is_certified_or_explained_of_an_engine_that_means_less(
    tmp_path, history, engine
):
    for certify in (
        lambda: deniable.certify_training(history, tmp_path / "out", delta=1e-5, engine=engine),
        lambda: deniable.explain_training(history, delta=1e-5, engine=engine),
    ):
        with refuses(InvalidArgument, f"names-argument: {engine}") as caught:
            certify()
        assert "\n" not in str(caught.value)
    if is_json(history):
        done = certified_from_file(tmp_path, history, "--engine", engine)
        assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("engine", WEAKER)
def test_an_engine_that_means_less_is_refused_beside_three_numbers_too(tmp_path, engine):
    numbers = ["--sample-rate", "0.25", "--steps", "8", "--noise-multiplier", "1"]
    for words in (["explain"], ["certify", "--out", str(tmp_path / "out")]):
        done = CliRunner().invoke(app, ["training", *words, *numbers, "--engine", engine])
        assert (done.exit_code, len(done.output.splitlines())) == (2, 1), done.output
    assert not (tmp_path / "out").exists()


@BOTH
@pytest.mark.parametrize(
    "engine", ["", "Opacus", "opacus 1.6", "fresh", "adam", None, 1, ["opacus"]]
)
def test_an_engine_that_is_not_known_is_no_engine(tmp_path, history, engine):
    with refuses(InvalidArgument, "expects-something") as caught:
        deniable.certify_training(history, tmp_path / "out", delta=1e-5, engine=engine)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_engine_stands_in_the_certificate_and_is_taken_on_trust(tmp_path, engine):
    out = tmp_path / "out"
    done = deniable.certify_training(OPACUS, out, delta=1e-5, engine=engine, batches="poisson")
    document = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert document["training"]["engine"] == engine
    assert any(ENGINES[engine] in sentence for sentence in document["assumptions"])
    assert ENGINES[engine].split("(")[0][:30] in (out / "report.html").read_text(encoding="utf-8")
    answer = deniable.check(out)
    assert answer.holds, answer.checks
    assert "/training/engine" in {each.what for each in answer.on_trust}
    assert done.as_json()["engine"] == engine


def test_three_numbers_are_themselves_the_word_that_noise_was_fresh(tmp_path):
    numbers = ["--sample-rate", "0.25", "--steps", "8", "--noise-multiplier", "1"]
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["training", "certify", *numbers, "--out", str(out)])
    assert done.exit_code == 0, done.output
    document = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert document["training"]["engine"] == "dp-sgd"


def test_what_is_explained_says_how_it_was_read(tmp_path):
    assert deniable.explain_training(OPACUS).as_json()["engine"] == "dp-sgd"
    path = tmp_path / "history.json"
    path.write_text(json.dumps(OPACUS))
    done = CliRunner().invoke(app, ["training", "explain", str(path)])
    assert "read as" in done.stdout
    assert ENGINES["dp-sgd"] in done.stdout
