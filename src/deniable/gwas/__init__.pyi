"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.allele_frequencies.release import frequencies as frequencies
from deniable.gwas.attacks.attack import attack as attack
from deniable.gwas.attacks.safe import safe as safe
from deniable.gwas.files.filters import Filters as Filters
from deniable.gwas.owner.scan import scan as scan
from deniable.gwas.owner.utility import utility as utility
from deniable.gwas.publication.release import release as release
from deniable.gwas.simulation import simulate as simulate
