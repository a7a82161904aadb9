"""Whatever ties a household within a model, no ε-DP mechanism reveals more than the bound says.

Laws of memberships are drawn in each model, at its ends too. The most that any mechanism reveals is
a linear program over the probabilities of one output, for every set of known members; where a bound
is called attained, a law attains it. Counts with geometric noise show what adds up.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import betaln

from deniable import derive, explain
from deniable.correlation import (
    Households,
    JointSum,
    household_epsilon,
    person_epsilon,
    worst_household_epsilon,
)
from deniable.errors import InvalidArgument, NoDerivation
from tests.cases.effort import usual
from tests.fuzz import households as fuzz

NEAR = 1e-7
"""What the solver's tolerance may add to a logarithm."""


def any_law(rng, k):
    """A law of k memberships, often with combinations that cannot be."""
    law = rng.dirichlet(np.full(2**k, rng.choice([0.05, 0.5, 1.0])))
    if rng.random() < 0.5:
        law *= rng.random(2**k) < 0.6
        law[0] += 0.01
        law[-1] += 0.01
    return (law / law.sum()).reshape((2,) * k)


def possible_law(rng, k):
    """A law under which every combination of memberships is possible."""
    law = rng.dirichlet(np.full(2**k, rng.choice([0.5, 5.0]))) + 1e-4
    return (law / law.sum()).reshape((2,) * k)


def beta_law(k, a, b):
    """Memberships that are independent given an inclination with the law Beta(a, b)."""
    law = np.empty((2,) * k)
    for x in itertools.product((0, 1), repeat=k):
        law[x] = math.exp(betaln(a + sum(x), b + k - sum(x)) - betaln(a, b))
    return law


def odds_ratio(law, member):
    """The largest conditional odds ratio of the member and one other, given all the rest."""
    ordered, k = np.moveaxis(law, member, 0), law.ndim
    ratios = [1.0]
    for other in range(1, k):
        pair = np.moveaxis(ordered, other, 1).reshape(2, 2, -1)
        for (out_out, out_in), (in_out, in_in) in np.moveaxis(pair, 2, 0):
            ratio = in_in * out_out / (in_out * out_in)
            ratios += [ratio, 1 / ratio]
    return max(ratios) * (1 + 1e-12)


def difference(law, member):
    """The total variation between the others' laws given the member out and in."""
    absent, present = np.moveaxis(law, member, 0).reshape(2, -1)
    distance = np.abs(present / present.sum() - absent / absent.sum()).sum() / 2
    return min(distance + 1e-12, 1.0)


def stated(rng, model):
    """A law, the person in question, and the households that its tie is within."""
    k = int(rng.integers(2, 5))
    member = int(rng.integers(k))
    if model == "any":
        return any_law(rng, k), member, Households(k)
    if model == "odds_ratio":
        law = possible_law(rng, k)
        return law, member, Households(k, odds_ratio=odds_ratio(law, member))
    if model == "difference":
        law = any_law(rng, k)
        return law, member, Households(k, difference=difference(law, member))
    a, b = np.exp(rng.uniform(-5, 2, 2))
    return beta_law(k, a, b), member, Households(k, icc=min(1 / (1 + a + b) * (1 + 1e-12), 1.0))


@pytest.mark.parametrize("model", ["any", "odds_ratio", "difference", "icc"])
def test_no_mechanism_reveals_more_of_a_member_than_the_bound(model):
    rng = np.random.default_rng(7)
    for _ in range(usual(8, 2_000)):
        law, member, households = stated(rng, model)
        epsilon = float(rng.choice([0.05, 0.5, math.log(2), 2.0, 4.0]))
        worst = worst_household_epsilon(law, epsilon, member)
        assert worst <= household_epsilon(epsilon, households) + NEAR


def all_or_none(k, inside):
    law = np.zeros((2,) * k)
    law[(0,) * k], law[(1,) * k] = 1 - inside, inside
    return law


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_people_who_are_all_in_or_all_out_attain_the_bound_without_a_model(k):
    attained = worst_household_epsilon(all_or_none(k, 0.1), 0.5)
    assert attained == pytest.approx(household_epsilon(0.5, Households(k)), abs=NEAR)


