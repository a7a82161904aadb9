"""Records that floats cannot hold: numbers that would become one, and what is no real number.

Two records that differ and become the same float would be told to tell nothing, with proof.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from deniable import Effort, LinearQuery, population
from deniable.errors import DataError, InvalidArgument
from tests.cases.refusals import refuses

SOON = Effort(gap=0.5, time_limit=600)
"""What is compared ends by the gap, under any load."""
DOORS = {
    "gaussian": lambda x: population.gaussian(x, 1, sigma=3.0, delta=0.01, effort=SOON),
    "laplace": lambda x: population.laplace(x, 1, scale=3.0, effort=SOON),
    "curve": lambda x: population.noise_curve(x, 1, [3.0], delta=0.01, effort=SOON),
    "joint": lambda x: population.joint([LinearQuery(x, 3.0)], 1, delta=0.01, effort=SOON),
    "losses": lambda x: population.exponential(
        losses=x, size=1, epsilon=1.0, sensitivity=1e99, effort=SOON
    ),
    "distances": lambda x: population.exponential(
        x, [[0.0], [1.0]], 1, epsilon=1.0, clip=5.0, effort=SOON
    ),
    "own loss": lambda x: population.exponential(
        x,
        [0.0, 1.0],
        1,
        epsilon=1.0,
        sensitivity=1e99,
        loss=lambda w, rows: w * len(rows),
        effort=SOON,
    ),
    "query": lambda x: population.query(
        lambda rows: [len(rows)], x, 1, sigma=3.0, delta=0.05, records=[0], effort=SOON
    ),
}
ALIKE = [Fraction(1), 1 + Fraction(1, 2**60)]
ONE_FLOAT = {
    "whole": [2**53, 2**53 + 1, 5],
    "NumPy's whole": [np.int64(2**53), np.int64(2**53 + 1), np.int64(5)],
    "NumPy's without a sign": [np.uint64(2**63), np.uint64(2**63 + 1)],
    "an array of them": np.array([2**63, 2**63 + 1], np.uint64),
    "among floats": [0.5, 2**53 + 1],
    "fractions": ALIKE,
    "decimals": [Decimal(1), Decimal("1.00000000000000000001")],
    "words": ["1", "1.00000000000000000001"],
    "bytes": [b"1", b"1.00000000000000000001"],
    "long floats": np.array([1, 1 + np.longdouble(2) ** -60], np.longdouble),
    "below the least float": [Decimal(0), Decimal("1e-400")],
}
NO_NUMBERS = {
    "complex": np.array([1.0, 2.0]) + 0j,
    "days": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    "seconds": np.array([1, 2], "timedelta64[s]"),
    "a column of days": pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
    "masked": np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False]),
    "words": ["one", "two"],
    "ragged": [[1.0, 2.0], [3.0]],
    "a set": {1.0, 2.0},
    "a generator": (each for each in [1.0, 2.0]),
    "a mapping": {"a": 1.0},
    "named columns": np.array([(1.0, 2.0)], [("a", float), ("b", float)]),
    "endless": [10**400, 1, 2],
    "none": [1.0, None],
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("records", ONE_FLOAT)
def test_records_that_would_become_one_are_refused(door, records):
    with refuses(InvalidArgument, "tell-apart-subtract"):
        DOORS[door](ONE_FLOAT[records])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("records", NO_NUMBERS)
def test_what_is_no_number_is_refused(door, records):
    with refuses(InvalidArgument, "expects-something"):
        DOORS[door](NO_NUMBERS[records])


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993\n9007199254740992\n",
        "1.00000000000000000001,2\n1,2\n",
        "0\n1e-400\n",
        "0.1\n0.10000000000000001\n0.1000000000000000000001\n",
    ],
)
def test_a_file_of_records_that_would_become_one_is_refused(tmp_path, text):
    path = tmp_path / "members.csv"
    path.write_text(text)
    for door in ("gaussian", "laplace", "losses", "own loss"):
        with refuses(DataError, "floats-can-tell-apart-numbers"):
            DOORS[door](path)


@pytest.mark.parametrize(
    "records",
    [
        [Decimal("0.1"), Decimal("0.10"), Decimal(3)],
        [Fraction(1, 3), Fraction(2, 6), 1],
        ["0.1", "0.10", "1e0"],
        [np.float64(0.5), np.int64(2), 0.5],
        np.ma.array([1.0, 2.0, 2.0], mask=False),
    ],
    ids=str,
)
def test_numbers_that_floats_tell_apart_are_taken(records):
    plain = DOORS["gaussian"]([float(each) for each in records])
    assert DOORS["gaussian"](records).population_epsilon == plain.population_epsilon


def test_a_file_of_equal_numbers_in_several_spellings_is_taken(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("0.1000000000000000\n0.1\n1e-1\n0.50000000000000000\n")
    plain = DOORS["gaussian"]([0.1, 0.1, 0.1, 0.5])
    assert DOORS["gaussian"](path).population_epsilon == plain.population_epsilon
    assert DOORS["own loss"](path).subsets == 4


NO_ANSWERS = {
    "nothing": None,
    "a word": "one",
    "complex": np.array([1j, 2.0]),
    "ragged": [1.0, [2.0]],
    "a generator": (each for each in [1.0, 2.0]),
    "too large": [10**400, 1],
    "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
    "not a number": [np.nan, 1.0],
}


@pytest.mark.parametrize("method", ["enumerate", "sample"])
@pytest.mark.parametrize("answer", NO_ANSWERS)
def test_a_function_that_gives_no_numbers_is_refused(answer, method):
    given, noise = NO_ANSWERS[answer], {"sensitivity": 9.0, "epsilon": 1.0, "effort": SOON}
    for function in (
        {"loss": lambda w, rows: (w, len(rows), given)[2]},
        {"losses": lambda rows: (len(rows), given)[1]},
    ):
        with refuses(InvalidArgument, "expects-something"):
            population.exponential(
                [1.0, 2.0, 5.0], [0.0, 1.0], 1, method=method, **function, **noise
            )
    with refuses(InvalidArgument, "expects-something"):
        population.query(
            lambda rows: (len(rows), given)[1], [1.0, 2.0, 5.0], 1, sigma=1.0, delta=0.01,
            effort=SOON,
        )  # fmt: skip


def test_answers_of_several_lengths_are_refused():
    with refuses(InvalidArgument, "same-number-of-finite-numbers"):
        population.query(
            lambda rows: [1.0] * int(rows[0]), [1.0, 2.0, 3.0], 1, sigma=1.0, delta=0.01
        )


def test_what_a_function_raises_is_its_own_affair():
    def broken(candidate, rows):
        raise TypeError(f"{candidate} of {len(rows)}")

    with pytest.raises(TypeError, match="of 1"):
        population.exponential(
            [1.0, 2.0], [0.0], 1, loss=broken, sensitivity=1.0, epsilon=1.0, effort=SOON
        )


@pytest.mark.parametrize("value", [5, None, 0.5])
def test_what_is_no_list_is_refused(value):
    with refuses(InvalidArgument, "records-to-worst"):
        population.gaussian([1.0, 2.0], 1, sigma=1.0, delta=0.01, records=value)
    with refuses(InvalidArgument, "list-of-sigmas"):
        population.noise_curve([1.0, 2.0], 1, value, delta=0.01)


@pytest.mark.parametrize("value", ["1", [1.0], 1j])
@pytest.mark.parametrize("name", ["epsilon", "target"])
def test_an_epsilon_that_is_no_number_is_refused(name, value):
    with refuses(InvalidArgument, f"not-a-number: {name}"):
        population.exponential(losses=[[0.0], [1.0]], size=1, sensitivity=1.0, **{name: value})
