"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.training.batches.batched import BatchedTraining as BatchedTraining
from deniable.training.batches.compare import compare as compare
from deniable.training.calibrate import calibrate as calibrate
from deniable.training.certify import certify as certify
from deniable.training.explain import explain as explain
