"""The command line: thin calls of the public functions."""

import gc

_ALLOCATIONS = 400_000
"""Objects between two searches for garbage; Python's 700 makes them a third of a small command.

An audit imports three quarters of these, which all stay. Garbage that reference counts do not free
stays below some 40 MB until then.
"""


def main() -> None:
    """Run the program; commands of other packages join it here, and need this package first."""
    gc.set_threshold(_ALLOCATIONS, 10, 10)
    from deniable.cli.program import main as run

    run()
