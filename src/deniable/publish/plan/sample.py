"""The [sample] table of a plan: how its table was drawn from a population."""

import math
from collections.abc import Sequence

import attrs

from deniable.errors import InvalidArgument, validate
from deniable.notions import Adjacency
from deniable.publish.plan.known_keys import MOST_ROWS, MOST_SAMPLED, MOST_UNITS, SIMPLE_RANDOM
from deniable.publish.plan.spelling import quote_text
from deniable.publish.plan.table import PlanTable
from deniable.publish.query import STATISTICS, Query

TABLE = "sample"
"""What it is called."""
MOST_INTERVALS = 50_000
"""Published numbers with one: a millisecond each, and some ten in samples of millions."""
_MARGIN = 2.0**20
"""The margin between a population's largest sum and float64's end: noise and printing."""


@attrs.frozen
class SimpleRandomSample:
    """Every set of so many units of a population was equally likely to be drawn.

    Parameters
    ----------
    size : int
        Units drawn, 1 to 2^27: the entities of the table, or its rows where each is one.
    population : int
        Units that they were drawn from, `size` to 2^53.
    """

    size: int
    population: int

    def __attrs_post_init__(self) -> None:
        size = validate.integer(self.size, "size", least=1)
        population = validate.integer(self.population, "population", least=1)
        if size > MOST_SAMPLED:
            raise InvalidArgument(f"Expected size <= 2^27, got size={size}.")
        if population > MOST_UNITS:
            raise InvalidArgument(f"Expected population <= 2^53, got population={population}.")
        if size > population:
            raise InvalidArgument(
                f"Expected a sample no larger than its population, got size={size}, "
                f"population={population}. State how many units it was drawn from."
            )


def read_sample(
    top: PlanTable, adjacency: Adjacency, queries: Sequence[Query]
) -> SimpleRandomSample | None:
    """The sample that a plan states; None where it states none."""
    for query in queries:
        if query.statistic.needs_sample and TABLE not in top:
            remedy = (
                "They are published with intervals for a population: state how the table was drawn "
                'in [sample], or write statistic = "quantile" for the table\'s own.'
            )
            raise top.error(TABLE, f"a sample beside quantiles of {query.name}", "none", remedy)
    if TABLE not in top:
        return None
    table = top.table(TABLE)
    design = table.text("design")
    if design != SIMPLE_RANDOM:
        remedy = "Other designs have no intervals: leave out [sample]."
        raise table.error("design", quote_text(SIMPLE_RANDOM), quote_text(design), remedy)
    size, population = table.integer("size"), table.integer("population")
    with table.locate_errors("size", "population"):
        sample = SimpleRandomSample(size, population)
    if adjacency is not Adjacency.REPLACE_ONE:
        remedy = (
            'Its size says how many entities there are. Set adjacency = "replace-one" in [data], '
            "under which their number is public, or leave out [sample]."
        )
        raise table.error("size", "no sample where its size is secret", adjacency, remedy)
    for query in queries:
        if query.grouping.unknown:
            remedy = (
                "Numbers that are published because they are large have no interval for the "
                "population. Publish them by a plan of its own."
            )
            raise top.error(TABLE, "keys that are listed beside a sample", "unknown ones", remedy)
    bounded = [query for query in queries if query.statistic.SAMPLED]
    if not bounded:
        *others, last = (word for word, each in STATISTICS.items() if not each.SAMPLED)
        none = f"Of {', '.join(others)} and {last} there is none."
        remedy = f"{none} Quantiles of a histogram have one."
        raise top.error(TABLE, "a query with an interval for the population", "none", remedy)
    for query in bounded:
        most = max(map(abs, query.statistic.bounds or (1.0,)))
        if not math.isfinite(float(population) * MOST_ROWS * most * _MARGIN):
            remedy = "Bring the bounds nearer to 0, or leave out [sample]."
            what = "a population whose sums are numbers"
            raise top.error(TABLE, what, f"bounds that leave them in {query.name}", remedy)
    numbers = sum(query.grouping.cells * query.statistic.bins for query in bounded)
    if numbers > MOST_INTERVALS:
        remedy = "Leave out [sample], or publish fewer numbers."
        raise top.error(TABLE, f"at most {MOST_INTERVALS} intervals", str(numbers), remedy)
    return sample
