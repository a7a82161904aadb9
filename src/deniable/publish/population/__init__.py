"""Plans whose adversary knows the list of members: the least noise that meets both demands."""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
