"""A service that answers questions about a dataset, each charged to its ledger before its noise.

Everything that it says follows from noisy and public numbers. `Session` is the whole of it; HTTP
and MCP pass questions on.
"""

from deniable.errors.public_names import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__, public=True)
