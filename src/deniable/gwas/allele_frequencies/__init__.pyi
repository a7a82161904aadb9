"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.allele_frequencies.groups import Group as Group
from deniable.gwas.allele_frequencies.groups import frequency_part as frequency_part
from deniable.gwas.allele_frequencies.release import ReleasedFrequencies as ReleasedFrequencies
from deniable.gwas.allele_frequencies.rows import rebuild_rows as rebuild_rows
