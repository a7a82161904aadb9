"""What an adversary may believe before the release: distributions and families of them.

A distribution over subsets is called `…Prior` and stands in a file of its own; a family, a set
of them, is called `…Priors`. The families that guarantees name are imported at once, the
distributions and the families of explicit mechanisms, which need NumPy, when they are used.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
