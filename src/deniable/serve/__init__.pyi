"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.serve.session import Session as Session
