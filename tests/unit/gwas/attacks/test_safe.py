"""How many variants are safe, against the law of the evidence."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from deniable import gwas
from deniable.errors import InfeasibleTarget, InvalidArgument
from tests.cases.refusals import refuses


def test_the_figures_of_a_steward():
    answer = gwas.safe(pool=5000, posterior=0.75, prior=0.5)
    assert round(answer.variants, -2) == 1200
    assert answer.power == pytest.approx(norm.cdf(math.sqrt(answer.variants / 5000) - 1.6448536))


@pytest.mark.parametrize("prior", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("gain", [0.01, 0.5, 3.0, 20.0])
@pytest.mark.parametrize("deviations", [0.0, 1.0, 2.0])
def test_one_variant_more_passes_the_limit(prior, gain, deviations):
    """At the bound itself, from the mean and the deviation of the evidence."""
    limit = float(expit(logit(prior) + gain))
    if limit >= 1:
        return
    answer = gwas.safe(pool=7000, posterior=limit, prior=prior, deviations=deviations)

    def unlucky(variants):
        s = math.sqrt(variants / 7000)
        return logit(prior) + s * s / 2 + deviations * s

    assert unlucky(answer.variants) <= logit(limit) + 1e-9
    assert unlucky(answer.variants + 1) > logit(limit) - 1e-9


def test_simulated_evidence_passes_the_limit_as_rarely():
    """Log likelihood ratios of members of pools of 300 at unlinked variants."""
    answer = gwas.safe(pool=300, posterior=0.75, prior=0.5, deviations=2.0)
    rng = np.random.default_rng(1)
    evidence = []
    for _ in range(20):
        p = rng.uniform(0.2, 0.8, answer.variants)
        people = rng.binomial(2, p, (300, answer.variants))
        q = people.mean(axis=0) / 2
        table = people * np.log(q / p) + (2 - people) * np.log((1 - q) / (1 - p))
        evidence.append(table.sum(axis=1))
    beyond = np.mean(expit(np.concatenate(evidence)) > 0.75)
    # .0228 in the normal limit; 6,000 members, those of one pool dependent: .002 is one deviation.
    assert 0.005 < beyond < 0.045


def test_no_room_for_a_belief_to_grow():
    with refuses(InfeasibleTarget, "posterior-above-prior: 0.5"):
        gwas.safe(pool=100, posterior=0.5, prior=0.5)
    with refuses(InvalidArgument, "below-least: deviations"):
        gwas.safe(pool=100, posterior=0.6, prior=0.5, deviations=-0.1)
