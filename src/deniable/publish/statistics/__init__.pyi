"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.statistics._moments import STEP as STEP
from deniable.publish.statistics.count import Count as Count
from deniable.publish.statistics.crosstab import TOTAL as TOTAL
from deniable.publish.statistics.crosstab import Crosstab as Crosstab
from deniable.publish.statistics.entities import Entities as Entities
from deniable.publish.statistics.histogram import Histogram as Histogram
from deniable.publish.statistics.mean import Mean as Mean
from deniable.publish.statistics.quantile import Quantile as Quantile
from deniable.publish.statistics.regression import MOMENT as MOMENT
from deniable.publish.statistics.regression import Regression as Regression
from deniable.publish.statistics.removed import Removed as Removed
from deniable.publish.statistics.running_count import RunningCount as RunningCount
from deniable.publish.statistics.sum import Sum as Sum
from deniable.publish.statistics.top import Top as Top
from deniable.publish.statistics.tree import Tree as Tree
from deniable.publish.statistics.variance import DEVIATION as DEVIATION
from deniable.publish.statistics.variance import Variance as Variance
