"""Where a few records stood tells how batches were drawn; simulated loaders."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from deniable.errors import InvalidArgument
from deniable.training.batches.watch import watch_batches
from tests.cases.command_line import app
from tests.cases.refusals import refuses, says

T, E, N, B = 10, 12, 200, 20


def run(way, rng):
    """The batches of a run, each an array of records."""
    order, step_of = rng.permutation(N), rng.integers(T, size=N)
    batches = []
    for _ in range(E):
        if way == "shuffled":
            order = rng.permutation(N)
        if way == "allocation":
            step_of = rng.integers(T, size=N)
        batches += [_drawn(way, rng, t, order, step_of) for t in range(T)]
    return batches


def _drawn(way, rng, t, order, step_of):
    if way == "poisson":
        return np.flatnonzero(rng.random(N) < 1 / T)
    if way == "without-replacement":
        return rng.permutation(N)[:B]
    if way.startswith("allocation"):
        return np.flatnonzero(step_of == t)
    return (np.arange(N) if way == "fixed-order" else order)[t * B : (t + 1) * B]


def watch(way, claimed, rng, watched=4, **options):
    batches = run(way, rng)
    canaries = [[s for s, batch in enumerate(batches) if c in batch] for c in range(watched)]
    sizes = [len(batch) for batch in batches]
    return watch_batches(
        canaries, batches=claimed, steps_per_epoch=T, epochs=E, sizes=sizes, records=N, **options
    )


@pytest.mark.parametrize(
    ("way", "fits"),
    [
        ("poisson", {"poisson"}),
        ("allocation", {"allocation"}),
        ("shuffled", {"shuffled"}),
        ("shuffled-once", {"shuffled-once", "fixed-order", "allocation-once"}),
        ("fixed-order", {"shuffled-once", "fixed-order", "allocation-once"}),
        ("without-replacement", {"without-replacement"}),
        ("allocation-once", {"allocation-once"}),
    ],
)
def test_each_way_is_told_from_the_others(way, fits):
    rng = np.random.default_rng(0)
    seen = watch(way, "poisson", rng)
    assert set(seen.possible) == fits
    assert (seen.warning is None) == (way == "poisson")


@pytest.mark.parametrize("way", ["poisson", "allocation", "shuffled", "without-replacement"])
def test_a_right_claim_is_seldom_doubted(way):
    rng = np.random.default_rng(1)
    alarms = sum(watch(way, way, rng, false_alarm=0.05).warning is not None for _ in range(100))
    assert alarms <= 12  # 5 expected at most; more than 12 with a probability below 1 in 500


def shuffles(way, records, size, drops, rng, epochs=40, watched=4):
    """What is written down of a loader whose batches do not divide its records."""
    starts = range(0, records - size + 1 if drops else records, size)
    canaries, sizes, order = [[] for _ in range(watched)], [], rng.permutation(records)
    for _ in range(epochs):
        order = rng.permutation(records) if way == "shuffled" else order
        for start in starts:
            batch = order[start : start + size].tolist()
            for record in set(batch) & set(range(watched)):
                canaries[record].append(len(sizes))
            sizes.append(len(batch))
    run = {"canaries": canaries, "steps_per_epoch": len(starts), "epochs": epochs}
    return run, {"sizes": sizes, "records": records}


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize(("records", "size"), [(10, 3), (7, 4), (205, 20)])
@pytest.mark.parametrize("way", ["shuffled", "shuffled-once", "fixed-order"])
def test_a_loader_that_drops_a_short_batch_or_keeps_it_is_not_doubted(way, records, size, drops):
    rng, alarms = np.random.default_rng(2), 0
    for _ in range(20):
        run, counted = shuffles(way, records, size, drops, rng)
        alarms += watch_batches(run, batches=way).warning is not None
        alarms += watch_batches(run | counted, batches=way).warning is not None
    assert alarms <= 2  # 0.04 expected at most; more than 2 with a probability below 1 in 90,000


def test_a_record_that_is_left_out_too_often_is_seen():
    run, counted = shuffles("shuffled", 10, 3, True, np.random.default_rng(3), epochs=100)
    run["canaries"][0] = run["canaries"][0][:20]
    for log in (run, run | counted):
        assert watch_batches(log, batches="shuffled").warning is not None
    whole = counted | {"sizes": [3, 3, 4] * 100}
    assert watch_batches(run | whole, batches="shuffled").chances["shuffled"] == 0


def test_steps_of_another_run_are_refused():
    with refuses(InvalidArgument, "steps-of-0: 19"):
        watch_batches([[20]], batches="shuffled", steps_per_epoch=10, epochs=2)


LOG = {"canaries": [[3, 13, 23, 33, 43, 53, 63, 73]], "steps_per_epoch": 10, "epochs": 8}
SAMPLED = [{"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 80, "sampling": "poisson"}]


def test_a_log_is_compared_with_what_a_history_claims(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(LOG))
    seen = watch_batches(tmp_path / "log.json", history=SAMPLED)
    assert (str(seen.claimed), seen.warning is None) == ("poisson", False)
    stated = {"batches": "shuffled-once", "noise_multiplier": 1, "steps_per_epoch": 10, "epochs": 8}
    assert watch_batches(LOG, history=stated).warning is None
    assert watch_batches(LOG | {"batches": "poisson"}, history=stated).warning is None


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (LOG, "states-how-batches-were-drawn"),
        ({"steps": []}, "key-canaries"),
        (LOG | {"weights": 1}, "key-canaries"),
        (LOG | {"canaries": 3}, "list-of-steps"),
        (LOG | {"canaries": [["a"]], "batches": "poisson"}, "not-a-number: step"),
    ],
)
def test_a_log_that_does_not_say_enough_is_refused(log, words):
    with refuses(InvalidArgument, words):
        watch_batches(log, history=[(1.0, 0.1, 80)])


def test_audit_compares_a_log_with_a_history(tmp_path):
    for name, content in (("log", LOG), ("sampled", SAMPLED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    line = ["audit", str(tmp_path / "sampled.json"), "--batch-log", str(tmp_path / "log.json")]
    ran = CliRunner().invoke(app, line)
    assert ran.exit_code == 3
    assert "not drawn as claimed (poisson)" in ran.stdout
    assert "shuffled-once        fits" in ran.stdout
    refused = CliRunner().invoke(app, [*line, "--runs", "9"])
    assert refused.exit_code == 2
    assert says(refused.stderr, "no-runs-option")