def largest_ratio_with_a_public_number(group, others, size, epsilon):
    """The most that any replace-one mechanism reveals of a group among people who decide alone.

    A linear program over the probabilities of one output for every table of `size` people.
    """
    tables = list(itertools.combinations(range(group + len(others)), size))
    place = {table: i for i, table in enumerate(tables)}
    laws = np.zeros((2, len(tables)))
    for chosen in itertools.product((0, 1), repeat=len(others)):
        chance = math.prod(p if c else 1 - p for p, c in zip(others, chosen, strict=True))
        for is_in in (0, 1):
            people = [
                *(range(group) if is_in else ()),
                *(group + i for i, c in enumerate(chosen) if c),
            ]
            if len(people) == size:
                laws[is_in, place[tuple(people)]] += chance
    absent, present = laws / laws.sum(axis=1, keepdims=True)
    steps = [
        (i, j) for (i, a), (j, b) in itertools.permutations(enumerate(tables), 2)
        if len({*a} - {*b}) == 1
    ]  # fmt: skip
    limits = np.zeros((len(steps), len(tables)))
    for row, (i, j) in enumerate(steps):
        limits[row, i], limits[row, j] = 1, -math.exp(epsilon)
    best = [
        linprog(-one, limits, np.zeros(len(steps)), other[None], [1.0])
        for one, other in [(present, absent), (absent, present)]
    ]
    return max(-each.fun for each in best)


@pytest.mark.parametrize("group", [1, 2, 3])
def test_one_group_among_people_who_decide_alone_is_so_many_exchanges_apart(group):
    """The figures that `explain` gives of replace-one neighbours, where the number is public."""
    rng = np.random.default_rng(group)
    for _ in range(usual(3, 200)):
        others = rng.random(4).tolist()
        size, epsilon = int(rng.integers(group, 5)), float(rng.choice([0.1, 0.5, 2.0]))
        ratio = largest_ratio_with_a_public_number(group, others, size, epsilon)
        assert ratio <= math.exp(group * epsilon) * (1 + NEAR)
        prior = float(rng.random())
        (tied,) = (
            each for each in explain(epsilon, prior=(prior, prior)).tied if each.size == group
        )
        assert ratio * prior / (ratio * prior + 1 - prior) <= tied.posterior + NEAR
    sure = largest_ratio_with_a_public_number(group, [1.0] + [1e-9] * 3, group + 1, 0.5)
    assert sure == pytest.approx(math.exp(group * 0.5), rel=1e-5)


def leaning(k, z, psi):
    """Others who are nearly all in or all out, at the odds that the bound is attained at."""
    omega, spread = psi ** (k - 1), z ** (k - 1)
    odds = 1 / math.sqrt(omega * spread)
    absent = np.array([1 / (1 + odds), odds / (1 + odds)])
    present = absent * [1, omega]
    law = np.full((2, 2 ** (k - 1)), 1e-13)
    law[0, [0, -1]], law[1, [0, -1]] = absent / 2, present / present.sum() / 2
    return (law / law.sum()).reshape((2,) * k)


