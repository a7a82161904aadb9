"""Small values of functions that several modules share."""

import numpy as np

from deniable.computing.confidence_limits import binomial_limits, log_capital
from deniable.computing.parallel import memory
from deniable.computing.transforms import transform_error, transform_length
from deniable.numerics.answer import plain
from deniable.numerics.effort import part
from deniable.numerics.rounding import exact_product, greatest_within
from deniable.numerics.search import bisect, bisect_integers


def test_json_has_texts_as_keys_and_infinities_as_text():
    assert plain({1: (0.5, float("inf"))}) == {"1": [0.5, "inf"]}


def test_limits_of_no_success_in_ten():
    assert [round(float(limit), 4) for limit in binomial_limits(0, 10, 0.05)] == [0.0, 0.2589]


def test_capital_after_further_gains():
    capital = log_capital(np.array([0.5, -0.5]), [1.0], [1.0], further=(2, 1.0))
    assert round(capital, 3) == 1.099


def test_the_machine_has_memory():
    assert memory() > 2**20


def test_product_of_two_polynomials():
    assert exact_product([1, 2], [1, 0, 1]) == [1, 2, 1, 2]


def test_searches_end_at_the_border():
    assert greatest_within(lambda x: x**3, 8.0, 0.0, 1000.0) == 2.0
    root = bisect(lambda x: x * x <= 2, 0, 2, halvings=20)
    assert [round(bound, 3) for bound in root] == [1.414, 1.414]
    assert bisect_integers(lambda n: n * n <= 50, 0, 50) == 7


def test_lengths_of_transforms_and_their_error():
    assert (transform_length(97), transform_length(1024)) == (100, 1024)
    assert transform_error(1024) / 2.0**-53 == 162.0


def test_progress_of_a_second_half():
    told = []
    part(told.append, 0.5, 1.0)(0.5)
    assert told == [0.75]
