"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.population.pages.risks import COLUMNS as COLUMNS
from deniable.population.pages.risks import MOST_DRAWN as MOST_DRAWN
from deniable.population.pages.risks import Risks as Risks
