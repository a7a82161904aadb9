"""The judge: how private an explicit mechanism on a small universe is, exactly, by every notion."""

from deniable.judge.membership import negative_gamma as negative_gamma
from deniable.judge.membership import negative_gamma_here as negative_gamma_here
from deniable.judge.membership import positive_gamma as positive_gamma
from deniable.judge.membership import positive_gamma_here as positive_gamma_here
from deniable.judge.verdict import Verdict as Verdict
from deniable.judge.witness import Gamma as Gamma
from deniable.judge.witness import Witness as Witness
