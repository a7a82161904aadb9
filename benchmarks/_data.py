"""A made-up table of visits: skewed owners, 50 groups, values from 0 to 50 and a few beyond."""

import tempfile
from pathlib import Path

import duckdb

ENTITIES, GROUPS, LARGEST = 1_000_000, 50, 50.0

_COLUMNS = """
    CAST(floor({entities} * pow(u0, 2)) AS BIGINT) AS person,
    CAST(floor(u1 * {groups}) AS INTEGER) AS grp,
    round(pow(u2, 4) * 1.1 * {largest}, 2) AS value
"""


def visits(rows: int, folder: Path | None = None) -> Path:
    """A Parquet file of that many rows; made once, the same on every machine."""
    place = Path(tempfile.gettempdir()) if folder is None else folder
    path = place / f"deniable-benchmark-visits-{rows}.parquet"
    if path.is_file():
        return path
    uniform = ", ".join(
        f"(hash(i * 3 + {number}) >> 11) / 9007199254740992.0 AS u{number}" for number in range(3)
    )
    columns = _COLUMNS.format(entities=ENTITIES, groups=GROUPS, largest=LARGEST)
    partial = path.with_suffix(".partial")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {columns} FROM (SELECT {uniform} FROM range({rows}) AS r(i))) "
            f"TO '{partial}' (FORMAT parquet)"
        )
    return partial.rename(path)
