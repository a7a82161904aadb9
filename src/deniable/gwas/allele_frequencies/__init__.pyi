"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.allele_frequencies.kind import KIND as KIND
from deniable.gwas.allele_frequencies.release import ReleasedFrequencies as ReleasedFrequencies
from deniable.gwas.allele_frequencies.request import Group as Group
from deniable.gwas.allele_frequencies.request import frequency_part as frequency_part
