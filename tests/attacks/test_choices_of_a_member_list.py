"""What a plan with choices beside sums promises of a known list, against all samples written out.

From the plan's text to the certificate: the list and the data are files. The population's ε in the
certificate is compared with the law of everything published, computed here from the rows of the
list and the certificate's noise alone.
"""

import functools
import itertools
import math
import random

import pyarrow as pa
import pytest

from deniable.pipeline.kind import Origin
from deniable.publish import prepare
from deniable.publish.kind import KIND
from tests.cases import member_lists
from tests.cases.effort import usual
from tests.oracles.selections import laws, selection_law

SUMS = """
[[query]]
name = "older"
statistic = "count"
where = [["x", ">=", 2]]
"""
TOP = """
[[query]]
name = "most"
statistic = "top"
column = "g"
keys = {{ g = ["a", "b", "c"] }}
number = {number}
"""
QUANTILE = """
[[query]]
name = "middle"
statistic = "quantile"
column = "x"
bounds = [0, 4]
candidates = 3
quantile = {quantile}
"""
QUANTILES = {0.5: (1, 2), 0.25: (1, 4), 0.9: (9, 10)}
CATEGORIES, CANDIDATES = "abc", (0, 2, 4)
COUNTS = range(-12, 20)


def a_list(draw, people, most_rows):
    """Rows of each person: (a number, a category), at the bounds and beyond, few different ones."""
    return [
        [
            (draw.choice((-1, 0, 1, 2, 3, 4, 9)), draw.choice(("a", "a", "b", "c", "elsewhere")))
            for _ in range(draw.randint(1, most_rows))
        ]
        for _ in range(people)
    ]


def table(people, numbers):
    rows = [{"id": n, "x": x, "g": g} for n in numbers for x, g in people[n]]
    schema = pa.schema({"id": pa.int64(), "x": pa.int64(), "g": pa.string()})
    return pa.Table.from_pylist(rows, schema)


def scores(rows, query):
    if query.statistic == "top":
        return [sum(g == each for _, g in rows) for each in CATEGORIES]
    n, d = QUANTILES[query.parameters["quantile"]]
    clipped = [min(max(x, 0), 4) for x, _ in rows]
    return [
        -abs((d - n) * sum(x < c for x in clipped) - n * sum(x > c for x in clipped)) / d
        for c in CANDIDATES
    ]


def weight(away, scale, power):
    return math.exp(-((abs(away) / scale) ** power) / power)


@functools.cache
def whole(scale, power):
    return sum(weight(away, scale, power) for away in range(-2000, 2001))


def counted(rows, part):
    true, scale = sum(x >= 2 for x, _ in rows), part.scale
    power = {"discrete-laplace": 1, "discrete-gaussian": 2}[part.mechanism]
    return {(y,): weight(y - true, scale, power) / whole(scale, power) for y in COUNTS}


def released(certificate):
    """As a function of a sample of people, the chance of every output."""

    def law(sample):
        rows = list(itertools.chain(*sample))
        found = {(): 1.0}
        for query in certificate.queries:
            (part,) = query.parts
            if query.statistic == "count":
                one = counted(rows, part)
            else:
                noise = part.mechanism.removeprefix("noisy-top-k-")
                number = query.parameters.get("number", 1)
                one = selection_law(scores(rows, query), number, part.scale, noise)
            found = {(*o, q): p * chance for o, p in found.items() for q, chance in one.items()}
        return found

    return law


def promised(draw, folder, *, most_rows, floor, target):
    """The list, the size of the sample, and the certificate of a plan on them."""
    people = a_list(draw, draw.randint(4, 6), most_rows)
    size = draw.randint(1, len(people) - 1)
    asked = [SUMS, TOP.format(number=draw.randint(1, 2))]
    asked.append(QUANTILE.format(quantile=draw.choice(list(QUANTILES))))
    asked = draw.sample(asked, draw.choice((2, 3)))
    path = member_lists.write(
        folder, "".join(asked), floor=floor, target=target, list_=table(people, range(len(people))),
        data=table(people, draw.sample(range(len(people)), size)),
    )  # fmt: skip
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("rows_per_entity = 1", f"rows_per_entity = {most_rows}"))
    prepared = prepare.plan_release(path, data=None, ledger=None, dataset=None, compare=True)
    return people, size, KIND.certified(prepared, Origin("2026-01-01", {}))


@pytest.mark.parametrize("most_rows", [1, 2])
@pytest.mark.parametrize("seed", range(usual(2, 8)))
def test_choices_beside_sums_promise_no_less_than_all_samples_give(tmp_path, seed, most_rows):
    draw = random.Random(f"choices {seed} {most_rows}")
    target = f"epsilon = {draw.choice((0.2, 0.6, 1.5))}"
    floor = f"epsilon = {draw.choice((2, 6, 20))}"
    people, size, made = promised(draw, tmp_path, most_rows=most_rows, floor=floor, target=target)
    law = released(made)
    truth = 0.0
    for member in range(len(people)):
        inside, outside = laws(people, size, member, law)
        truth = max(truth, *(abs(math.log(inside[o] / outside[o])) for o in inside))
    claimed = made.population.claim.bound.upper
    assert truth <= claimed * (1 + 1e-9)
    assert truth > 0


@pytest.mark.parametrize("seed", range(usual(1, 4)))
def test_with_delta_no_more_than_that_is_beyond_the_promise(tmp_path, seed):
    draw = random.Random(f"delta {seed}")
    delta = draw.choice((0.01, 0.1))
    people, size, made = promised(
        draw, tmp_path, most_rows=1, floor="epsilon = 6\ndelta = 1e-3",
        target=f"epsilon = 0.4\ndelta = {delta}",
    )  # fmt: skip
    odds, law = math.exp(made.population.claim.bound.upper), released(made)
    for member in range(len(people)):
        both = laws(people, size, member, law)
        for one, other in (both, both[::-1]):
            beyond = sum(max(one[o] - odds * other[o], 0.0) for o in one)
            assert beyond <= delta * (1 + 1e-9)
