"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.certificates.frequencies import Attacker as Attacker
from deniable.gwas.certificates.frequencies import Beacon as Beacon
from deniable.gwas.certificates.frequencies import Compared as Compared
from deniable.gwas.certificates.frequencies import Counted as Counted
from deniable.gwas.certificates.frequencies import Frequencies as Frequencies
from deniable.gwas.certificates.frequencies import FrequenciesCertificate as FrequenciesCertificate
from deniable.gwas.certificates.frequencies import PublishedFrequency as PublishedFrequency
from deniable.gwas.certificates.frequencies import frequencies_table as frequencies_table
from deniable.gwas.certificates.frequencies import in_columns as in_columns
from deniable.gwas.certificates.study import FORMAT as FORMAT
from deniable.gwas.certificates.study import FORMAT_1 as FORMAT_1
from deniable.gwas.certificates.study import CertifiedSelection as CertifiedSelection
from deniable.gwas.certificates.study import Chromosome as Chromosome
from deniable.gwas.certificates.study import GenomeCertificate as GenomeCertificate
from deniable.gwas.certificates.study import NoisyAlleles as NoisyAlleles
from deniable.gwas.certificates.study import ReleasedVariant as ReleasedVariant
from deniable.gwas.certificates.study import Stratum as Stratum
from deniable.gwas.certificates.study import StudyAdversary as StudyAdversary
from deniable.gwas.certificates.study import StudyCertificate as StudyCertificate
from deniable.gwas.certificates.study import StudySize as StudySize
from deniable.gwas.certificates.study import Threshold as Threshold
from deniable.gwas.certificates.study import study_table as study_table
