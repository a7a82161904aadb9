"""A statistic's row values on the engine, next to the reference in plain Python."""

from collections.abc import Callable, Iterator, Sequence

import ibis
import pyarrow as pa
import pytest

from deniable.publish.query import Statistic
from tests.oracles import bounded_tables as brute_force

OnEngine = Callable[..., list[tuple[int, tuple[int, ...]] | None]]


@pytest.fixture(scope="session")
def engine() -> Iterator[ibis.BaseBackend]:
    connection = ibis.duckdb.connect()
    yield connection
    connection.disconnect()


@pytest.fixture
def on_engine(engine) -> OnEngine:
    """What each value adds: (bin, whole numbers), None where the row takes no part."""

    def evaluated(statistic: Statistic, values: Sequence, kind: pa.DataType | None = None):
        kind = kind or pa.float64()
        table = ibis.memtable(
            pa.table({"i": range(len(values)), "x": pa.array(values, kind, from_pandas=False)})
        )
        row = statistic.row_values(table)
        columns = {f"v{index}": value for index, value in enumerate(row.values)}
        columns["bin"] = ibis.literal(0) if row.bin is None else row.bin
        columns["present"] = ibis.literal(True) if row.present is None else row.present
        found = engine.to_pyarrow(table.select("i", **columns).order_by("i")).to_pylist()
        assert all(isinstance(line["present"], bool) for line in found)
        assert all(0 <= line["bin"] < row.bins for line in found if line["present"])
        return [
            (line["bin"], tuple(line[f"v{i}"] for i in range(len(row.values))))
            if line["present"]
            else None
            for line in found
        ]

    return evaluated


@pytest.fixture
def agrees(on_engine) -> Callable[..., bool]:
    """Whether the engine's row values are the reference's."""

    def compared(statistic: Statistic, values: Sequence, kind: pa.DataType | None = None) -> bool:
        return on_engine(statistic, values, kind) == [
            brute_force.row_values(statistic, value) for value in values
        ]

    return compared
