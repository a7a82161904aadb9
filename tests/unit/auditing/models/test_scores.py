"""Attacks find what is there, and look at the run and the pilot only."""

import numpy as np
import pytest
from scipy.stats import norm

from deniable.auditing.models import ATTACKS, FARTHEST
from deniable.auditing.runs import Runs

LOSS, LIRA, RMIA = ATTACKS


def made(runs: int, effect: float, seed: int = 0, records: int = 12) -> Runs:
    """Log-odds with a mean of each record, `effect` higher for members."""
    rng = np.random.default_rng(seed)
    members = rng.integers(0, 2, (runs, records)).astype(bool)
    s = 2 * np.arange(records) - 10 + rng.normal(size=members.shape) + effect * members
    return Runs(members, np.log1p(np.exp(-s))[:, :, None])


def right(scores: np.ndarray, members: np.ndarray) -> float:
    """Chance that a member of a run scores more than another record's non-member."""
    above = scores[members][:, None] - scores[~members][None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def test_the_likelihood_ratio_is_that_of_the_two_laws_where_they_are_normal():
    pilot, test = made(4000, 1.5), made(50, 1.5, seed=1)
    scores = LIRA.fit(pilot)(test.signals)
    loss = test.signals[:, :, 0]
    s, mean = -np.log(np.expm1(loss)), 2 * np.arange(12) - 10
    truth = norm.logpdf(s, mean + 1.5) - norm.logpdf(s, mean)
    # seed fixed; means err by 1/sqrt(2000) = 0.02, and |s - mean| is below 4.5
    assert np.abs(scores - truth).max() < 0.35


def test_records_that_differ_hide_members_from_the_loss_alone():
    pilot, test = made(400, 2.0), made(400, 2.0, seed=1)
    aucs = {a.name: right(a.fit(pilot)(test.signals), test.members) for a in ATTACKS}
    assert aucs["lira"] > 0.9 > 0.65 > aucs["loss-threshold"]
    assert aucs["rmia"] > aucs["loss-threshold"] + 0.1


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_the_score_of_a_run_depends_on_no_other_run(attack):
    pilot, test = made(40, 1.0), made(10, 1.0, seed=2)
    score = attack.fit(pilot)
    alone = np.concatenate([score(test.signals[i : i + 1]) for i in range(10)])
    assert np.array_equal(alone, score(test.signals))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
@pytest.mark.parametrize("kind", ["constant", "zero", "infinite", "one record", "always in"])
def test_scores_are_numbers_whatever_the_losses_are(attack, kind):
    pilot = made(6, 1.0, records=1 if kind == "one record" else 4)
    members, signals = pilot.members.copy(), pilot.signals.copy()
    if kind == "constant":
        signals[:] = 0.7
    elif kind == "zero":
        signals[:] = 0.0
    elif kind == "infinite":
        signals[:] = np.where(members, 0.0, FARTHEST)[:, :, None]
    elif kind == "always in":
        members[:] = True
    scores = attack.fit(Runs(members, signals))(signals)
    assert scores.shape == members.shape
    assert np.isfinite(scores).all()


def test_a_loss_of_exactly_zero_is_farther_than_any_other_and_not_by_hundreds():
    pilot = made(200, 2.0)
    score = LIRA.fit(pilot)
    at_zero = pilot.signals[:3].copy()
    at_zero[:] = 0.0
    assert np.isfinite(score(at_zero)).all()
    with_zero = pilot.signals.copy()
    with_zero[0, 0] = 0.0  # one run more sure than floats can tell
    changed = LIRA.fit(Runs(pilot.members, with_zero))(pilot.signals)
    assert right(changed, pilot.members) > 0.9
