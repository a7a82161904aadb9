"""What is tried on outputs of unknown law."""

from deniable.auditing.attacks.classifier import Classifier
from deniable.auditing.attacks.low_bits import LowBits
from deniable.auditing.attacks.remainders import Remainders
from deniable.auditing.attacks.values import ExactValues

BLACK_BOX = (Classifier(), ExactValues(), Remainders(), LowBits())
"""All attacks that need no law; the best on pilot runs is measured on the others."""
