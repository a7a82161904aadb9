"""`python -m deniable`: the command line."""

from deniable.cli import program

program()
