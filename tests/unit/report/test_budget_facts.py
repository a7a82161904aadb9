import math

import attrs
import pytest

from deniable.analysis.target import EpsilonTarget
from deniable.report.budget_facts import budget, noise_multiplier
from tests.cases.sample_certificate import gaussian_certificate, sample_certificate
from tests.cases.sample_study import study_certificate


def test_a_pure_budget_is_epsilon():
    (fact,) = budget(sample_certificate())
    assert fact == ("Privacy budget", "ε = 0.8874, replace-one neighbours")
    assert noise_multiplier(sample_certificate()) is None
    assert [term for term, _ in budget(study_certificate())] == ["Privacy budget"]


def test_with_delta_the_noise_is_told_and_no_epsilon_is_offered():
    facts = dict(budget(gaussian_certificate()))
    assert facts["Privacy budget"].startswith("ρ = 0.052 ")
    assert "noise multiplier of 3.101" in facts["Noise of everything"]
    assert facts["Privacy loss"].startswith(
        "passes 1.613 with a probability of at most 1 in 1,000,000"
    )
    assert not any("ε =" in told for told in facts.values())


def test_an_epsilon_that_was_asked_for_stands_with_its_delta():
    asked = attrs.evolve(gaussian_certificate(), target=EpsilonTarget(1.613))
    assert dict(budget(asked))["Privacy loss"].endswith("ε = 1.6130 and δ = 1 in 1,000,000")


def test_the_noise_is_never_overstated_and_only_told_of_gaussian_noise():
    sample = gaussian_certificate()
    noise = noise_multiplier(sample)
    assert noise == pytest.approx(1 / math.sqrt(0.104))
    assert noise < 1 / math.sqrt(0.104)
    part = attrs.evolve(sample.queries[0].parts[0], mechanism="noisy-top-k-gumbel")
    mixed = attrs.evolve(sample, queries=(attrs.evolve(sample.queries[0], parts=(part,)),))
    assert noise_multiplier(mixed) is None
