"""Histories as opake 0.16.1 writes them: `json.dumps(state_dict(accountant))`."""

import json

import pytest

from deniable.errors import InvalidArgument
from deniable.training.history import read_history, says_how_it_drew, stated_batches
from deniable.training.noisy_gradients import Phase
from tests.cases.refusals import refuses

GAUSSIAN = '{"type": "Gaussian", "noise_multiplier": 1.0}'
POISSON = (
    '{"type": "Poisson", "inner": {"type": "Gaussian", "noise_multiplier": 1.0}, '
    '"sample_rate": 0.01, "truncated_batch_size": null, "dataset_size": null}'
)
ALLOCATED = (
    '{"type": "KOutOfT", "inner": {"type": "Gaussian", "noise_multiplier": 1.0}, "k": 10, '
    '"n_steps": 1000, "allocation": "block"}'
)


def state(process):
    return json.loads(f'{{"process": {process}}}')


def test_poisson_samples_are_phases_and_say_how_they_were_drawn():
    repeated = f'{{"type": "Repeated", "inner": {POISSON}, "count": 3}}'
    other = POISSON.replace("1.0", "2.0").replace("0.01", "0.02")
    run = state(f'{{"type": "Composed", "left": {repeated}, "right": {other}}}')
    assert set(read_history(run)) == {Phase(1.0, 0.01, 3), Phase(2.0, 0.02, 1)}
    assert says_how_it_drew(run)
    assert stated_batches(run) is None
    assert read_history(state(GAUSSIAN)) == (Phase(1.0, 1.0, 1),)


def test_blocks_are_epochs_of_an_allocation():
    drawn = stated_batches(state(ALLOCATED))
    assert drawn.spec == "allocation-batches:1.0,100,10@zero-out"
    twice = stated_batches(state(f'{{"type": "Repeated", "inner": {ALLOCATED}, "count": 2}}'))
    assert (twice.steps_per_epoch, twice.epochs) == (100, 20)


def test_a_file_of_it_is_read(tmp_path):
    (tmp_path / "history.json").write_text(json.dumps(state(ALLOCATED) | {"budget": None}))
    assert stated_batches(tmp_path / "history.json").steps == 1000


def test_a_run_of_many_different_steps_is_read_without_a_deep_stack():
    node = json.loads(POISSON)
    for _ in range(5_000):
        node = {"type": "Composed", "left": node, "right": json.loads(POISSON)}
    assert read_history({"process": node}) == (Phase(1.0, 0.01, 5_001),)


@pytest.mark.parametrize(
    ("process", "words"),
    [
        (
            POISSON.replace('"truncated_batch_size": null', '"truncated_batch_size": 9'),
            "samples-that-are-cut-off",
        ),
        (ALLOCATED.replace("block", "total"), "draws-one-step-and-nothing"),
        (ALLOCATED.replace("1000", "1001"), "equal-size-n-steps"),
        (ALLOCATED.replace('"k": 10, ', ""), "so-many-of: k | KOutOfT"),
        (POISSON.replace("Gaussian", "AdaClip"), "process-of-repeated-composed"),
        (
            POISSON.replace('"sample_rate"', '"weights": 1, "sample_rate"'),
            "truncated-batch-size-and-nothing-else",
        ),
        ('{"type": "MfGaussian"}', "process-of-repeated-composed"),
        (
            f'{{"type": "Composed", "left": {ALLOCATED}, "right": {POISSON}}}',
            "draws-one-step-and-nothing",
        ),
    ],
)
def test_what_is_not_known_is_refused(process, words):
    with refuses(InvalidArgument, words):
        stated_batches(state(process)) or read_history(state(process))
