"""What runs can show, and the verdict."""

import pytest

from deniable.auditing.statistics import (
    decides,
    decides_exactly,
    deciding,
    enough,
    lower_limit,
    verdict,
    visible,
)
from tests.cases.effort import some_pairs


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("runs", [1, 7, 100, 5000])
def test_nothing_shows_more_than_what_is_visible(runs, delta):
    best = max(lower_limit(runs, r, r, delta=delta) for r in {1, runs // 2 + 1, runs})
    assert visible(runs, delta=delta) == best


@pytest.mark.parametrize(
    ("claimed", "delta"), some_pairs([0.0, 0.01, 0.5, 1.0, 3.0, 8.0], [0.0, 1e-5, 0.1, 1e-5])
)
def test_the_number_that_decides_is_enough_and_a_fifth_less_is_not(claimed, delta):
    runs = decides(claimed, delta=delta)
    assert runs is not None
    assert any(enough(n, claimed, delta=delta) for n in range(runs, runs + 3))
    assert not enough(int(runs * 0.8), claimed, delta=delta)


def test_no_number_of_runs_sees_a_claim_that_says_nothing():
    assert decides(60.0) is None
    assert decides(1.0, delta=0.999999999999) is None


@pytest.mark.parametrize(
    ("found", "proven", "claimed", "runs", "expected"),
    [
        (1.2, 1.0000001, 1.0, 10, "violated"),
        (1.2, 1.0, 1.0, 10_000, "inconclusive"),
        (1.0, 0.9, 1.0, 10_000, "consistent"),
        (0.0, 0.0, 1.0, 10_000, "consistent"),
        (0.9, 0.0, 1.0, 10, "inconclusive"),
        (0.0, 0.0, 0.01, 200, "inconclusive"),
        (5.0, 4.0, None, 10_000, "inconclusive"),
        (0.0, 0.0, 1.0, 0, "inconclusive"),
    ],
)
def test_a_verdict_compares_both_limits_with_the_claim(found, proven, claimed, runs, expected):
    assert verdict(found, proven, claimed, runs) == expected


@pytest.mark.parametrize("claimed", [0.0, 0.5, 3.0, 7.0])
@pytest.mark.parametrize("delta", [0.0, 0.3])
def test_the_number_that_decides_about_exact_answers_is_the_least(claimed, delta):
    n, level = decides_exactly(claimed, delta=delta), {"delta": delta, "confidence": deciding(0.95)}
    assert lower_limit(n, n, n, **level) > claimed
    assert lower_limit(n - 1, n - 1, n - 1, **level) <= claimed
