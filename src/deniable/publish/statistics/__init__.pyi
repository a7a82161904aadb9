"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.statistics.count import Count as Count
from deniable.publish.statistics.count import Entities as Entities
from deniable.publish.statistics.histogram import Histogram as Histogram
from deniable.publish.statistics.mean import Mean as Mean
from deniable.publish.statistics.quantile import Quantile as Quantile
from deniable.publish.statistics.removed import Removed as Removed
from deniable.publish.statistics.sum import Sum as Sum
from deniable.publish.statistics.top import Top as Top
