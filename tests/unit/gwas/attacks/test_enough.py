"""What would be enough, turned round: published so, the formula keeps the limit."""

import numpy as np
import pytest

from deniable.gwas.attacks import beliefs, enough, theoretical_power, typical_beliefs

CASES = [(1000, 2000, 0.05, 0.1), (200, 3000, 0.05, 0.3), (5000, 800, 0.01, 0.02)]


@pytest.mark.parametrize(("people", "variants", "fpr", "limit"), CASES)
def test_each_change_alone_keeps_the_limit(people, variants, fpr, limit):
    power = theoretical_power(variants, people, fpr)
    changes = enough(power=power, limit=limit, fpr=fpr, people=people, variants=variants, share=1.0)
    if power <= limit:
        assert (changes.variants, changes.people, changes.step) == (variants, people, None)
        return
    for fewer, more in ((changes.variants, people), (variants, changes.people)):
        assert limit - 0.02 < theoretical_power(fewer, more, fpr) <= limit + 1e-9
    assert theoretical_power(changes.variants + 2, people, fpr) > limit


def test_rounding_leaves_what_is_allowed():
    power = theoretical_power(300, 400, 0.05)
    changes = enough(power=power, limit=0.12, fpr=0.05, people=400, variants=300, share=1.0)
    rng = np.random.default_rng(1)
    p = rng.uniform(0.4, 0.6, 200_000)
    q = rng.binomial(800, p) / 800
    rounded = np.round(q / changes.step) * changes.step
    # What a rounded frequency tells of q − p, by regression: the share of the variance it explains.
    explained = np.corrcoef(q - p, rounded - p)[0, 1] ** 2
    assert theoretical_power(300 * explained, 400, 0.05) <= 0.12 + 0.01


@pytest.mark.parametrize(("limit", "fpr"), [(0.1, 0.05), (0.9, 0.5), (0.99, 0.98)])
def test_the_guarantee_limits_every_attack(limit, fpr):
    changes = enough(power=1.0, limit=limit, fpr=fpr, people=10, variants=5, share=1.0)
    e = np.exp(changes.epsilon)
    assert min(e * fpr, 1 - (1 - fpr) / e) <= limit * (1 + 1e-12)
    assert changes.gamma >= e * (1 - 1e-12)


def test_nothing_published_needs_nothing():
    changes = enough(power=0.05, limit=0.1, fpr=0.05, people=100, variants=0, share=0.0)
    assert (changes.variants, changes.people, changes.step) == (0, 100, None)


def test_beliefs_are_bayes():
    assert beliefs(0.8, 0.05, 0.1) == pytest.approx(0.08 / (0.08 + 0.045))
    assert beliefs(0.05, 0.05, 0.3) == pytest.approx(0.3)
    middle, far = typical_beliefs(400.0, 400, 0.5)
    assert middle == pytest.approx(1 / (1 + np.exp(-0.5)))
    assert far == pytest.approx(1 / (1 + np.exp(-2.5)))
