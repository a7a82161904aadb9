"""The statistics that a plan can ask for; a new one is a file and a line here."""

from deniable.publish.statistics._moments import STEP
from deniable.publish.statistics._sensitivity import Sensitivity, contribution_units
from deniable.publish.statistics._units import (
    ROUNDING,
    STEPS,
    Grid,
    Span,
    bounds,
    float64_literal,
    int64_literal,
    position,
)
from deniable.publish.statistics.conditions import as_column_type, holds
from deniable.publish.statistics.count import Count
from deniable.publish.statistics.crosstab import TOTAL, Crosstab
from deniable.publish.statistics.entities import Entities
from deniable.publish.statistics.histogram import Histogram
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import (
    OPERATORS,
    OTHER,
    CellRows,
    Condition,
    Grouping,
    Measured,
    Protection,
    Query,
    RowValues,
    Scalar,
    Statistic,
    columns_read,
)
from deniable.publish.statistics.quantile import Quantile
from deniable.publish.statistics.regression import MOMENT, Regression
from deniable.publish.statistics.removed import Removed
from deniable.publish.statistics.running_count import RunningCount
from deniable.publish.statistics.sum import Sum
from deniable.publish.statistics.top import Top
from deniable.publish.statistics.tree import Tree
from deniable.publish.statistics.unknown_keys import is_key, read_values, sort_keys
from deniable.publish.statistics.variance import DEVIATION, Variance

__all__ = [
    "DEVIATION",
    "MOMENT",
    "OPERATORS",
    "OTHER",
    "ROUNDING",
    "STATISTICS",
    "STEP",
    "STEPS",
    "TOTAL",
    "CellRows",
    "Condition",
    "Count",
    "Crosstab",
    "Entities",
    "Grid",
    "Grouping",
    "Histogram",
    "Mean",
    "Measured",
    "Protection",
    "Quantile",
    "Query",
    "Regression",
    "Removed",
    "RowValues",
    "RunningCount",
    "Scalar",
    "Sensitivity",
    "Span",
    "Statistic",
    "Sum",
    "Top",
    "Tree",
    "Variance",
    "as_column_type",
    "bounds",
    "columns_read",
    "contribution_units",
    "float64_literal",
    "holds",
    "int64_literal",
    "is_key",
    "position",
    "read_values",
    "sort_keys",
]

STATISTICS: dict[str, type[Statistic]] = {
    statistic.kind: statistic
    for statistic in (
        Count,
        Entities,
        Sum,
        Mean,
        Variance,
        Regression,
        Histogram,
        Quantile,
        Top,
        Removed,
        Crosstab,
        Tree,
        RunningCount,
    )
}
"""Statistics by the word that a plan writes."""
