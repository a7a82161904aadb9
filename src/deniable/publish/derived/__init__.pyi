"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.publish.derived.calendar import PARTS as PARTS
from deniable.publish.derived.calendar import PER_YEAR as PER_YEAR
from deniable.publish.derived.calendar import first_day as first_day
from deniable.publish.derived.calendar import place_of_day as place_of_day
from deniable.publish.derived.columns import OPERATIONS as OPERATIONS
from deniable.publish.derived.columns import RATIO as RATIO
from deniable.publish.derived.columns import Arithmetic as Arithmetic
from deniable.publish.derived.columns import Bands as Bands
from deniable.publish.derived.columns import CalendarPart as CalendarPart
from deniable.publish.derived.columns import Days as Days
from deniable.publish.derived.columns import DerivedColumn as DerivedColumn
from deniable.publish.derived.columns import Operand as Operand
from deniable.publish.derived.columns import TruthValue as TruthValue
from deniable.publish.derived.columns import default_labels as default_labels
