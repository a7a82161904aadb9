"""The program with all of its commands, for `CliRunner`."""

from deniable.cli.program import program

app = program()
