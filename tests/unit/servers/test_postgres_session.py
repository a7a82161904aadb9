"""A session ends and says how, whatever fails on the way: here without a server."""

from contextlib import nullcontext
from types import SimpleNamespace

from deniable.errors import DataError
from deniable.servers import postgres
from deniable.servers.postgres import place_of
from tests.cases.refusals import refuses

PLACE = place_of("postgresql://db/clinic?table=visits")


def test_a_connection_that_fails_as_it_ends_is_told_and_nobody_waits_for_it(monkeypatch):
    def fail():
        raise RuntimeError("a record")

    cursor = SimpleNamespace(execute=lambda _: None)
    connection = SimpleNamespace(cursor=lambda: nullcontext(cursor), close=fail)
    driver = SimpleNamespace(connect=lambda *_, **__: connection)
    monkeypatch.setattr(postgres, "adbc", driver)
    with refuses(DataError, "table-that-can-read") as told:
        postgres.read(PLACE, lambda _: 1)
    assert "a record" not in str(told.value)
