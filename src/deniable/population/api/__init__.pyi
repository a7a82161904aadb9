"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.population.api.additive import AdditiveQuery as AdditiveQuery
from deniable.population.api.additive import only_one as only_one
from deniable.population.api.integer_vectors import LOOKS as LOOKS
from deniable.population.api.integer_vectors import CertifiedBound as CertifiedBound
from deniable.population.api.integer_vectors import IntegerVectors as IntegerVectors
from deniable.population.api.integer_vectors import bound_vectors as bound_vectors
from deniable.population.api.integer_vectors import estimate_scale as estimate_scale
from deniable.population.api.joint import LinearQuery as LinearQuery
from deniable.population.api.noise_curve import NoiseCurve as NoiseCurve
from deniable.population.api.noise_curve import success_of as success_of
from deniable.population.api.sums_and_selections import Together as Together
from deniable.population.api.sums_and_selections import estimate_factor as estimate_factor
from deniable.population.api.sums_and_selections import may_draw as may_draw
from deniable.population.api.sums_and_selections import sums_and_selections as sums_and_selections
