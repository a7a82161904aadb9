"""The page for whoever keeps a list: what stands on it, and what does not."""

import ast
import json
import math
import re
from pathlib import Path

import attrs
import numpy as np
import pytest

import deniable
from deniable.numerics.bound import Bound, Evidence
from deniable.population.answer import RecordBound
from deniable.population.pages import COLUMNS, MOST_DRAWN, Risks
from tests.cases.prose import probability_of

AGES = [23.25, 25.25, 31.25, 34.25, 38.25, 41.25, 47.25, 52.25, 58.25, 63.25, 70.25, 85.25]
CELLS = [[1, 0, 30], [0, 1, 10], [0, 0, 0]]


def words(page):
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def rows(page, identifier):
    """The cells of a table, a list a row; the head first."""
    table = page[page.index(f'id="{identifier}-caption"') :]
    table = table[: table.index("</table>")]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[1:]]


@pytest.fixture(scope="module")
def ages():
    return deniable.population.gaussian(AGES, 6, sigma=8.0, delta=1e-4, clip=100, records="all")


def many(number, seed=0):
    """An answer of so many records that nobody analysed: no end is another record's."""
    drawn = np.random.default_rng(seed)
    far = np.abs(drawn.standard_t(3, number))
    ends = [(float(0.1 * x), float(0.12 * x + 1e-3)) for x in far]
    records = tuple(
        RecordBound(k, Bound(*both, Evidence.ENCLOSURE), "fourier", "fourier", float(x))
        for k, (both, x) in enumerate(zip(ends, far, strict=True))
    )
    answer = deniable.population.gaussian([0.0, 1.0, 2.0], 1, sigma=3.0, delta=1e-4)
    whole = Bound(max(a for a, _ in ends), max(b for _, b in ends), Evidence.ENCLOSURE)
    return attrs.evolve(answer, population=number, records=records, population_epsilon=whole)


def test_it_says_for_whom_it_is_and_opens_without_asking_for_anything(ages):
    page = ages.page()
    assert "Do not publish" in words(page)
    assert "<script" not in page
    assert "http" not in re.sub(r'<meta http-equiv="[^"]*"', "", page)


def test_no_value_of_a_record_stands_on_it(ages):
    curve = deniable.population.noise_curve(AGES, 6, [8.0], delta=1e-4, clip=100)
    shown = set(re.findall(r"\d+\.\d+", ages.page(curve)))
    assert not shown & {str(age) for age in AGES}


def test_the_most_at_risk_come_first_with_both_ends_rounded_outwards(ages):
    head, *told = rows(ages.page(), "records")
    assert [int(row[0]) for row in told] == [
        each.record for each in sorted(ages.records, key=lambda each: -each.bound.upper)
    ]
    for row in told:
        bound = ages.records[int(row[0])].bound
        low, high = (float(row[head.index(each)]) for each in ("Population ε at least", "at most"))
        assert low <= bound.lower <= bound.upper <= high
        assert high - low <= (bound.upper - bound.lower) + 1e-3 * high


def test_beliefs_and_guesses_are_never_below_those_of_the_answer(ages):
    _, *told = rows(ages.page(), "shares")
    assert told[-1][0] == "all of them"
    assert float(told[-1][1]) >= ages.population_epsilon.upper
    assert probability_of(told[-1][2]) >= ages.bayes_success
    assert probability_of(told[-1][3]) >= math.exp(ages.population_epsilon.upper) / (
        1 + math.exp(ages.population_epsilon.upper)
    )


def test_shares_count_every_record_of_a_row():
    answer = deniable.population.gaussian(
        CELLS, 20, sigma=4.0, delta=1e-3, query="sum", counts=True, records="all"
    )
    risks = Risks.of(answer)
    assert risks.counts.tolist() == [30, 10]
    low, high = sorted(float(each.bound.upper) for each in answer.records[:2])
    assert dict(risks.shares()) == {0.5: low, 0.9: high, 0.99: high, 1.0: high}
    assert [row[:2] for row in rows(answer.page(), "records")[1:]] == [["1", "10"], ["0", "30"]]
    assert "belief about any record is between" in words(answer.page())


def test_a_count_has_two_kinds_of_records():
    found = deniable.population.count(30, 1000, 100, scale=2.0, records="all")
    assert [each.count for each in found.records] == [30, 970]
    assert [row[:2] for row in rows(found.page(), "records")[1:]] == [["0", "30"], ["30", "970"]]
    for ones in (0, 1000):
        (alone,) = deniable.population.count(ones, 1000, 100, scale=2.0, records="all").records
        assert alone.count == 1000
    some = deniable.population.count(30, 1000, 100, scale=2.0, records=[7]).records
    assert [each.count for each in some] == [None]


def test_what_is_said_of_some_is_not_said_of_all():
    some = deniable.population.gaussian(AGES, 6, sigma=8.0, delta=1e-4, records=[0, 3])
    assert "any of the requested records" in words(some.page())
    assert "any record" not in words(some.page())


