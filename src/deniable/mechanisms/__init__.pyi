"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.mechanisms.circulant import CirculantDesign as CirculantDesign
from deniable.mechanisms.counting import CountBeliefs as CountBeliefs
from deniable.mechanisms.counting import NoisyCount as NoisyCount
from deniable.mechanisms.exponential import ExponentialMechanism as ExponentialMechanism
from deniable.mechanisms.gaussian import Gaussian as Gaussian
from deniable.mechanisms.k_max import KMax as KMax
from deniable.mechanisms.laplace import Laplace as Laplace
from deniable.mechanisms.randomised_response import RandomisedResponse as RandomisedResponse
from deniable.mechanisms.randomised_response import dominating_laws as dominating_laws
from deniable.mechanisms.stochastic_matrix import StochasticMatrix as StochasticMatrix
from deniable.pipeline.noise.gaussian import DiscreteGaussian as DiscreteGaussian
from deniable.pipeline.noise.laplace import DiscreteLaplace as DiscreteLaplace
from deniable.pipeline.noise.noisy_top_k import NoisyTopK as NoisyTopK
from deniable.pipeline.noise.noisy_top_k import SelectionNoise as SelectionNoise
from deniable.pipeline.noise.released import Mechanism as Mechanism
from deniable.pipeline.noise.thresholds import KeyThreshold as KeyThreshold
from deniable.pipeline.noise.thresholds import exposure as exposure
from deniable.pipeline.noise.thresholds import least_threshold as least_threshold
from deniable.pipeline.noise.zero_sum import ZeroSumNoise as ZeroSumNoise
