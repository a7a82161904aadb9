"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.auditing.attacks.black_box import BLACK_BOX as BLACK_BOX
from deniable.auditing.attacks.black_box import ExactValues as ExactValues
from deniable.auditing.attacks.black_box import LowBits as LowBits
from deniable.auditing.attacks.black_box import low_bits_finding as low_bits_finding
from deniable.auditing.attacks.classifier import Classifier as Classifier
from deniable.auditing.attacks.classifier import LikelihoodRatio as LikelihoodRatio
from deniable.auditing.attacks.positions import Positions as Positions