def test_the_worst_alone_has_no_chart_and_says_how_to_get_one():
    page = deniable.population.gaussian(AGES, 6, sigma=8.0, delta=1e-4).page()
    assert "--records all" in words(page)
    assert "<svg" not in page


def test_where_no_limit_was_found_none_is_stated():
    found = many(3)
    unbounded = Bound(0.5, math.inf, Evidence.ENCLOSURE)
    first = attrs.evolve(found.records[0], bound=unbounded)
    found = attrs.evolve(
        found, population_epsilon=unbounded, records=(first, *found.records[1:]), bayes_success=1.0
    )
    told = words(found.page())
    assert "the attacker can become certain" in told
    assert "1 record has no upper end" in told


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_a_limit_that_fails_too_often_is_not_told(delta):
    told = words(deniable.population.gaussian(AGES, 6, sigma=8.0, delta=delta).page())
    assert "except with probability" not in told
    assert "a guess whether this record was drawn is right at most" in told


def test_no_record_is_outside_the_columns_of_a_chart_of_many():
    risks = Risks.of(many(MOST_DRAWN + 500))
    columns = risks.columns()
    assert len(columns) <= COLUMNS
    for far, low, high in zip(risks.distances, risks.lower, risks.upper, strict=True):
        assert any(
            each["start"] <= far <= each["end"] and each["low"] <= low and each["high"] >= high
            for each in columns
        )
    for each in columns:
        inside = (risks.distances >= each["start"]) & (risks.distances <= each["end"])
        assert each["low"] in risks.lower[inside]
        assert each["high"] in risks.upper[inside]


def test_a_page_of_many_records_is_small_and_says_how_they_are_drawn():
    page = many(30_000).page()
    assert len(page) < 200_000
    assert "groups 30,000 records into columns by distance" in words(page)


def test_the_curve_has_a_line_a_scale_and_says_what_pac_privacy_is():
    answer = deniable.population.gaussian(
        CELLS, 20, sigma=4.0, delta=1e-3, query="sum", counts=True, records="all"
    )
    curve = deniable.population.noise_curve(
        CELLS, 20, [2.0, 8.0], delta=1e-3, query="sum", counts=True
    )
    page = answer.page(curve)
    _, *told = rows(page, "noise")
    assert [float(row[0]) for row in told] == [2.0, 8.0]
    for row, point in zip(told, curve.points, strict=True):
        assert float(row[2]) >= point.population_epsilon.upper
        assert float(row[5]) >= point.bayes_success
        assert float(row[6]) >= point.pac_success
    assert "not a promise for one output" in words(page)


def test_a_list_with_one_record_far_out_names_it_and_its_bound():
    values = [*range(20), 400]
    found = deniable.population.gaussian(values, 10, sigma=10.0, delta=1e-4, records="all")
    _, first, *_ = rows(found.page(), "records")
    assert int(first[0]) == 20


@pytest.mark.parametrize(
    "values", [[0.0, 1.0, 2.0, 5.0, 7.0, 9.0], [0.0, 0.0, 0.0, 9.0], [1.0, 1.0, 1.0]]
)
def test_ends_that_are_infinite_or_0_are_drawn_as_far_as_they_go(values):
    """Discrete Gaussian noise at delta 0 has no finite end at either side."""
    found = deniable.population.discrete_gaussian(values, 1, scale=2.0, records="all")
    page = found.page()
    assert page.count("<svg") == 1
    assert ("the attacker can become certain" in words(page)) == math.isinf(
        found.population_epsilon.upper
    )
    for by in ("record", "distance"):
        assert "Infinity" not in json.dumps(found.plot(by=by).to_dict())


def named_methods():
    """What engines say of how they found an interval: constants handed to `by` and `cap`."""
    found = set()
    for path in sorted((Path(deniable.__file__).parent / "population").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("by", "cap"):
                last = node.args[-1] if node.args else None
                if isinstance(last, ast.Constant) and isinstance(last.value, str):
                    found.add(last.value)
    return sorted(found)


def test_every_method_is_told_in_words():
    found = deniable.population.count(4, 10, 5, scale=2.0)
    methods = named_methods()
    assert {"crowd", "enumerate", "exchange", "lattice"} <= set(methods)
    for method in methods:
        page = attrs.evolve(found, method=method).page()
        assert f"<dd>{method}</dd>" not in page


def test_a_cell_that_does_not_break_is_short():
    """A sentence in a column of numbers pushed the other columns off a telephone's screen."""
    unbounded = deniable.population.gaussian([0.0, 1.0, 2.0, 7.0], 2, sigma=3.0, delta=1e-4)
    for answer in (unbounded, attrs.evolve(unbounded, epsilon=None)):
        cells = rows(answer.page(), "besides")[1:]
        assert max(len(value) for _, value, _ in cells) <= 20
        [words_of_dp] = [text for name, _, text in cells if name == "ε of differential privacy"]
        assert "clip them" in words_of_dp
