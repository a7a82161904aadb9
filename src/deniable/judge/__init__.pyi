"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.judge.membership import negative_gamma as negative_gamma
from deniable.judge.membership import negative_gamma_here as negative_gamma_here
from deniable.judge.membership import positive_gamma as positive_gamma
from deniable.judge.membership import positive_gamma_here as positive_gamma_here
from deniable.judge.verify import Verdict as Verdict
from deniable.judge.worst_cases import Gamma as Gamma
from deniable.judge.worst_cases import Witness as Witness
