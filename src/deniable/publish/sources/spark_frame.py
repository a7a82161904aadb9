"""A Spark data frame: what its columns are, by its schema alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from deniable.errors import InvalidArgument
from deniable.publish.sources.spark_values import arrow_type

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


@attrs.frozen(eq=False)
class SparkFrame:
    """A table that a Spark session can make, of the session's own library.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Its rows are made when they are asked for, on the cluster, each time anew.
    """

    frame: Any = attrs.field()
    index = ()

    @frame.validator
    def _is_a_table(self, _: object, frame: Any) -> None:
        if frame.isStreaming:
            raise InvalidArgument(
                "Expected a Spark data frame whose rows are all there, got a stream. Write it to a "
                "table first."
            )

    @property
    def names(self) -> Sequence[object]:
        """The columns' names."""
        return [field.name for field in self.frame.schema.fields]

    def types(self) -> Mapping[str, pa.DataType | None]:
        """Columns and their Arrow types; null for what no plan can use."""
        return {name: arrow_type(of) for name, of in self.describe_types().items()}

    def describe_types(self) -> Mapping[str, str]:
        """Columns and Spark's names of their types."""
        return {each.name: each.dataType.simpleString() for each in self.frame.schema.fields}
