"""Where a few records stood tells how batches were drawn; simulated loaders."""

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.training.batches.watch import watch_batches

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
    alarms = sum(watch(way, way, rng, false_alarm=0.05).warning is not None for _ in range(200))
    assert alarms <= 20  # 10 expected at most; more than 20 with a probability below 1 in 500


def test_steps_of_another_run_are_refused():
    with pytest.raises(InvalidArgument, match="steps of 0 to 19"):
        watch_batches([[20]], batches="shuffled", steps_per_epoch=10, epochs=2)
