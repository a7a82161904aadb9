"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.gwas.publication.noisy_alleles import CountNoise as CountNoise
from deniable.gwas.publication.noisy_alleles import allele_count_part as allele_count_part
from deniable.gwas.publication.noisy_alleles import allele_counts as allele_counts
from deniable.gwas.publication.noisy_alleles import allele_frequencies as allele_frequencies
from deniable.gwas.publication.noisy_alleles import chi_squared_range as chi_squared_range
from deniable.gwas.publication.noisy_alleles import joint_half_width as joint_half_width
from deniable.gwas.publication.noisy_alleles import noisy_alleles as noisy_alleles
from deniable.gwas.publication.published_study import least_lead as least_lead
from deniable.gwas.publication.published_study import least_probability as least_probability
from deniable.gwas.publication.published_study import publish_alleles as publish_alleles
from deniable.gwas.publication.published_study import reach as reach
from deniable.gwas.publication.release import ReleasedStudy as ReleasedStudy
from deniable.gwas.publication.request import CONFIDENCE as CONFIDENCE
from deniable.gwas.publication.request import StudyRequest as StudyRequest
from deniable.gwas.publication.request import check_strata as check_strata
from deniable.gwas.publication.request import prepare_study as prepare_study
from deniable.gwas.publication.request import prior_after_frequencies as prior_after_frequencies
from deniable.gwas.publication.request import shares as shares
from deniable.gwas.publication.request import study_budget as study_budget
from deniable.gwas.publication.request import study_target as study_target
from deniable.gwas.publication.statements import adversary as adversary
from deniable.gwas.publication.statements import unit as unit
from deniable.gwas.publication.windows import Loci as Loci
from deniable.gwas.publication.windows import check_rounds as check_rounds
from deniable.gwas.publication.windows import parse_window as parse_window
