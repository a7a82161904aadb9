"""Genome-wide association studies: from PLINK files to privately released variants.

`release` and `frequencies` publish. `scan`, `utility` and `attack` are for the owner's eyes: what
they give is computed from genotypes without protection.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
