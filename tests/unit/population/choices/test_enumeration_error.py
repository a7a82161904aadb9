import numpy as np

from deniable._rounding import UNIT
from deniable.population.choices.enumeration_error import enumeration_error

TABLE = np.array([[1.0, -2.0, 3.0], [-1.0, 2.0, -3.0]])


def test_grows_with_the_scores_the_rows_and_the_levels():
    least = enumeration_error(TABLE, 2, 10, 1)
    assert least > 20 * UNIT
    assert enumeration_error(2 * TABLE, 2, 10, 1) > least
    assert enumeration_error(TABLE, 2, 1000, 1) > least + 1900 * UNIT
    assert enumeration_error(TABLE, 2, 10, 2) > least


def test_counts_the_largest_scores_of_a_sample_only():
    one = enumeration_error(np.array([[1.0, 5.0, 3.0]]), 2, 10, 1)
    assert one == enumeration_error(np.array([[0.0, 5.0, 3.0]]), 2, 10, 1)


def test_scores_past_one_scale_pay_for_the_halvings():
    at = 250 / (4 * 5)
    below, above = (enumeration_error(TABLE * at * f, 2, 1024, 1) for f in (0.999, 1.001))
    assert above > below * 1.2
