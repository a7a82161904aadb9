"""A ledger: 50 processes of 100 charges, kills at random moments, one charge, a long book."""

import contextlib
import multiprocessing
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._help import end_for_help
from benchmarks._sizes import sized
from deniable import Ledger
from deniable.errors import BudgetExceeded
from deniable.ledger import check, new, show
from deniable.ledger.charge import Charge, link
from deniable.ledger.tables import ADD_ENTRY, entry_row

PROCESSES, CHARGES, KILLS, LONG = sized((50, 100, 200, 10_000), (2, 2, 1, 10))
PATIENCE = 600.0
UNIT = 2.0**-40
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["deniable.ledger.checking", "psycopg"])


def spend(place: str, told: "multiprocessing.Queue[int]") -> None:
    """Charge one unit again and again; tell how many were charged."""
    ledger, charged = Ledger(place, patience=PATIENCE), 0
    for _ in range(CHARGES):
        with contextlib.suppress(BudgetExceeded):
            charged += ledger.charge("visits", 1, what="a release").units
    told.put(charged)


def charge_for_ever(place: str, told: "multiprocessing.connection.Connection") -> None:
    """Charge and tell the ID, until killed."""
    ledger = Ledger(place, patience=PATIENCE)
    told.send("ready")
    while True:
        told.send(ledger.charge("visits", 1, what="a release").id)


def crowd(place: str) -> None:
    """Half of what many processes ask for is there."""
    budget = PROCESSES * CHARGES // 2
    new(place, "visits", epsilon=budget * UNIT, each_row=True)
    told = FORKS.Queue()
    workers = [FORKS.Process(target=spend, args=(place, told)) for _ in range(PROCESSES)]
    begun = time.perf_counter()
    for each in workers:
        each.start()
    charged = sum(told.get() for _ in workers)
    took = time.perf_counter() - begun
    for each in workers:
        each.join()
    spent = Ledger(place).spent("visits")
    asked = f"{PROCESSES} x {CHARGES} charges"
    print(f"  {asked}: {took:.1f} s, told {charged}, spent {spent} of {budget}")
    assert charged == spent == budget
    assert check(place).holds


def kills(place: str) -> None:
    """Everything that was told is in the book."""
    new(place, "visits", epsilon=1.0, each_row=True)
    draws, told = random.Random(13), set()
    for _ in range(KILLS):
        here, there = FORKS.Pipe(duplex=False)
        worker = FORKS.Process(target=charge_for_ever, args=(place, there))
        worker.start()
        there.close()
        here.recv()
        time.sleep(draws.uniform(0, 0.1))
        worker.kill()
        worker.join()
        with here, contextlib.suppress(EOFError):
            while True:
                told.add(here.recv())
    found = {each.id for each in Ledger(place).entries("visits")}
    print(f"  {KILLS} kills: {len(told)} charges told, {len(told - found)} lost")
    assert told <= found
    assert check(place).holds


def alone(place: str) -> None:
    """One charge, with nobody else there."""
    ledger = Ledger(place)
    begun, cpu = time.perf_counter(), time.process_time()
    for _ in range(CHARGES):
        ledger.charge("visits", 1, what="a release")
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    each = [1000 * seconds / CHARGES for seconds in (wall, cpu)]
    print(f"  one charge: {each[0]:.1f} ms, of them CPU {each[1]:.1f} ms")


def long_book(place: Path) -> None:
    """A book of many charges, each released, and how long `show` takes in a fresh process."""
    book = new(place, "visits", epsilon=100.0, each_row=True)
    previous, rows = book.head, []
    for number in range(LONG):
        for state, units in (("charged", 2**30 // 10), ("released", 0)):
            fields = {
                "id": f"{number:032x}", "dataset": "visits", "units": units, "what": "a release",
                "plan_sha256": None, "by": "Ada", "at": "2026-06-01T10:00:00+00:00",
                "state": state, "because": None, "previous": previous,
                "statement_sha256": None if units else "a" * 64,
            }  # fmt: skip
            entry = Charge(**fields, sha256=link(fields))
            previous = entry.sha256
            rows.append((len(rows) + 1, *entry_row(entry)))
    with contextlib.closing(sqlite3.connect(place)) as session, session:
        guards = session.execute(
            "SELECT name, sql FROM sqlite_master WHERE name IN ('entry_follows', 'entry_fits')"
        ).fetchall()
        for name, _ in guards:
            session.execute(f"DROP TRIGGER {name}")
        session.executemany(ADD_ENTRY, rows)
        for _, statement in guards:
            session.execute(statement)
    assert len(show(place).amounts) == 2 * LONG
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "deniable", "ledger", "show", str(place), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  show at {LONG} charges, {2 * LONG} entries: CPU {cpu:.2f} s with the program's start")
    alone(str(place))


def main() -> None:
    """A file, and a server where its URL of an empty database is given."""
    with tempfile.TemporaryDirectory() as folder:
        print("SQLite")
        crowd(f"{folder}/crowd.ledger")
        kills(f"{folder}/kills.ledger")
        alone(f"{folder}/kills.ledger")
        long_book(Path(folder) / "long.ledger")
    for place in sys.argv[1:2]:
        print("PostgreSQL")
        crowd(place)


if __name__ == "__main__":
    end_for_help(__doc__)
    main()
