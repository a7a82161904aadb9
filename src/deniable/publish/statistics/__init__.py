"""The statistics that a plan can ask for; a new one is a file and a line here."""

from deniable.publish.statistics.count import Count
from deniable.publish.statistics.crosstab import Crosstab
from deniable.publish.statistics.entities import Entities
from deniable.publish.statistics.histogram import Histogram
from deniable.publish.statistics.mean import Mean
from deniable.publish.statistics.protocol import Statistic
from deniable.publish.statistics.quantile import Quantile
from deniable.publish.statistics.removed import Removed
from deniable.publish.statistics.sum import Sum
from deniable.publish.statistics.top import Top

STATISTICS: dict[str, type[Statistic]] = {
    statistic.kind: statistic
    for statistic in (Count, Entities, Sum, Mean, Histogram, Quantile, Top, Removed, Crosstab)
}
"""Statistics by the word that a plan writes."""
