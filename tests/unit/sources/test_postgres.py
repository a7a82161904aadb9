"""Tables of a PostgreSQL server."""

import datetime
import math

import pyarrow as pa


def test_the_server_holds_what_is_loaded(postgres):
    day = datetime.date(2024, 2, 29)
    noon = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)
    postgres.load(
        pa.table(
            {
                "n": pa.array([1, None], pa.int64()),
                "x": pa.array([math.inf, 0.1], pa.float64()),
                'a "name"': ["ä\t\\N\n", None],
                "on": [True, None],
                "day": [day, None],
                "at": pa.array([noon, None], pa.timestamp("us", "UTC")),
            }
        ),
        "loaded",
    )
    assert postgres.rows("SELECT * FROM loaded ORDER BY n") == [
        (1, math.inf, "ä\t\\N\n", True, day, noon),
        (None, 0.1, None, None, None, None),
    ]
