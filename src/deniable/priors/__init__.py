"""Prior beliefs of an adversary: distributions and families of distributions.

A distribution over subsets is called `…Prior` and stands in a file of its own; a family, a set
of them, is called `…Priors`. Each is imported when it is used: the distributions and the families
of explicit mechanisms need NumPy, the families that guarantees name do not. Parameters out of the
range that is stated for them raise `InvalidArgument`.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
