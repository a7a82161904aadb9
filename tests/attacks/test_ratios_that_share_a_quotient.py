"""Attacks on the judge's largest ratio: likelihoods whose quotients floats do not tell apart."""

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.errors import InvalidArgument
from deniable.judge.verify import verify

LEAST = 5e-324
AWKWARD = (0.0, 1.0, 3.0, 7.0, LEAST, 3 * LEAST, 1e-300, 1e-16)


def _rows(seed: int, entities: str) -> dict[str, list[float]]:
    """Laws of three outputs, of small whole numbers (even seeds) or with the least floats."""
    draw = random.Random(seed)
    rows = {}
    for size in range(len(entities) + 1):
        for subset in itertools.combinations(entities, size):
            while True:
                parts = [
                    draw.random() if seed % 2 == 0 else draw.choice((*AWKWARD, draw.random()))
                    for _ in range(3)
                ]
                if (total := math.fsum(parts)) > 0:
                    break
            rows[",".join(subset)] = [part / total for part in parts]
    return rows


def _spec(rows: dict[str, list[float]]) -> dict[str, object]:
    entities = sorted({name for key in rows for name in key.split(",") if name})
    outputs = [str(i) for i in range(len(next(iter(rows.values()))))]
    return {"universe": entities, "outputs": outputs, "rows": rows}


def _largest(rows: dict[str, list[float]], neighbours: list[tuple[str, str]]) -> Fraction | float:
    found: list[Fraction | float] = [Fraction(1)]
    for one, other in neighbours:
        for above, below in zip(rows[one], rows[other], strict=True):
            if below:
                found.append(Fraction(above) / Fraction(below))
            elif above:
                found.append(math.inf)
    return max(found)


def _replaced(rows: dict[str, list[float]]) -> list[tuple[str, str]]:
    sets = {key: frozenset(filter(None, key.split(","))) for key in rows}
    return [
        (one, other)
        for one, other in itertools.permutations(rows, 2)
        if len(sets[one]) == len(sets[other]) and len(sets[one] - sets[other]) == 1
    ]


@pytest.mark.parametrize("seed", range(60))
def test_no_ratio_is_above_what_is_told(seed: int) -> None:
    """The γ of one size's neighbours is the largest ratio of all, by fractions, to the last bit."""
    rows = _rows(seed, "abc")
    found = verify(_spec(rows), "bounded")
    truth = _largest(rows, _replaced(rows))
    assert found.positive_gamma is not None
    assert found.positive_gamma >= truth
    below = math.nextafter(found.positive_gamma, 0.0)
    assert found.positive_gamma == 1 or below < truth  # and no float below it would do
    assert (found.epsilon_replace_one == math.inf) == (truth == math.inf)


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_a_quotient_beyond_the_floats_hides_no_impossible_output(order: tuple[str, ...]) -> None:
    laws = ([0.5, 0.5], [LEAST, 1.0], [0.0, 1.0])
    rows = dict(zip(order, laws, strict=True))
    found = verify(_spec(rows), "bounded")
    assert found.epsilon_replace_one == math.inf
    assert found.here is not None
    assert found.here.witness is not None
    assert found.here.witness.prior is not None
    assert set(found.here.witness.prior) == {order[0], order[2]}  # the two that show it


def test_quotients_near_zero_hide_no_larger_ratio() -> None:
    rows = {"": [0.7, 0.3], "a": [LEAST, 1.0], "b": [1.0, 0.0], "a,b": [LEAST, 1.0]}
    found = verify(_spec(rows), "independent")
    assert found.epsilon_negative is not None
    assert found.epsilon_negative >= 744.4400719213812  # ln 2^1074


def test_a_chance_of_the_least_float_is_no_nan() -> None:
    rows = {"": [1.0, 0.0], "a": [0.5, 0.5], "b": [0.75, 0.25], "a,b": [1.0, 0.0]}
    prior = {"": LEAST, "b": LEAST, "a,b": 1.0}
    found = verify(_spec(rows), "table", table=prior)
    assert found.positive_gamma == math.inf  # the second output rules out that b is out


def test_a_chance_of_the_least_float_is_no_overflow() -> None:
    rows = {"": [0.125, 0.875], "a": [0.5, 0.5], "b": [0.5, 0.5], "a,b": [0.25, 0.75]}
    prior = {"": LEAST, "a": LEAST, "b": 1.0, "a,b": LEAST}
    found = verify(_spec(rows), "table", table=prior)
    assert found.positive_gamma == 1.6  # a, by fractions
    assert found.negative_gamma == 1.375


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_of_many_digits_is_refused(digits: int, tmp_path: Path) -> None:
    source = tmp_path / "spec.json"
    source.write_text(
        json.dumps(_spec({"": [0.5, 0.5], "a": [0.5, 0.5]})).replace("0.5", "1" * digits, 1)
    )
    with pytest.raises(InvalidArgument):
        verify(source, "independent")


def test_a_universe_too_large_to_list_is_refused() -> None:
    spec = {"universe": [f"e{i}" for i in range(60)], "outputs": ["0"], "rows": {"": [1.0]}}
    with pytest.raises(InvalidArgument):
        verify(spec, "bounded")
