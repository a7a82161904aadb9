"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.population.pages.page import COLUMNS as COLUMNS
from deniable.population.pages.page import MOST_DRAWN as MOST_DRAWN
from deniable.population.pages.page import Risks as Risks
