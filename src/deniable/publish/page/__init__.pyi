"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.page.document import MOST_BARS as MOST_BARS
from deniable.publish.page.document import MOST_ROWS as MOST_ROWS
from deniable.publish.page.document import description as description
from deniable.publish.page.document import document as document
from deniable.publish.page.document import published_section as published_section
from deniable.publish.page.grids import between as between
from deniable.publish.page.grids import quantile_error as quantile_error
from deniable.publish.page.grids import rows_behind as rows_behind
from deniable.publish.page.grids import scalar as scalar
