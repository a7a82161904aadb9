"""The judge: how private an explicit mechanism on a small universe is, exactly, by every notion."""

from deniable.analysis.finite.membership import negative_gamma as negative_gamma
from deniable.analysis.finite.membership import negative_gamma_here as negative_gamma_here
from deniable.analysis.finite.membership import positive_gamma as positive_gamma
from deniable.analysis.finite.membership import positive_gamma_here as positive_gamma_here
from deniable.analysis.finite.verdict import Verdict as Verdict
from deniable.analysis.finite.witness import Gamma as Gamma
from deniable.analysis.finite.witness import Witness as Witness
