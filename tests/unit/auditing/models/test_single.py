"""Audits from one training: labelled, and refused where they do not hold."""

import numpy as np
import pytest
from scipy.stats import binom

from deniable.auditing.models import audit_one_run
from deniable.errors import InvalidArgument, NotApplicable
from deniable.numerics.effort import Effort
from tests.cases.effort import usual
from tests.cases.refusals import refuses

PEOPLE = (np.arange(300.0)[:, None], np.zeros(300))


def remembers(features, labels):
    del labels
    return set(features[:, 0])


def known(model, features, labels):
    del labels
    return np.array([0.0 if x in model else 1.0 for x in features[:, 0]])


def test_a_model_that_remembers_everybody_is_found_by_one_training():
    found = audit_one_run(remembers, PEOPLE, losses=known, claimed="approx-dp:1,1e-6@add-remove")
    assert (found.verdict, found.subject, found.adjacency) == (
        "violated",
        "one training run",
        "add-remove",
    )
    assert found.right > 0.9 * found.guesses
    assert found.found.lower > 1
    assert (found.runs, found.delta) == (1, 1e-6)


def test_a_model_that_ignores_everybody_is_consistent_or_undecided_by_what_is_claimed():
    verdicts = {
        claimed: audit_one_run(
            remembers, PEOPLE, losses=lambda *_: np.arange(300.0), claimed=claimed
        ).verdict
        for claimed in ("pure-dp:1@add-remove", "pure-dp:9@add-remove")
    }
    assert list(verdicts.values()) == ["consistent", "inconclusive"]


def test_without_a_claim_there_is_a_limit_and_no_verdict():
    found = audit_one_run(remembers, PEOPLE, losses=known)
    assert (found.verdict, found.claimed, found.claimed_epsilon) == ("inconclusive", None, None)
    assert 2 < found.found.lower < found.visible


@pytest.mark.parametrize("claimed", ["population:1.0", "population:0.5,1e-5"])
def test_population_privacy_is_refused(claimed):
    with refuses(NotApplicable, "audit-over-many-runs"):
        audit_one_run(remembers, PEOPLE, losses=known, claimed=claimed)


@pytest.mark.parametrize("claimed", ["pure-dp:1.0", "approx-dp:1.0,1e-6"])
def test_a_replace_one_claim_says_nothing_of_coins(claimed):
    with refuses(InvalidArgument, "neighbours-by-add-remove"):
        audit_one_run(remembers, PEOPLE, losses=known, claimed=claimed)


def test_a_model_that_ignores_everybody_is_rarely_accused():
    """At most 5 % of the audits, and the level is attained by none of the three tries."""
    audits = usual(150, 300)
    alarms = sum(
        audit_one_run(
            remembers, PEOPLE, losses=lambda *_: np.arange(300.0), effort=Effort(seed=seed)
        ).found.lower
        > 0
        for seed in range(audits)
    )
    assert alarms <= binom.isf(1e-4, audits, 0.05)
