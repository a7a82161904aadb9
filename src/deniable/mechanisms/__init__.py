"""Mechanisms as frozen values of public parameters: the law of the output, and its guarantee.

Noise that is released is in whole numbers: grid steps for vectors, score units for selections;
`Mechanism` lists what a release uses. The others are here to be analysed. `draws` simulates with
a caller's generator; what is released is drawn in `pipeline/noise/sampler.py` only. Parameters out
of the range that is stated for them raise `InvalidArgument`.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
