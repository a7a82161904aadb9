"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.owner.private_plot import WARNING as WARNING
from deniable.gwas.owner.private_plot import private_picture as private_picture
from deniable.gwas.owner.private_plot import write_private_plot as write_private_plot
from deniable.gwas.owner.scan import COLUMNS as COLUMNS
from deniable.gwas.owner.scan import Scan as Scan
from deniable.gwas.owner.scan import write_gwas_ssf as write_gwas_ssf
from deniable.gwas.owner.selection_draws import many_draws as many_draws
from deniable.gwas.owner.selection_draws import selection_draws as selection_draws
from deniable.gwas.owner.selection_draws import surely_left as surely_left
from deniable.gwas.owner.utility import NOT_PRIVATE as NOT_PRIVATE
from deniable.gwas.owner.utility import Utility as Utility
from deniable.gwas.owner.utility import exact_top_probability as exact_top_probability
from deniable.gwas.owner.utility import selection_mechanism as selection_mechanism
from deniable.gwas.owner.utility import set_probability as set_probability
