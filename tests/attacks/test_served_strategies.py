"""Strategies against a service that were written, or drawn at random, to learn about one person.

The person alone is 59 years old, and the attacker knows every other row. Their belief is computed
from the law of the noise, in whole steps of each question's own loss, and compared with what the
ledger charged in exact fractions: nothing is allowed for rounding.
"""

import itertools
import math
import os
from fractions import Fraction

import attrs
import numpy as np
import pyarrow as pa
import pytest

from deniable.errors import BudgetExceeded
from deniable.ledger.units import UNITS
from tests.cases.effort import usual
from tests.cases.served import start

STRATEGIES = usual(20_000, 1_000_000)
BLOCK = 100_000
QUESTIONS = int(os.environ.get("DENIABLE_QUESTIONS", usual(24, 1_000)))
"""Questions of one agent to the service itself; 10,000 take some minutes."""
KEYS, EDGES, AGES = ("north", "south"), (0, 20, 40, 60), (0, 20, 50, 58, 59)
PEOPLE = [{"person": n, "ward": KEYS[n % 2], "age": 7 * n % 60} for n in range(12)]
TARGET = {"person": 99, "ward": "north", "age": 59}
BUDGET = 1.0


# Three questions with a parameter, and what they come to by hand.
def count(age):
    query = {"statistic": "count", "where": [["age", ">=", age]], "group_by": ["ward"],
             "keys": {"ward": list(KEYS)}}  # fmt: skip
    return query, lambda rows: [
        sum(row["ward"] == key and row["age"] >= age for row in rows) for key in KEYS
    ]


def total(age):
    query = {"statistic": "sum", "column": "age", "bounds": [0, 64], "where": [["age", ">=", age]]}
    return query, lambda rows: [sum(row["age"] for row in rows if row["age"] >= age)]


def histogram(age):
    query = {"statistic": "histogram", "column": "age", "edges": list(EDGES),
             "where": [["age", ">=", age]]}  # fmt: skip
    bins = list(itertools.pairwise(EDGES))
    return query, lambda rows: [
        sum(low <= row["age"] < high and row["age"] >= age for row in rows) for low, high in bins
    ]


FORMS = (count, total, histogram)


@attrs.frozen
class Offer:
    """A question: its answers without and with the person, in steps; its noise and its cost."""

    without: np.ndarray
    within: np.ndarray
    scale: Fraction
    cost: int

    def steps(self, answers):
        """What answers add to the log-odds of taking part, in 1 / scale; whole numbers."""
        return (np.abs(answers - self.without) - np.abs(answers - self.within)).sum(axis=-1)


def step_of(form):
    """The step in which a question's answers are whole numbers."""
    return Fraction(1, 2**18 if form is total else 1)


def offer_of(session, query, by_hand, target, step):
    """A question with the noise and the cost that the service states."""
    stated = session.cost(query, target=target)
    whole = [np.array([round(each / step) for each in by_hand(rows)])
             for rows in (PEOPLE, [*PEOPLE, TARGET])]  # fmt: skip
    return Offer(*whole, Fraction(stated["query"]["scale"]) / step, round(stated["cost"] * UNITS))


def offers(session):
    """All questions by cost, the cheapest first."""
    menu = [
        offer_of(session, *form(age), {"epsilon": 1 / share}, step_of(form))
        for form, age, share in itertools.product(FORMS, AGES, (4, 8, 16))
    ]
    return sorted(menu, key=lambda each: each.cost)


