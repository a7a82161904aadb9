"""`python -m deniable`: the command line."""

from deniable.cli import run

run()
