"""Laws given counts, against every way in which the copies can lie on the people."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from deniable.gwas.attacks import Rounding, Split, law_given_total, laws_given_counts


def every_way(total, cases, controls):
    """Own copies of the first case and of the first control, and the cases' copies; chances."""
    chromosomes = 2 * (cases + controls)
    ways = list(combinations(range(chromosomes), total))
    law = {}
    for way in ways:
        case = sum(place < 2 for place in way)
        control = sum(2 * cases <= place < 2 * cases + 2 for place in way)
        inside = sum(place < 2 * cases for place in way)
        key = case, control, inside
        law[key] = law.get(key, Fraction(0)) + Fraction(1, len(ways))
    return law


def pair(own, copies, people):
    """Chance that a member of a group with so many copies has so many."""
    n = 2 * people
    ways = [(n - copies) * (n - copies - 1), 2 * copies * (n - copies), copies * (copies - 1)]
    return Fraction(ways[own], n * (n - 1))


def stranger(own, p):
    return [(1 - p) ** 2, 2 * p * (1 - p), p * p][own]


def by_hand(total, cases, controls, p):
    """Likelihood ratios and their chances about a case, a control, and a case or control."""
    laws = {"cases": {}, "controls": {}, "either": {}}
    for (case, control, inside), chance in every_way(total, cases, controls).items():
        own = pair(case, inside, cases)
        about = {
            "cases": own / stranger(case, p),
            "controls": pair(control, total - inside, controls) / stranger(control, p),
        }
        other = pair(case, total - inside, controls)
        about["either"] = own / other if other else np.inf
        for name, ratio in about.items():
            laws[name][ratio] = laws[name].get(ratio, 0) + chance
    return {
        name: sorted((float(r), float(c)) for r, c in law.items()) for name, law in laws.items()
    }


def listed(evidence):
    """The same of an evidence: ratios that can come about, and their chances."""
    chance = (evidence.genotype[:, None] * evidence.yes).ravel()
    ratio = np.exp(evidence.ratio.ravel())
    law = {}
    for r, c in zip(ratio[chance > 0].tolist(), chance[chance > 0].tolist(), strict=True):
        key = next((k for k in law if k == r or abs(k - r) < 1e-9 * r), r)
        law[key] = law.get(key, 0) + c
    return sorted(law.items())


@pytest.mark.parametrize(("cases", "controls"), [(1, 1), (2, 1), (2, 3), (3, 2)])
def test_a_law_given_the_copies_of_all_is_that_of_every_way(cases, controls):
    p = Fraction(1, 7)
    for total in range(1, 2 * (cases + controls)):
        split = Split.of_total(total, (cases, controls))
        one = np.array([float(p)]), np.ones((1, 1))
        ((laws,),) = laws_given_counts([split], one[0], one[1][None], Rounding())
        for name, expected in by_hand(total, cases, controls, p).items():
            assert np.array(listed(laws[name])) == pytest.approx(np.array(expected), rel=1e-9)
        everybody = law_given_total(total, cases + controls, one[0], one[1][0], Rounding())
        own = [pair(g, total, cases + controls) for g in range(3)]
        points = sorted((float(o / stranger(g, p)), float(o)) for g, o in enumerate(own) if o)
        assert np.array(listed(everybody)) == pytest.approx(np.array(points), rel=1e-9)


def test_the_chance_of_a_split_is_that_of_every_way():
    law = every_way(5, 2, 3)
    split = Split.of_total(5, (2, 3))
    for inside, chance in zip(split.copies[0].tolist(), split.chance.tolist(), strict=True):
        expected = sum(each for (_, _, copies), each in law.items() if copies == inside)
        assert chance == pytest.approx(float(expected), rel=1e-12)


def test_numbers_that_are_told_alike_say_what_they_say_together():
    """Two copies of six and three: half up, no decimal; the ratio adds up what is told alike."""
    p, people = 0.3, (3, 3)
    split = Split.of_both((2, 4), people)
    ((laws,),) = laws_given_counts([split], np.array([p]), np.ones((1, 1, 1)), Rounding(decimals=0))
    below = [np.array([pair(g, x, 3) * 1.0 for x in range(3)], float) for g in range(3)]
    outside = np.array([(1 - p) ** 6, 6 * p * (1 - p) ** 5, 15 * p**2 * (1 - p) ** 4])
    ratio = [float(below[g] @ outside / outside.sum()) / stranger(g, p) for g in range(3)]
    assert np.exp(laws["cases"].ratio[:, 0]) == pytest.approx(ratio)
    assert laws["cases"].genotype == pytest.approx([float(pair(g, 2, 3)) for g in range(3)])
