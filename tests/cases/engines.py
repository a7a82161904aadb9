"""DuckDB's engines, lent again and again: a start takes 20 ms, and the suite asks for thousands.

What is lent is as new: a connection of its own, a database in memory of its own, the settings that
are asked for. Whoever closes it leaves nothing there: settings become again what they were, and one
that cannot be cleared is not lent again.
Commands that a test starts have engines of their own, as users do.
"""

import contextlib
import itertools
import os
from collections.abc import Iterable
from typing import Any

import duckdb

_start = duckdb.connect
_GIVEN_EACH_TIME = ("memory_limit", "temp_directory", "max_temp_directory_size")
_OTHER_SETTINGS = f"SELECT name, value FROM duckdb_settings() WHERE name NOT IN {_GIVEN_EACH_TIME}"
_DATABASES = """
SELECT database_name FROM duckdb_databases()
WHERE database_name NOT IN ('memory', 'system', 'temp')
"""
_names = map("lent{}".format, itertools.count())


class _Engine:
    """An engine, and what its settings were when it started."""

    def __init__(self, started: duckdb.DuckDBPyConnection):
        self.started = started
        self._began_with = self._settings()
        self._changing: set[str] = set()

    def _settings(self) -> dict[str, str]:
        """All settings but those that are given each time."""
        return dict(self.started.execute(_OTHER_SETTINGS).fetchall())

    def _set_back(self, names: Iterable[str]) -> None:
        for name in names:
            self.started.execute(f"SET {name} = '{self._began_with[name]}'")

    def is_cleared(self) -> bool:
        """Remove every database, set back what was set; whether all is as it was."""
        for (name,) in self.started.execute(_DATABASES).fetchall():
            self.started.execute(f'''DETACH "{name.replace('"', '""')}"''')
        self._set_back(self._changing)  # to ask for all settings takes longer
        settings = self._settings()
        if settings == self._began_with:
            return True
        changed = [name for name, value in settings.items() if self._began_with.get(name) != value]
        self._changing.update(changed)
        self._set_back(changed)
        return self._settings() == self._began_with


_idle: dict[tuple[int, str], list[_Engine]] = {}
"""Engines that nobody has, by process, for threads do not survive a fork, and by other settings."""


class _Lent:
    """A connection whose end gives its engine back."""

    def __init__(self, engine: _Engine, idle: list[_Engine]):
        self._engine, self._idle = engine, idle
        self._connection = engine.started.cursor()
        name = next(_names)
        self._connection.execute(f"ATTACH ':memory:' AS {name}; USE {name}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __enter__(self) -> "_Lent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        if self._engine is None:
            return
        engine, self._engine = self._engine, None
        try:
            cleared = engine.is_cleared()
        except duckdb.Error:
            cleared = False
        if cleared:
            self._idle.append(engine)
        else:
            engine.started.close()


def lent(database: Any = ":memory:", read_only: bool = False, config: Any = None) -> Any:
    """What `duckdb.connect` returns, of an engine that may have been another's before."""
    given = dict(config or {})
    is_kept = "enable_external_file_cache" in given  # what reads headers, as long as its process
    if database != ":memory:" or not given or is_kept:
        return _start(database, read_only, given)
    settings = {name: given[name] for name in _GIVEN_EACH_TIME if name in given}
    others = {name: value for name, value in given.items() if name not in settings}
    idle = _idle.setdefault((os.getpid(), repr(others)), [])
    while idle:
        engine = idle.pop()
        try:
            for name, value in settings.items():
                engine.started.execute(f"SET {name} = '{value}'")
            engine.started.execute(
                "SET enable_external_file_cache = false"
            )  # forget what files held
            engine.started.execute("SET enable_external_file_cache = true")
            return _Lent(engine, idle)
        except duckdb.Error:  # one that spilled keeps its folder
            with contextlib.suppress(duckdb.Error):
                engine.started.close()
    return _Lent(_Engine(_start(database, read_only, given)), idle)