def mixed(state):
    """A function of 64 bits that looks random: the end of SplitMix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def play(menu, number, rng):
    """Let strategies ask until nothing is left; steps by scale, and what each spent.

    A strategy is a random function from all that it was answered to the next question.
    """
    scales = sorted({each.scale for each in menu})
    costs = np.array([each.cost for each in menu])
    inside = rng.random(number) < 0.5
    seen = rng.integers(2**64, size=number, dtype=np.uint64)
    steps, left = np.zeros((number, len(scales)), np.int64), np.full(number, int(BUDGET * UNITS))
    while (affordable := np.searchsorted(costs, left, side="right")).any():
        choice = np.where(affordable, seen % np.maximum(affordable, 1).astype(np.uint64), len(menu))
        for place, offer in enumerate(menu):
            ask = np.flatnonzero(choice == place)
            shape, p = (len(ask), len(offer.within)), -math.expm1(-1 / offer.scale)
            exact = np.where(inside[ask, None], offer.within, offer.without)
            answers = exact + rng.geometric(p, shape) - rng.geometric(p, shape)
            steps[ask, scales.index(offer.scale)] += offer.steps(answers)
            left[ask] -= offer.cost
            told = (answers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).sum(axis=1)
            seen[ask] = mixed(seen[ask] + told + np.uint64(place))
    return scales, steps, int(BUDGET * UNITS) - left


def test_no_strategy_drawn_at_random_passes_what_it_was_charged(tmp_path):
    with start(tmp_path, pa.Table.from_pylist(PEOPLE), budget=BUDGET) as session:
        menu = offers(session)
        most = session.describe()["after_everything"]["posterior"]
    limit = next(each["upper"] for each in most if each["prior"] == 0.5)
    rng, largest = np.random.default_rng(52), 0.0
    for _ in range(0, STRATEGIES, BLOCK):
        scales, steps, spent = play(menu, min(STRATEGIES, BLOCK), rng)
        log_odds = steps @ np.array([float(1 / scale) for scale in scales])
        near = np.abs(log_odds) > spent / UNITS - 1e-9  # a thousand times what floats can err
        for *row, charged in np.unique(np.column_stack([steps, spent])[near], axis=0).tolist():
            exact = sum(n / scale for n, scale in zip(row, scales, strict=True))
            assert abs(exact) <= Fraction(charged, UNITS)
        largest = max(largest, np.abs(log_odds).max())
    assert largest > 0.9 * BUDGET  # the bound is nearly attained
    assert 1 / (1 + math.exp(-largest)) <= limit


@pytest.mark.parametrize(("is_member", "questions"), [(False, 24), (True, QUESTIONS)])
def test_no_answers_to_an_agent_that_hunts_one_person_pass_the_target(
    tmp_path, is_member, questions
):
    # Each question is about nobody but the person. The surer the agent is, the less it spends.
    rows = [*PEOPLE, TARGET] if is_member else PEOPLE
    spent, log_odds, least = Fraction(0), Fraction(0), 4.0 / questions
    offers_so_far = {}  # the noise of a question is the same whatever its filter
    with start(tmp_path, pa.Table.from_pylist(rows), budget=4.0) as session:
        for number in range(questions):
            form = FORMS[number % 3]
            query, by_hand = form(59)
            query["where"].append(["age", "<", 60 + number])
            target = {"epsilon": least / 2 ** min(int(4 * abs(log_odds)), 3)}
            kind = form, target["epsilon"]
            if kind not in offers_so_far:
                step = step_of(form)
                offers_so_far[kind] = offer_of(session, query, by_hand, target, step)
            offer = offers_so_far[kind]
            answer = session.ask(query, target=target)
            values = [row["value"] / float(step_of(form)) for row in answer["rows"]]
            spent += Fraction(answer["cost"])
            log_odds += int(offer.steps(np.array(values, np.int64))) / offer.scale
            assert abs(log_odds) <= spent
            limit = next(e["upper"] for e in answer["left"]["posterior"] if e["prior"] == 0.5)
            assert 1 / (1 + math.exp(-log_odds)) <= limit
        left = session.left()["left"]
        assert Fraction(left) == 4 - spent
        with pytest.raises(BudgetExceeded):
            session.ask({"statistic": "count"}, target={"epsilon": left + 2.0**-40})
