"""The public names, and where each stands: read by type checkers and by `lazy_exports`."""

from deniable.serve.server import serve as serve
from deniable.serve.session import Session as Session
