"""The evidence of one variant and of many, against going through everybody's genotypes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from deniable.errors import NotApplicable
from deniable.gwas.attacks import (
    Lattice,
    Laws,
    Rounding,
    in_group,
    of_p_values,
    one_group,
    two_groups,
)
from tests.cases.refusals import refuses
from tests.oracles.evidence import beyond, published_law, ratio_law, sum_law

FREQUENCIES = [0.5, 0.3, 0.02]


def law_of(evidence):
    """Finite and infinite ratios, with their masses if the answer is yes."""
    share = evidence.genotype[:, None] * evidence.yes
    masses = {}
    for ratio, mass in zip(evidence.ratio.ravel().tolist(), share.ravel().tolist(), strict=True):
        if mass > 1e-15:
            key = round(ratio, 9)
            masses[key] = masses.get(key, 0.0) + mass
    return masses


def near(law, ratio):
    """The mass within a millionth; equal ratios differ by rounding."""
    return sum(mass for key, mass in law.items() if key == ratio or abs(key - ratio) < 1e-6)


def same(law, wanted):
    assert sum(law.values()) == pytest.approx(1.0)
    for key in {**law, **wanted}:
        assert near(law, key) == pytest.approx(near(wanted, key), rel=1e-9, abs=1e-14)


def halves_up(copies, people, decimals):
    exact = Fraction(copies, 2 * people) * 10**decimals
    return math.floor(exact + Fraction(1, 2))


@pytest.mark.parametrize("p", FREQUENCIES)
@pytest.mark.parametrize("people", [1, 2, 5])
@pytest.mark.parametrize("decimals", [None, 0, 1, 2])
def test_a_frequency_tells_what_going_through_everybody_tells(p, people, decimals):
    def publish(x, _):
        return x if decimals is None else halves_up(x, people, decimals)

    yes, no = (published_law(p, people, 0, where, publish) for where in ("case", "out"))
    evidence = in_group(p, people, Rounding(decimals))
    same(law_of(evidence), ratio_law(yes, no))


def p_value(x, y, cases, controls, digits):
    total = x + y
    if total in (0, 2 * (cases + controls)):
        return 1.0
    scale = cases * controls * total * (2 * (cases + controls) - total)
    chi_squared = 2 * (cases + controls) * (x * controls - y * cases) ** 2 / scale
    return float(f"{2 * norm.sf(math.sqrt(chi_squared)):.{digits - 1}e}")


@pytest.mark.parametrize("p", FREQUENCIES)
@pytest.mark.parametrize("decimals", [None, 1])
def test_p_values_tell_what_going_through_everybody_tells(p, decimals):
    cases, controls = 3, 2
    rounding = Rounding(decimals, digits=2, frequencies=decimals is not None)

    def publish(x, y):
        published = [p_value(x, y, cases, controls, 2)]
        if decimals is not None:
            published += [halves_up(x, cases, decimals), halves_up(y, controls, decimals)]
        return tuple(published)

    laws = {w: published_law(p, cases, controls, w, publish) for w in ("case", "control", "out")}
    evidences = of_p_values(p, (cases, controls), rounding)
    pairs = ("case", "out"), ("control", "out"), ("case", "control")
    for evidence, (yes, no) in zip(evidences, pairs, strict=True):
        same(law_of(evidence), ratio_law(laws[yes], laws[no]))


def test_p_values_of_a_biobank_are_refused():
    with refuses(NotApplicable, "groups-of-about-20: 500,000"):
        of_p_values(0.3, (500_000, 500_000), Rounding(digits=3, frequencies=False))


@pytest.mark.parametrize("p", [0.5, 0.2, 0.06])
def test_many_people_tell_what_the_published_formula_says(p):
    """Mean 1/2n and variance 1/n a variant, whatever its frequency [sankararaman-2009]."""
    mean, variance = in_group(p, 20_000, Rounding()).moments()
    assert mean == pytest.approx(1 / 40_000, rel=1e-3)
    assert variance == pytest.approx(1 / 20_000, rel=1e-3)


def test_sums_are_those_of_going_through_all():
    """Five variants of three kinds, in groups of four and three, about all three questions."""
    cases, controls, numbers = 4, 3, [2, 2, 1]
    lattice = Lattice.of_deviation(0.5)
    one = [in_group(p, cases, Rounding(1)) for p in FREQUENCIES]
    two = [in_group(p, controls, Rounding(1)) for p in FREQUENCIES]

    def publish(x, y):
        return halves_up(x, cases, 1), halves_up(y, controls, 1)

    by_hand = [
        {
            where: published_law(p, cases, controls, where, publish)
            for where in ("case", "control", "out")
        }
        for p in FREQUENCIES
    ]
    kinds = {
        ("case", "out"): [one_group(each, lattice) for each in one],
        ("control", "out"): [one_group(each, lattice) for each in two],
        ("case", "control"): [two_groups(*each, lattice) for each in zip(one, two, strict=True)],
    }
    for (yes, no), made in kinds.items():
        terms = [
            ratio_law(laws[yes], laws[no])
            for laws, number in zip(by_hand, numbers, strict=True)
            for _ in range(number)
        ]
        wanted = sum_law(terms)
        total = Laws(made, lattice).total(np.array(numbers))
        assert total.masses.sum() == pytest.approx(1 - wanted.get(math.inf, 0.0), abs=1e-9)
        for value in (-0.51, 0.37, 1.1, 2.6):
            # Masses are spread over half a step of the lattice to either side.
            low, high = (beyond(wanted, value + shift) for shift in (0.03, -0.03))
            assert low - 5e-3 <= total.beyond(value) <= high + 5e-3


def test_what_passes_a_threshold_among_the_others():
    """Power from both laws, against many made-up people and pools."""
    p, people, number = 0.1, 60, 40
    lattice = Lattice.of_deviation(math.sqrt(number / people))
    laws = Laws([one_group(in_group(p, people, Rounding()), lattice)], lattice)
    total = laws.total(np.array([number]))
    rng = np.random.default_rng(5)
    shape = 40_000, number
    own = rng.binomial(2, p, shape)
    pools = own + rng.binomial(2 * people - 2, p, shape)

    def score(g):
        n = 2 * people
        pairs = [(n - pools) * (n - pools - 1), 2 * pools * (n - pools), pools * (pools - 1)]
        inside = np.choose(g, pairs) / (n * (n - 1))
        outside = np.choose(g, [(1 - p) ** 2, 2 * p * (1 - p), p * p])
        with np.errstate(divide="ignore"):
            return np.log(inside / outside).sum(axis=1)

    members, strangers = score(own), score(rng.binomial(2, p, shape))
    for fpr in (0.01, 0.05, 0.3):
        threshold = np.quantile(strangers, 1 - fpr)
        # 40,000 people: .0025 is one standard deviation of either share.
        assert laws.power(np.array([number]), fpr) == pytest.approx(
            np.mean(members > threshold), abs=0.012
        )
    for value in (0.5, 1.0, 2.0):
        assert total.beyond(value) == pytest.approx(np.mean(members > value), abs=0.012)
    assert total.quantile(0.1) == pytest.approx(np.quantile(members, 0.9), abs=0.05)
