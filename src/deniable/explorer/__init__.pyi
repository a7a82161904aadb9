"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.explorer.certified import certified_curves as certified_curves
from deniable.explorer.certified import shorten as shorten
from deniable.explorer.certified import spread as spread
from deniable.explorer.explore import MOST_BYTES as MOST_BYTES
from deniable.explorer.explore import SCRIPTS as SCRIPTS
from deniable.explorer.explore import explorer_page as explorer_page
from deniable.explorer.explore import open_in_browser as open_in_browser
from deniable.explorer.explore import plan_parts as plan_parts
from deniable.explorer.explore import script as script
