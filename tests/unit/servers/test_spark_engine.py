"""What is told of a table of Spark that cannot be had."""

import pytest

from deniable.servers.spark_engine import says_refused


class SparkError(Exception):
    """An error with a state, as PySpark has them."""

    def __init__(self, text, state):
        super().__init__(text)
        self.getSqlState = lambda: state


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (SparkError("who knows", "42501"), True),
        (SparkError("[TABLE_OR_VIEW_NOT_FOUND] a.b", "42P01"), False),
        (SparkError("nothing", None), False),
        (RuntimeError("o42.sql: org.apache.hadoop.security.AccessControlException: x"), True),
        (RuntimeError("com.amazonaws...: Access Denied (Status Code: 403)"), True),
        (RuntimeError("java.lang.NullPointerException"), False),
    ],
)
def test_a_missing_right_is_told_from_a_missing_table(failure, expected):
    assert says_refused(failure) is expected
