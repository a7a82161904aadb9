"""A Spark session of the tests' own; ask for it with a fixture's name::

    def test_something(spark):
        source = spark.load(pa.table({"x": [1, 2]}))   # a Source, as data=frame gives it
        frame = spark.frame(pa.table({"x": [1, 2]}))   # pyspark.sql.DataFrame, in two partitions

It runs on two cores of this machine, and has settings that nobody may rely on: another time zone,
arithmetic that raises, and no broadcast joins but those that are asked for.
"""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa

from deniable.publish.sources.reader import MEMORY, frame_of
from deniable.publish.sources.table import Source
from tests.cases.left_out import left_out
from tests.cases.programs import need

# A session of a few minutes is not worth code that is compiled twice, nor threads that collect.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
ZONE = "America/St_Johns"
_SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": ZONE,
    "spark.sql.ansi.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


@attrs.frozen
class Cluster:
    """A running session, and ways to fill it."""

    session: Any
    folder: Path

    def frame(self, table: pa.Table) -> Any:
        """The rows as a data frame of two partitions."""
        wide = {"date32[day]": pa.int32(), "timestamp[us]": pa.int64()}
        plain = [column.cast(wide.get(str(column.type), column.type)) for column in table.columns]
        names = [f"c{place}" for place in range(len(plain))]
        made = self.session.createDataFrame(pa.table(plain, names=names)).repartition(2)
        return made.selectExpr(*map(_again, names, table.schema))

    def load(self, table: pa.Table) -> Source:
        """The rows as a source that a plan without one gets from data."""
        return source_of(self.frame(table))

    def written(self, table: pa.Table, name: str) -> Source:
        """The rows as a table of the catalog that a plan can name."""
        self.frame(table).write.mode("overwrite").saveAsTable(f"default.{name}")
        return Source(f"spark:spark_catalog.default.{name}", Path(), nulls=())


def source_of(frame: Any) -> Source:
    """A source that a plan without one gets from data."""
    return Source(MEMORY, Path(), nulls=(), frame=frame_of(frame))


def _again(name: str, field: pa.Field) -> str:
    """A column with its own name and type, whatever the session's zone is."""
    quoted = "`" + field.name.replace("`", "``") + "`"
    if pa.types.is_date(field.type):
        return f"date_from_unix_date({name}) AS {quoted}"
    if pa.types.is_timestamp(field.type) and field.type.tz is None:
        seconds = f"CAST(CAST({name} AS DECIMAL(20, 0)) * 0.000001 AS DECIMAL(18, 6))"
        return f"TIMESTAMP_NTZ'1970-01-01' + make_dt_interval(0, 0, 0, {seconds}) AS {quoted}"
    return f"{name} AS {quoted}"


def need_pyspark() -> None:
    """Leave out a test that cannot do without."""
    if importlib.util.find_spec("pyspark") is None:
        left_out("Spark", "no pyspark installed: make spark")


def need_spark() -> None:
    """Leave out a test that starts Spark, where something of it is missing."""
    need_pyspark()
    need("java")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A session that is gone, with all it held, at the end of the block."""
    need_spark()
    from pyspark.sql import SparkSession

    folder = Path(tempfile.mkdtemp(prefix="deniable-spark-"))
    builder = SparkSession.builder.master("local[2]")
    places = {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
    }
    for name, value in (_SETTINGS | places).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield Cluster(session, folder)
    finally:
        session.stop()
        shutil.rmtree(folder, ignore_errors=True)
