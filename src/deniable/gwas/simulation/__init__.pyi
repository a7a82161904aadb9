"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.simulation.simulate import Place as Place
from deniable.gwas.simulation.simulate import check_installed as check_installed
from deniable.gwas.simulation.simulate import effects as effects
from deniable.gwas.simulation.simulate import recruit as recruit
from deniable.gwas.simulation.simulate import stretch as stretch
