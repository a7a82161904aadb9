"""What an attacker gains from a pool's published frequencies: measured."""

from deniable.errors.public_names import lazy_exports

DRAWN_BY = {"SafeVariants.plot": "deniable.gwas.attacks.pages:chart"}
"""What draws the answers of this package."""

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
