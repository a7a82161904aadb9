"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.pipeline.noise.gaussian import DiscreteGaussian as DiscreteGaussian
from deniable.pipeline.noise.laplace import DiscreteLaplace as DiscreteLaplace
from deniable.pipeline.noise.noisy_top_k import NoisyTopK as NoisyTopK
from deniable.pipeline.noise.noisy_top_k import SelectionNoise as SelectionNoise
from deniable.pipeline.noise.released import Mechanism as Mechanism
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
from deniable.pipeline.noise.thresholds import KeyThreshold as KeyThreshold
from deniable.pipeline.noise.thresholds import exposure as exposure
from deniable.pipeline.noise.thresholds import least_threshold as least_threshold
from deniable.pipeline.noise.zero_sum import ZeroSumNoise as ZeroSumNoise
