"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.totals.aggregate import LARGE as LARGE
from deniable.publish.totals.aggregate import BoundQuery as BoundQuery
from deniable.publish.totals.aggregate import ForOwner as ForOwner
from deniable.publish.totals.aggregate import OccurringKeys as OccurringKeys
from deniable.publish.totals.aggregate import Truncation as Truncation
from deniable.publish.totals.aggregate import Work as Work
from deniable.publish.totals.aggregate import assign_cells as assign_cells
from deniable.publish.totals.aggregate import bound as bound
from deniable.publish.totals.aggregate import columns as columns
from deniable.publish.totals.aggregate import conditions as conditions
from deniable.publish.totals.aggregate import exact_totals as exact_totals
from deniable.publish.totals.aggregate import group_keys as group_keys
from deniable.publish.totals.aggregate import is_large as is_large
from deniable.publish.totals.aggregate import locate_cells as locate_cells
from deniable.publish.totals.aggregate import most_rows as most_rows
from deniable.publish.totals.aggregate import passing as passing
from deniable.publish.totals.covers import Crossed as Crossed
from deniable.publish.totals.passes import LIMIT as LIMIT
from deniable.publish.totals.passes import Bucket as Bucket
from deniable.publish.totals.passes import Total as Total
from deniable.publish.totals.passes import clamped_sum as clamped_sum
from deniable.publish.totals.passes import scale_contributions as scale_contributions
from deniable.publish.totals.passes import totals as totals
from deniable.publish.totals.passes import truncate_rows as truncate_rows
