"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.association.linkage import WINDOW as WINDOW
from deniable.gwas.association.linkage import Genotypes as Genotypes
from deniable.gwas.association.linkage import Pruning as Pruning
from deniable.gwas.association.linkage import PruningLevels as PruningLevels
from deniable.gwas.association.statistics import FAMILY_LEVEL as FAMILY_LEVEL
from deniable.gwas.association.statistics import NOTABLE as NOTABLE
from deniable.gwas.association.statistics import allele_frequency as allele_frequency
from deniable.gwas.association.statistics import allelic_chi_squared as allelic_chi_squared
from deniable.gwas.association.statistics import as_one_degree as as_one_degree
from deniable.gwas.association.statistics import chi_squared_p_value as chi_squared_p_value
from deniable.gwas.association.statistics import chi_squared_threshold as chi_squared_threshold
from deniable.gwas.association.statistics import copies as copies
from deniable.gwas.association.statistics import count_called as count_called
from deniable.gwas.association.statistics import genomic_inflation as genomic_inflation
from deniable.gwas.association.statistics import genotypic_chi_squared as genotypic_chi_squared
from deniable.gwas.association.statistics import genotypic_degrees as genotypic_degrees
from deniable.gwas.association.statistics import hardy_weinberg_p_value as hardy_weinberg_p_value
from deniable.gwas.association.statistics import (
    mantel_haenszel_chi_squared as mantel_haenszel_chi_squared,
)
from deniable.gwas.association.statistics import trend_chi_squared as trend_chi_squared
