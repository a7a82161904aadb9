"""What is said twice of a training, and differs: refused, never the one that promises more."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from deniable.training.batches.batched import Batches, batches_of_history, drawn_history
from deniable.training.noisy_gradients import Phase
from tests.cases.command_line import app
from tests.cases.refusals import refuses, says

HISTORY = [[1.0, 0.03125, 320]]
"""32 steps an epoch, 10 epochs."""
SIZES = {"records": 3200, "batch_size": 100}
WAYS = [*map(str, Batches)]


def explain(*words):
    return CliRunner().invoke(app, ["training", "explain", *map(str, words)])


@pytest.fixture
def history(tmp_path):
    path = tmp_path / "history.json"
    path.write_text(json.dumps(HISTORY), encoding="utf-8")
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steps", [1, 5, 31, 33, 320])
def test_no_epoch_is_longer_or_shorter_than_the_rate_says(way, steps):
    sizes = SIZES if way == "without-replacement" else {}
    with refuses(InvalidArgument, "names-argument: steps_per_epoch"):
        drawn_history((Phase(*HISTORY[0]),), way, steps_per_epoch=steps, **sizes)


@pytest.mark.parametrize("way", WAYS)
def test_the_epoch_of_the_rate_is_taken(way):
    sizes = SIZES if way == "without-replacement" else {}
    drawn = drawn_history((Phase(*HISTORY[0]),), way, steps_per_epoch=32, **sizes)
    assert drawn == (Phase(*HISTORY[0]),) if way == "poisson" else drawn.epochs == 10


@pytest.mark.parametrize(("rate", "records", "batch"), [(0.3, 10, 3), (2 / 3, 150, 100)])
@pytest.mark.parametrize("way", ["shuffled", "without-replacement"])
def test_a_rate_of_sizes_belongs_to_both_roundings_of_its_epoch(way, rate, records, batch):
    long = -(-records // batch)
    trained = batches_of_history(
        [Phase(1.0, rate, 12)], way, steps_per_epoch=long, records=records, batch_size=batch
    )
    assert trained.steps == 12


@pytest.mark.parametrize(
    "said",
    [
        {"records": 1000, "batch_size": 500},
        {"records": 1000, "batch_size": 1},
        {"drop_last": True},
        {"steps_per_epoch": 5},
    ],
)
def test_poisson_samples_are_of_the_rate_of_their_history(said):
    with pytest.raises(InvalidArgument):
        drawn_history((Phase(*HISTORY[0]),), "poisson", **said)


def test_samples_of_several_records_keep_the_rate_of_their_history():
    # One over a number of steps that somebody states would be a smaller rate.
    with refuses(InvalidArgument, "give-records-and-batch-size"):
        batches_of_history(
            [Phase(1.0, 0.3, 12)], "poisson", steps_per_epoch=4, records_per_person=2
        )


@pytest.mark.parametrize("way", ["poisson", "shuffled", "allocation"])
@pytest.mark.parametrize(
    "beside",
    [["--noise-multiplier", 5], ["--sample-rate", 0.001], ["--steps", 10], ["--epochs", 1]],
)
def test_numbers_beside_a_history_are_refused(history, way, beside):
    done = explain(history, "--batches", way, *beside)
    assert done.exit_code == 2
    assert beside[0] in done.output


@pytest.mark.parametrize(
    "words",
    [
        "--steps-per-epoch 32 --epochs 10 --steps 5",
        "--sample-rate 0.03125 --steps 320 --epochs 1",
    ],
)
@pytest.mark.parametrize("way", ["poisson", "shuffled"])
def test_steps_are_said_once(way, words):
    done = explain("--noise-multiplier", 1, "--batches", way, *words.split())
    assert done.exit_code == 2
    assert says(done.output, "leave-it-out")


@pytest.mark.parametrize(
    "beside", [["--records", 10], ["--batch-size", 2], ["--noise-multiplier", 9], ["--drop-last"]]
)
def test_a_history_that_says_its_way_stands_alone(tmp_path, beside):
    path = tmp_path / "history.json"
    stated = {"batches": "shuffled", "noise_multiplier": 1, "steps_per_epoch": 32, "epochs": 10}
    path.write_text(json.dumps(stated), encoding="utf-8")
    assert explain(path, "--batches", "shuffled").exit_code == 0
    assert explain(path, "--batches", "shuffled", *beside).exit_code == 2


# --- A 0 or an empty text is a statement, never one that was left out.


SHUFFLED = "--batches shuffled --noise-multiplier 1 --epochs 2 --steps-per-epoch 32"


@pytest.mark.parametrize(
    "words",
    [
        # A run without noise was read as one of multiplier 1.
        "--batches shuffled --noise-multiplier 0 --epochs 2 --steps-per-epoch 32",
        "--batches poisson --noise-multiplier 0 --epochs 2 --steps-per-epoch 32",
        "--sample-rate 0.1 --steps 10 --noise-multiplier 1 --records-per-person 0",
        "--sample-rate 0.1 --steps 10 --noise-multiplier 1 --batches poisson --steps-per-epoch 0",
        "--batches shuffled --noise-multiplier 1 --epochs 2 --records 100 --batch-size 0",
        "--batches shuffled --noise-multiplier 1 --epochs 2 --records 0 --batch-size 10",
        f"{SHUFFLED} --records-per-person 0",
        f"{SHUFFLED} --neighbours=",
    ],
)
def test_a_zero_is_stated(words):
    assert explain(*SHUFFLED.split()).exit_code == 0
    assert explain(*words.split()).exit_code == 2


@pytest.mark.parametrize(
    "beside", ["--records-per-person 0", "--batches poisson --steps-per-epoch 0", "--neighbours="]
)
def test_a_zero_beside_a_history_is_stated(history, beside):
    assert explain(history).exit_code == 0
    assert explain(history, *beside.split()).exit_code == 2


@pytest.mark.parametrize("wrong", [{"records_per_person": 0}, {"neighbours": ""}])
def test_a_zero_is_stated_in_a_comparison(wrong):
    with pytest.raises(InvalidArgument):
        deniable.compare_training(noise_multiplier=1.0, epochs=1, steps_per_epoch=2, **wrong)


# --- A log of batches.

LOG = {"canaries": [[3, 11, 24, 37]], "batches": "shuffled", "steps_per_epoch": 10, "epochs": 4}


@pytest.mark.parametrize("beside", [{"batches": "poisson"}, {"steps_per_epoch": 20}, {"epochs": 2}])
def test_a_log_is_not_contradicted(beside):
    with refuses(InvalidArgument, "what-log-says"):
        deniable.watch_batches(LOG, **beside)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": [5.5] * 40, "records": 50},
        {"sizes": ["a"] * 40, "records": 50},
        {"sizes": [-1] * 40, "records": 50},
        {"sizes": [51] * 40, "records": 50},
        {"sizes": [5] * 40, "records": "a"},
        {"sizes": [5] * 40, "records": 0},
        {"sizes": [5] * 40, "records": 10**400},
    ],
)
def test_sizes_of_a_log_are_numbers_of_records(wrong):
    with pytest.raises(InvalidArgument):
        deniable.watch_batches(LOG | wrong)


@pytest.mark.parametrize(
    "beside",
    [["--seed", 1], ["--workers", 2], ["--confidence", 0.5], ["--time-limit", 1], ["--runs", 9]],
)
def test_a_log_of_batches_is_no_attack(tmp_path, history, beside):
    log = tmp_path / "log.json"
    log.write_text(json.dumps(LOG), encoding="utf-8")
    words = map(str, ["audit", history, "--batch-log", log, *beside])
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 2
    assert beside[0] in done.output


def _fixed(rng, records, batch, steps, watched):
    """The steps of records in batches of a fixed size, each drawn anew."""
    drawn = np.argsort(rng.random((steps, records)), axis=1)[:, :batch]
    return [np.flatnonzero((drawn == each).any(axis=1)).tolist() for each in range(watched)]


@pytest.mark.parametrize(
    ("records", "batch", "steps", "epochs", "watched"),
    [(150, 100, 2, 30, 40), (150, 100, 1, 5, 40), (4, 2, 2, 50, 4), (2, 1, 2, 50, 2)],
)
def test_a_right_claim_of_batches_of_fixed_size_is_seldom_doubted(
    records, batch, steps, epochs, watched
):
    """Rates that are not 1/T, and watched records that take each other's places.

    The test as if records were independent and of rate 1/T doubts 7 to 100 % of these.
    """
    claim = {
        "batches": "without-replacement", "noise_multiplier": 1.0, "steps_per_epoch": steps,
        "epochs": epochs, "records": records, "batch_size": batch,
    }  # fmt: skip
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(100):
        canaries = _fixed(rng, records, batch, steps * epochs, watched)
        seen = deniable.watch_batches(canaries, history=claim, false_alarm=0.01)
        alarms += seen.warning is not None
    assert alarms <= 7  # 1 expected at most: more than 7 with a probability below 1 in 100,000


@pytest.mark.parametrize(
    "history",
    [
        [{"noise_multiplier": 1.0, "sample_rate": 0.2, "steps": 100, "sampling": "poisson"}],
        {
            "batches": "poisson", "noise_multiplier": 1.0, "steps_per_epoch": 10, "epochs": 10,
            "records": 95, "batch_size": 10,
        },
    ],
)  # fmt: skip
def test_a_right_claim_of_samples_of_any_rate_is_seldom_doubted(history):
    stated = isinstance(history, list)
    rate = 0.2 if stated else 10 / 95
    log = {"batches": "poisson", "steps_per_epoch": 10, "epochs": 10} if stated else {}
    rng, alarms = np.random.default_rng(6), 0
    for _ in range(100):
        canaries = [np.flatnonzero(rng.random(100) < rate).tolist() for _ in range(60)]
        seen = deniable.watch_batches(log | {"canaries": canaries}, history=history)
        alarms += seen.warning is not None
    assert alarms <= 3  # 0.1 expected at most: more than 3 with a probability below 1 in 100,000


def test_a_history_of_several_rates_has_no_one_law():
    rows = [[1.0, 0.1, 50], [1.0, 0.2, 50]]
    with refuses(InvalidArgument, "one-sampling-rate"):
        deniable.watch_batches(LOG | {"batches": "poisson"}, history=rows)
