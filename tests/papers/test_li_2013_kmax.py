"""Li et al., *Membership privacy*, CCS 2013, Section 5: k-Max, its example and its erratum.

Laws are listed in fractions over all subsets and judged by definition.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from deniable.mechanisms.k_max import KMax
from deniable.priors.universe import subsets

HALF = Fraction(1, 2)
CASES = [(n, k) for n in range(1, 10) for k in range(1, n + 1)]
NOTHING = "nothing"


def law(n, k, members, printed):
    """Definition 5.2 word for word, positions from 1; the empty set as printed or mended."""
    if not any(members):
        return {NOTHING: Fraction(1)} if printed else dict.fromkeys(range(1, k + 1), Fraction(1, k))
    j = max(i + 1 for i, inside in enumerate(members) if inside)
    first = j if j + k - 1 <= n else n - k + 1
    return {position: Fraction(1, k) for position in range(first, first + k)}


def posteriors(n, k, printed):
    """Pr[t|S] for every entity and reachable output, under the uniform prior on all subsets."""
    total, inside = {}, {}
    for members in subsets(n).tolist():
        for output, probability in law(n, k, members, printed).items():
            total[output] = total.get(output, 0) + probability
            for t in range(1, n + 1):
                if members[t - 1]:
                    inside[t, output] = inside.get((t, output), 0) + probability
    return {
        (t, output): inside.get((t, output), Fraction(0)) / weight
        for output, weight in total.items()
        for t in range(1, n + 1)
    }


def positive_gamma(found):
    return max(
        max(q / HALF, HALF / (1 - q) if q < 1 else math.inf) for q in [HALF, *found.values()]
    )


def negative_gamma(found):
    return max(
        max((1 - q) / HALF, HALF / q if q > 0 else math.inf) for q in [HALF, *found.values()]
    )


def claimed(k):
    return Fraction(2**k - 1, 2**k - 2) if k > 1 else math.inf


def primes(number):
    sieve = np.ones(104_730, dtype=bool)
    sieve[:2] = False
    for p in range(2, 324):
        if sieve[p]:
            sieve[p * p :: p] = False
    return np.flatnonzero(sieve)[:number]


def test_definition_5_2_example_of_the_first_ten_thousand_primes():
    values = primes(10_000)
    assert values[-1] == 104_729
    members = np.isin(values, [2, 5, 113, 9851])
    mechanism = KMax(10_000, 3)
    chosen = np.flatnonzero(mechanism.law(members))
    assert values[chosen].tolist() == [9851, 9857, 9859]
    assert mechanism.law(members)[chosen].tolist() == [1 / 3] * 3
    assert set(mechanism.draws(np.random.default_rng(1), 1000, members)) == set(chosen)


@pytest.mark.parametrize(("n", "k"), CASES)
@pytest.mark.parametrize("printed", [True, False])
def test_definition_5_2_as_the_package_has_it(n, k, printed):
    mechanism = KMax(n, k, printed)
    for members in subsets(n).tolist():
        expected = [0.0] * (n + printed)
        for output, probability in law(n, k, members, printed).items():
            expected[n if output == NOTHING else output - 1] = float(probability)
        assert mechanism.law(members).tolist() == expected


@pytest.mark.parametrize(("n", "k"), [(n, k) for n, k in CASES if n > k])
def test_proposition_5_3_fails_as_printed(n, k):
    """Output c_1 means T = {c_1}: no γ holds."""
    found = posteriors(n, k, printed=True)
    assert found[1, 1] == 1
    assert positive_gamma(found) == math.inf
    assert KMax(n, k, printed=True).uninformed_gamma == math.inf
    assert KMax(n, k, printed=True).worst([0.5] * n).gamma == math.inf


@pytest.mark.parametrize(("n", "k"), [(n, k) for n, k in CASES if n > k])
def test_proposition_5_3_holds_with_equality_as_mended(n, k):
    """The empty set answers like {c_1}: γ = (2^k − 1)/(2^k − 2) exactly, for n > k."""
    found = posteriors(n, k, printed=False)
    assert positive_gamma(found) == claimed(k)
    mechanism = KMax(n, k)
    assert mechanism.uninformed_gamma >= claimed(k)
    assert mechanism.uninformed_gamma == pytest.approx(float(claimed(k)), rel=1e-15)
    assert mechanism.worst([0.5] * n).gamma == pytest.approx(float(claimed(k)), rel=1e-12)


@pytest.mark.parametrize("k", range(1, 8))
def test_proposition_5_3_where_everyone_is_a_choice(k):
    """n = k: the mended output is independent of T; the printed one tells whether T is empty."""
    assert positive_gamma(posteriors(k, k, printed=False)) == 1 == KMax(k, k).uninformed_gamma
    printed = KMax(k, k, printed=True).uninformed_gamma
    assert positive_gamma(posteriors(k, k, printed=True)) == claimed(k)
    assert printed == pytest.approx(float(claimed(k)), rel=1e-15)


@pytest.mark.parametrize(("n", "k"), [(n, k) for n, k in CASES if n > k])
def test_the_mended_form_says_nothing_at_the_bottom(n, k):
    """Outputs j <= k: ½ for the entities up to j; later ones keep ½ or are surely out."""
    found = posteriors(n, k, printed=False)
    for (t, output), q in found.items():
        if output <= k:
            assert q == HALF or (q == 0 and t > output)
            assert q == HALF or output <= n - k


@pytest.mark.parametrize(("n", "k"), [(n, k) for n, k in CASES if n > k])
@pytest.mark.parametrize("printed", [True, False])
def test_no_negative_membership_privacy(n, k, printed):
    assert negative_gamma(posteriors(n, k, printed)) == math.inf


def test_the_bound_for_three_is_attained_and_the_paper_quotes_its_looser_half():
    """k = 3, p = ½: min(γp, (γ − 1 + p)/γ) = 4/7, attained; the paper's 7/12 is γp."""
    gamma = claimed(3)
    assert gamma == Fraction(7, 6)
    assert gamma * HALF == Fraction(7, 12)
    assert min(gamma * HALF, (gamma - 1 + HALF) / gamma) == Fraction(4, 7)
    for n in range(4, 10):
        assert max(posteriors(n, 3, printed=False).values()) == Fraction(4, 7)
    worst = KMax(10_000, 3).worst([0.5] * 10_000)
    assert worst.posterior == pytest.approx(4 / 7, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_upper_edge_is_fine(k):
    """No output near the end is worse than one in the middle."""
    n = 9
    found = posteriors(n, k, printed=False)
    for output in range(n - k + 1, n + 1):
        at = {key: q for key, q in found.items() if key[1] == output}
        assert positive_gamma(at) <= claimed(k)
