"""Strategies against a service whose budget is a ρ: how many pass what it states.

Noise is discrete Gaussian, so no limit holds always: the service states one for each moment, and a
probability with which any of them fails. Rises of belief are counted where the person is in the
table, falls where they are not. The law of the noise is written here anew.
"""

import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from deniable.ledger import new
from deniable.ledger.beliefs import after
from deniable.ledger.units import UNITS, Spending
from deniable.serve.session import Session
from tests.attacks.test_served_strategies import (
    AGES,
    FORMS,
    PEOPLE,
    mixed,
    offer_of,
    step_of,
)
from tests.cases.effort import usual
from tests.cases.served import COUNT, plan_of
from tests.oracles import adaptive

STRATEGIES = usual(10_000, 500_000)
DELTA = 0.1
"""Large, so that those who pass are many enough to count."""
CHANCES = [(0.5, 0.01), (0.25, 0.001), (1.0, 0.05)]
"""Targets ε and δ of a question."""
FALSE_ALARM = 1e-9


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    place = tmp_path_factory.mktemp("rho") / "people.ledger"
    new(place, "people", entity="person", adjacency="add-remove", max_posterior=0.9,
        prior=(0.0, 0.5), delta=DELTA)  # fmt: skip
    with Session(plan_of(), place, "people", data=pa.Table.from_pylist(PEOPLE)) as it:
        yield it


def target_of(chance):
    return dict(zip(("epsilon", "delta"), chance, strict=True))


def weights(sigma):
    """Whole numbers and the discrete Gaussian law on them, up to what floats can tell from 0."""
    support = np.arange(-math.ceil(12 * sigma), math.ceil(12 * sigma) + 1)
    law = np.exp(-((support / sigma) ** 2) / 2)
    return support, law / law.sum()


def draw(sigma, shape, rng):
    if sigma > 1000:  # rounded, a Gaussian has this law but for 1 in 10^6 of each probability
        return np.rint(rng.normal(0, sigma, shape)).astype(np.int64)
    support, law = weights(sigma)
    return support[np.searchsorted(law.cumsum(), rng.random(shape)).clip(max=len(support) - 1)]


def log_odds(offer, sigma, answers):
    """What answers add to the log-odds of taking part: a difference of squares by 2σ²."""
    of_all = (2 * answers - offer.without - offer.within) * (offer.within - offer.without)
    return of_all.sum(axis=-1) / (2 * sigma**2)


@attrs.frozen
class Stated:
    """The limits of a session on log-odds, for each amount that may have been spent."""

    spent: np.ndarray
    losses: np.ndarray

    @classmethod
    def by(cls, dataset):
        spent = sorted(dataset.budget >> halvings for halvings in range(30))
        return cls(np.array(spent), np.array([after(dataset, Spending(s)).loss for s in spent]))

    def at(self, spent):
        return self.losses[np.searchsorted(self.spent, spent)]


def passed(menu, session, rng, *, is_member, finer=1.0):
    """How many strategies are ever surer than is stated; with so much less noise than is stated."""
    stated, budget = Stated.by(session.dataset), session.dataset.budget
    costs = np.array([each.cost for each in menu])
    seen = rng.integers(2**64, size=STRATEGIES, dtype=np.uint64)
    odds, ever = np.zeros(STRATEGIES), np.zeros(STRATEGIES, bool)
    left = np.full(STRATEGIES, budget)
    while (affordable := np.searchsorted(costs, left, side="right")).any():
        choice = np.where(affordable, seen % np.maximum(affordable, 1).astype(np.uint64), len(menu))
        for place, offer in enumerate(menu):
            ask = np.flatnonzero(choice == place)
            sigma = float(offer.scale) / finer
            exact = offer.within if is_member else offer.without
            answers = exact + draw(sigma, (len(ask), len(exact)), rng)
            odds[ask] += log_odds(offer, sigma, answers)
            left[ask] -= offer.cost
            told = (answers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).sum(axis=1)
            seen[ask] = mixed(seen[ask] + told + np.uint64(place))
        ever |= (odds if is_member else -odds) > stated.at(budget - left) + 1e-9
    return int(ever.sum())


@pytest.mark.parametrize("is_member", [True, False])
def test_strategies_pass_what_a_session_in_rho_states_as_rarely_as_it_says(session, is_member):
    menu = sorted(
        (
            offer_of(session, *form(age), target_of(chance), step_of(form))
            for form, age, chance in itertools.product(FORMS, AGES[::2], CHANCES)
        ),
        key=lambda each: each.cost,
    )
    most = binom.isf(FALSE_ALARM, STRATEGIES, session.left()["exceedance"])
    rng = np.random.default_rng(52)
    assert 0 < passed(menu, session, rng, is_member=is_member) <= most
    # Half of the noise would be seen.
    assert passed(menu, session, rng, is_member=is_member, finer=2.0) > most


def test_the_best_strategy_of_all_on_small_answers_passes_as_rarely(session):
    menu = {}
    for chance in CHANCES[::2]:
        stated = session.cost(COUNT, target=target_of(chance))
        numbers, law = weights(stated["query"]["scale"])
        ends = np.quantile(np.repeat(numbers, (law * 10**4).astype(int)), [0.05, 0.5, 0.95])
        place = np.searchsorted(ends, numbers), np.searchsorted(ends, numbers + 1)
        laws = (np.bincount(each, law, len(ends) + 1) for each in reversed(place))
        menu[round(stated["cost"] * UNITS)] = tuple(tuple(map(Fraction, each)) for each in laws)
    limits, rarely = Stated.by(session.dataset), Fraction(session.left()["exceedance"])

    def best(share):
        def mass(spent, masses):
            limit = Fraction(math.exp(share * limits.at(spent))) if spent else Fraction(1)
            return masses[0] if masses[0] > limit * masses[1] else Fraction(0)

        start_at = (Fraction(1), Fraction(1))
        return adaptive.most_likely_to_pass(menu, session.dataset.budget, start_at, mass)

    assert best(1.0) <= rarely
    assert best(0.5) > rarely  # half of what is stated would be passed too often


# The last, for it spends.
def test_what_is_stated_here_is_what_an_answer_says(session):
    limits, spent = Stated.by(session.dataset), 0
    for number, chance in enumerate(CHANCES):
        where = [["age", ">=", number]]
        answer = session.ask({"statistic": "count", "where": where}, target=target_of(chance))
        spent += round(answer["cost"] * UNITS)
        upper = next(e["upper"] for e in answer["left"]["posterior"] if e["prior"] == 0.5)
        assert math.log(upper / (1 - upper)) == pytest.approx(limits.at(spent), rel=1e-9)
        assert answer["left"]["exceedance"] == DELTA