@pytest.mark.parametrize(("k", "z", "psi"), [(2, 2, 4), (2, 2, 9), (3, 9, 2), (3, 2, 4)])
def test_the_bound_of_odds_ratios_is_attained(k, z, psi):
    bound = household_epsilon(math.log(z), Households(k, odds_ratio=psi))
    attained = worst_household_epsilon(leaning(k, z, psi), math.log(z), known=())
    assert attained == pytest.approx(bound, abs=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_bound_of_one_inclination_is_approached_as_the_mean_falls(k):
    total = 4.0  # c = 1/5
    bound = household_epsilon(math.log(2), Households(k, icc=0.2))
    far, near = (
        worst_household_epsilon(beta_law(k, mean * total, (1 - mean) * total), math.log(2))
        for mean in (0.3, 1e-6)
    )
    assert far < near <= bound + NEAR
    assert near == pytest.approx(bound, abs=1e-4)


def test_a_difference_is_attained_and_a_known_member_can_make_it_worse():
    # All copy one draw of chance .001 with chance .1, else each decides alone.
    p, c, k = 0.001, 0.1, 3
    law = np.zeros((2,) * k)
    for x in itertools.product((0, 1), repeat=k):
        together = p if all(x) else 1 - p if not any(x) else 0
        law[x] = c * together + (1 - c) * math.prod(p if each else 1 - p for each in x)
    nobody = worst_household_epsilon(law, math.log(2), known=())
    one = worst_household_epsilon(law, math.log(2), known=(1,))
    assert math.exp(nobody) == pytest.approx(2.5989, abs=1e-4)
    assert math.exp(one) == pytest.approx(3.9782, abs=1e-4)
    assert math.exp(one) <= math.exp(household_epsilon(math.log(2), Households(k, difference=c)))


@pytest.mark.parametrize(
    ("households", "z", "ratio"),
    [
        (Households(2, odds_ratio=4), 2, 2.514719),
        (Households(2, odds_ratio=9), 2, 2.821133),
        (Households(3, odds_ratio=2), 9, Fraction(3249, 121)),
        (Households(3, odds_ratio=4), 2, Fraction(9, 2)),
        (Households(2, odds_ratio=4), 4, Fraction(25, 4)),
        (Households(2, difference=0.1), 2, Fraction(11, 5)),
        (Households(3, difference=0.2), 2, 4),  # 16/5 where nobody is known
        (Households(3, icc=0.2), 2, Fraction(44, 15)),
        (Households(4, icc=0.2), 3, Fraction(339, 35)),
        (Households(4, icc=1), 3, 81),
        (Households(4, icc=0), 3, 3),
        (Households(4, odds_ratio=1), 3, 3),
        (Households(2, difference=0), 3, 3),
        (Households(1), 3, 3),
    ],
)
def test_ratios_worked_out_by_hand(households, z, ratio):
    found = math.exp(household_epsilon(math.log(z), households))
    assert found == pytest.approx(float(ratio), rel=1e-6)


@pytest.mark.parametrize(
    ("households", "epsilon"),
    [
        (Households(4), 0.5493), (Households(4, icc=0.2), 1.0704),
        (Households(4, icc=0.05), 1.5880),
        (Households(4, odds_ratio=2), 0.9715), (Households(4, difference=0.1), 0.7324),
        (Households(2), 1.0986), (Households(2, odds_ratio=4), 1.6682),
        (Households(2, icc=0.2), 1.6094), (Households(1), 2.1972),
    ],
)  # fmt: skip
def test_the_epsilon_of_a_person_keeps_the_household_at_odds_times_9(households, epsilon):
    found = person_epsilon(math.log(9), households)
    assert found == pytest.approx(epsilon, abs=5e-5)
    assert household_epsilon(found, households) <= math.log(9)
    assert household_epsilon(math.nextafter(found, 9), households) > math.log(9)


def leak(releases):
    """The most that so many noisy counts reveal of someone whose spouse follows at times."""
    # z = 2: the outputs far above all counts make every release multiply by z for each who is in.
    together = Fraction(2) ** releases
    return together * (Fraction(1, 2) + Fraction(1, 2) * together)


def test_what_households_learn_does_not_add_up_and_what_persons_spend_does():
    spouse = np.array([[0.5, 0.0], [0.25, 0.25]])  # comes with chance ½ with the person, else never
    for releases, worst in ((1, 3), (2, 10), (3, 36)):
        spent = releases * math.log(2)
        assert leak(releases) == worst
        revealed = worst_household_epsilon(spouse, spent, known=())
        assert math.exp(revealed) == pytest.approx(worst, rel=1e-9)
        assert math.exp(household_epsilon(spent, Households(2, difference=0.5))) >= worst
    assert leak(2) > leak(1) ** 2  # a sum of what each release reveals would be passed
    assert leak(3) > leak(1) ** 3


@pytest.mark.parametrize(
    ("k", "members", "outside"), [(1, 2, 101), (2, 4, 103), (3, 8, 107), (5, 32, 131)]
)
def test_a_derivation_gives_the_belief_in_one_of_k(k, members, outside):
    found = derive(f"pure-dp:{math.log(2)!r}@add-remove", f"max-posterior@households-{k}@0-0.01")
    assert found.target.posterior == pytest.approx(members / outside, rel=1e-12)
    assert found.target.spec.endswith(f"@households-{k}")


def test_a_statement_about_households_holds_of_people_alone_and_not_the_reverse():
    wide = "positive-membership:2@add-remove@0.1-0.1@households-3"
    alone = derive(wide, "positive-membership@add-remove@0.1-0.1").target.gamma
    assert alone == pytest.approx(2, rel=1e-12)
    with pytest.raises(NoDerivation):
        derive("positive-membership:2@add-remove@0.1-0.1", wide)
    with pytest.raises(NoDerivation):
        derive("pure-dp:0.5", "max-posterior@households-3@0-0.1")
    modelled = "bayesian-dp:0.5@add-remove@households-3-icc-0.2"
    tied = derive(modelled, "bayesian-dp@households-3@add-remove").target
    assert tied.epsilon == 1.5  # three times what it says of one person, and not what it says


@pytest.mark.parametrize(
    "fields",
    [
        {"size": 0}, {"size": 2.5}, {"size": 2, "odds_ratio": 0.5},
        {"size": 2, "odds_ratio": math.inf}, {"size": 2, "icc": 1.5},
        {"size": 2, "difference": -0.1},
        {"size": 2, "icc": 0.1, "difference": 0.1},
    ],
)  # fmt: skip
def test_households_that_cannot_be_are_refused(fields):
    with pytest.raises(InvalidArgument):
        Households(**fields)


# ---- laws whose number is known, and what the tempting shortcuts miss


def law_of(size, weights):
    law = np.zeros((2,) * size)
    for place, weight in weights.items():
        law[tuple(map(int, place))] = weight
    return law / law.sum()


@pytest.mark.parametrize(
    ("law", "z", "known", "ratio"),
    [
        (law_of(2, {"11": 5, "10": 5, "01": 2, "00": 8}), 4, None, Fraction(25, 4)),
        (beta_law(3, 1, 3), 2, (), Fraction(30, 11)),
        (beta_law(4, 0.5, 3.5), 3, (), Fraction(168, 23)),
        (beta_law(4, 2, 2), 2, (), Fraction(50, 17)),
        # A known member can undo a coupling that moves one other at most.
        (law_of(4, {"1100": 1, "1011": 1, "0000": 1, "0111": 1}), 2, (), 4),
        (law_of(4, {"1100": 1, "1011": 1, "0000": 1, "0111": 1}), 2, (1,), 8),
        # No two are correlated, and two together decide about the third.
        (law_of(3, {"000": 1, "110": 1, "101": 1, "011": 1}), 2, None, 4),
        # Both laws keep to one combination with probability .8.
        (law_of(3, {"000": 4, "011": 1e-12, "100": 4, "111": 1}), 2, (), Fraction(16, 5)),
    ],
)  # fmt: skip
def test_the_most_that_mechanisms_reveal_of_laws_with_a_known_number(law, z, known, ratio):
    law = law / law.sum()
    if law.shape == (2, 2, 2) and law[0, 0, 0] > 0.4:  # equally often in and out
        law[0] /= law[0].sum() * 2
        law[1] /= law[1].sum() * 2
    revealed = math.exp(worst_household_epsilon(law, math.log(z), known=known))
    assert revealed == pytest.approx(float(ratio), rel=1e-6)


def test_a_sum_of_correlated_people_is_the_worst_that_the_linear_program_finds():
    law = beta_law(3, 1, 3)
    counted = JointSum(law, [[0, 1]] * 3, 1 / math.log(2)).worst_leakage(0)
    assert counted.lower <= 1.003302109 <= counted.upper + 1e-9
    assert counted.upper - counted.lower < 1e-9
    count = math.exp(worst_household_epsilon(law, math.log(2), known=()))
    assert count == pytest.approx(30 / 11, rel=1e-7)


def test_a_value_that_depends_on_a_presence_costs_more_than_a_presence():
    # The other of a couple answers "together" if the person is in, "alone" if not: counts of
    # ("together", "alone"), each with two-sided geometric noise that multiplies by 2 a unit.
    with_both, without = (2, 0), (0, 1)
    apart = sum(abs(a - b) for a, b in zip(with_both, without, strict=True))
    assert 2**apart == 8
    assert math.exp(household_epsilon(math.log(2), Households(2))) < 8 < 8.1
    # A household as the entity: one of a couple comes, so "one at home" goes and "two" comes.
    assert 2 ** sum(abs(a - b) for a, b in zip((1, 0), (0, 1), strict=True)) == 4


def test_with_the_number_of_people_public_households_are_many_exchanges_apart():
    sizes, people = (3, 3, 2, 2, 2), 6
    tables = [
        inside
        for inside in itertools.product((0, 1), repeat=5)
        if sum(size for size, each in zip(sizes, inside, strict=True) if each) == people
    ]
    of_threes = [3 * sum(inside[:2]) for inside in tables]
    assert 2 ** (max(of_threes) - min(of_threes)) == 64 > 2**3


def test_the_rate_at_which_releases_leak_is_not_the_leak_of_one():
    # One secret has one law of outputs, the other has two, evenly.
    def leak_of(releases):
        worst = 0.0
        for outputs in itertools.product((0, 1), repeat=releases):
            ones = sum(outputs)
            one = Fraction(1, 2) ** releases
            other = sum(
                Fraction(1, 2) * p**ones * (1 - p) ** (releases - ones)
                for p in (Fraction(4, 5), Fraction(1, 5))
            )
            worst = max(worst, math.log(one / other))
        return worst

    leaks = [leak_of(releases) for releases in (1, 2, 3)]
    assert leaks == pytest.approx([0, 2 * math.log(1.25), 2 * math.log(1.25)])


# ---- two releases, the second after the first: tests/fuzz/households.py


def test_no_path_of_adaptive_releases_reveals_more_than_the_sum_allows():
    attempts = [fuzz.attempt(number) for number in range(usual(160, 4_000))]
    assert {model for model, *_ in attempts} == set(fuzz.oracle.MODELS)
    assert max(share for *_, share in attempts) <= 1
    assert max(share for *_, share in attempts) >= fuzz.NEAR


@pytest.mark.parametrize("model", ["any", "odds_ratio", "difference", "icc"])
def test_a_bound_that_says_a_hundredth_less_is_found_out(model, monkeypatch):
    right = fuzz.claim
    monkeypatch.setattr(fuzz, "claim", lambda *given: 0.99 * right(*given))
    first = fuzz.oracle.MODELS.index(model)
    assert any(fuzz.attempt(number)[-1] > 1 for number in range(first, 800, 4))
