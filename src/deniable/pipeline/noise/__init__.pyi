"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.pipeline.noise.sampler import draw_zero_sum as draw_zero_sum
from deniable.pipeline.noise.shares import LEAST_SCALE as LEAST_SCALE
from deniable.pipeline.noise.shares import MOST_SENSITIVE as MOST_SENSITIVE
from deniable.pipeline.noise.shares import NoisyPart as NoisyPart
from deniable.pipeline.noise.shares import Part as Part
from deniable.pipeline.noise.shares import PublicPart as PublicPart
from deniable.pipeline.noise.shares import SelectionPart as SelectionPart
from deniable.pipeline.noise.shares import Share as Share
from deniable.pipeline.noise.shares import VectorPart as VectorPart
from deniable.pipeline.noise.shares import calibrate_mechanism as calibrate_mechanism
from deniable.pipeline.noise.shares import claimed_loss as claimed_loss
