"""The command line: thin calls of the public functions."""

from deniable.cli.main import main as main
