"""Options that stand in a table: each says its type, its words, and what it is like."""

import inspect
from pathlib import Path
from typing import get_args

from deniable.cli.option_tables import read_options

TABLE = """
[all.size]
type = "integer"
metavar = "N"
required = true
help = '''
How many
records.'''

[all.prior]
type = "two numbers"
argument = "belief"
option = "--prior-belief"
default = [0.0, 1.0]
older = "--belief"
is_point_enough = true
help = "The belief."

[some.size]
like = "all.size"
required = false
default = 3

[some.yes]
type = "flag"
help = "Do not ask."
"""


def test_an_option_has_what_its_table_says(tmp_path):
    (tmp_path / "options.toml").write_text(TABLE)
    groups = read_options(str(tmp_path / "commands.py"))
    argument, kind, default = groups["all"]["size"]
    assert (argument, default) == ("size", inspect.Parameter.empty)
    assert get_args(kind)[0] is int
    assert (get_args(kind)[1].help, get_args(kind)[1].metavar) == ("How many records.", "N")
    argument, kind, default = groups["all"]["prior"]
    assert (argument, default) == ("belief", (0.0, 1.0))
    declared = get_args(kind)[1]
    assert (declared.names, declared.older) == (("--prior-belief",), "--belief")
    assert declared.is_point_enough
    assert not get_args(groups["all"]["size"][1])[1].is_point_enough


def test_an_option_that_is_like_another_says_only_what_differs(tmp_path):
    (tmp_path / "options.toml").write_text(TABLE)
    groups = read_options(str(tmp_path / "commands.py"))
    argument, kind, default = groups["some"]["size"]
    assert (argument, default) == ("size", 3)
    assert get_args(kind)[1].help == "How many records."
    assert groups["some"]["yes"][2] is False


def test_every_table_of_options_is_read():
    import deniable

    for table in Path(deniable.__file__).parent.rglob("options.toml"):
        groups = read_options(str(table))
        assert all(options for options in groups.values()), table
