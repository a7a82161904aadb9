"""One database's compiler is loaded for one database, and all of them for who asks for them."""

import subprocess
import sys

PROGRAM = """
import sys
from deniable.errors.late_ibis import ibis, load_compilers_late
load_compilers_late()
load_compilers_late()
table = ibis.memtable({"x": [1, 2]})
assert ibis.duckdb.connect().execute(table.x.sum()) == 3
loaded = {name.rpartition(".")[2] for name in sys.modules if "sql.compilers." in name}
assert "duckdb" in loaded and "postgres" not in loaded, loaded
import ibis.backends.sql.compilers as compilers
from ibis.backends.sql.compilers.postgres import PostgresCompiler as one
from ibis.backends.sql.compilers import PostgresCompiler as same
assert one is same and compilers.SnowflakeCompiler and compilers.sqlite.compiler
assert all(hasattr(compilers, name) for name in compilers.__all__)
import ibis.backends.sql.compilers
assert ibis.backends.sql.compilers is compilers  # as an import leaves it, for others' code
try:
    compilers.nothing
except AttributeError:
    print("done")
"""


STAR = """
from deniable.errors.late_ibis import ibis, load_compilers_late
load_compilers_late()
from ibis.backends.sql.compilers import *
assert PostgresCompiler and SnowflakeCompiler
print("done")
"""


def test_all_names_are_there_for_who_imports_all():
    run = subprocess.run([sys.executable, "-c", STAR], capture_output=True, text=True)
    assert run.stdout == "done\n", run.stderr


def test_a_compiler_is_loaded_when_it_is_used():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert run.stdout == "done\n", run.stderr
