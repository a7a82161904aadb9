"""DuckDB's engines, lent again and again: a start takes 20 ms, and the suite asks for thousands.

What is lent is as new: a connection of its own, a database in memory of its own, the settings that
are asked for. Whoever closes it leaves nothing there; one that cannot be cleared, or whose settings
are no longer those it began with, is not lent again.
Commands that a test starts have engines of their own, as users do.
"""

import contextlib
import itertools
import os
from typing import Any

import duckdb

_start = duckdb.connect
_idle: dict[tuple[int, str], list[duckdb.DuckDBPyConnection]] = {}
"""Engines that nobody has, by process, for threads do not survive a fork, and by other settings."""
_names = map("lent{}".format, itertools.count())
_GIVEN_EACH_TIME = ("memory_limit", "temp_directory", "max_temp_directory_size")
_OF_THE_ENGINE = "('memory', 'system', 'temp')"


def _settings(engine: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """All settings of an engine but those that are given each time."""
    query = f"SELECT name, value FROM duckdb_settings() WHERE name NOT IN {_GIVEN_EACH_TIME}"
    return engine.execute(query).fetchall()


class _Lent:
    """A connection whose end gives its engine back."""

    def __init__(self, engine: duckdb.DuckDBPyConnection, idle: list[duckdb.DuckDBPyConnection]):
        self._engine, self._idle, self._began_with = engine, idle, _settings(engine)
        self._connection = engine.cursor()
        name = next(_names)
        self._connection.execute(f"ATTACH ':memory:' AS {name}; USE {name}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def close(self) -> None:
        self._connection.close()
        if self._engine is None:
            return
        engine, self._engine = self._engine, None
        try:
            query = "SELECT database_name FROM duckdb_databases() WHERE database_name NOT IN "
            for (name,) in engine.execute(query + _OF_THE_ENGINE).fetchall():
                engine.execute(f'''DETACH "{name.replace('"', '""')}"''')
            cleared = _settings(engine) == self._began_with
        except duckdb.Error:
            cleared = False
        if cleared:
            self._idle.append(engine)
        else:
            engine.close()


def lent(database: Any = ":memory:", read_only: bool = False, config: Any = None) -> Any:
    """What `duckdb.connect` returns, of an engine that may have been another's before."""
    given = dict(config or {})
    if database != ":memory:" or "temp_directory" not in given:
        return _start(database, read_only, given)
    settings = {name: given[name] for name in _GIVEN_EACH_TIME}
    others = {name: value for name, value in given.items() if name not in settings}
    idle = _idle.setdefault((os.getpid(), repr(others)), [])
    while idle:
        engine = idle.pop()
        try:
            for name, value in settings.items():
                engine.execute(f"SET {name} = '{value}'")
            engine.execute("SET enable_external_file_cache = false")  # forget what files held
            engine.execute("SET enable_external_file_cache = true")
            return _Lent(engine, idle)
        except duckdb.Error:  # one that spilled keeps its folder
            with contextlib.suppress(duckdb.Error):
                engine.close()
    return _Lent(_start(database, read_only, given), idle)
