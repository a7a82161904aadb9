"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.owner.preview import Losses as Losses
from deniable.publish.owner.preview import RemovedByBounds as RemovedByBounds
from deniable.publish.owner.preview import count_removed as count_removed
from deniable.publish.owner.preview import of_columns as of_columns
from deniable.publish.owner.preview import of_noise as of_noise
from deniable.publish.owner.preview import of_preview as of_preview
from deniable.publish.owner.preview import of_release as of_release
from deniable.publish.owner.preview import preview as preview
from deniable.publish.owner.unreadable import PROBLEMS as PROBLEMS
from deniable.publish.owner.unreadable import UnreadableRows as UnreadableRows
from deniable.publish.owner.unreadable import first_rows as first_rows
from deniable.publish.owner.unreadable import lines_at as lines_at
from deniable.publish.owner.unreadable import unreadable as unreadable
