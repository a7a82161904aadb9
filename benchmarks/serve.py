"""A service: a count in pairs with the same in DuckDB by hand, a charge alone, and many clients.

    python -m benchmarks.serve [--rows N] [--clients N] [--seconds S] [--only one|many]

Of each pair wall time and CPU time are compared: on a busy machine the second is steadier. Many
clients are in a process of their own, and none may be refused. Ten minutes of fifty:

    python -m benchmarks.serve --only many --rows 2000000 --seconds 600
"""

import argparse
import hashlib
import http.client
import itertools
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import uvicorn

from benchmarks._sizes import sized
from deniable.ledger import new
from deniable.ledger.ledger import Ledger
from deniable.serve import Session
from deniable.serve.connections import PromptProtocol
from deniable.serve.server import application

ROWS, REPEATS, CLIENTS, SECONDS = sized((20_000_000, 15, 50, 30), (2_000, 2, 2, 1))
EPSILON = 2.0**-12
BUDGET = 64.0
KINDS = ("new", "left", "remembered")
Times = dict[str, list[tuple[float, float]]]
"""Of each kind of request the seconds that each answer took, and its cost."""
WARD = ["north", "south", "east", "west"]


def write_table(place: Path, rows: int) -> None:
    """Rows of persons with a ward, an age and a cost."""
    draws = np.random.default_rng(52)
    pq.write_table(
        pa.table({
            "person": draws.integers(0, rows // 2, rows),
            "ward": pa.array(WARD).take(pa.array(draws.integers(0, len(WARD), rows))),
            "age": draws.integers(0, 100, rows).astype(np.int16),
        }),
        place / "people.parquet",
    )  # fmt: skip


def plan_of(place: Path, entity: str | None, clients: int) -> dict[str, object]:
    """A service of all clients with equal shares."""
    data: dict[str, object] = {"source": str(place / "people.parquet"), "adjacency": "add-remove"}
    own = {} if entity is None else {"limits": {"rows_per_entity": 2}}
    tokens = {f"client {number}": f"token {number}" for number in range(clients)}
    return {
        "data": data | ({} if entity is None else {"entity": entity}),
        "target": {"epsilon": EPSILON},
        "client": [
            {"name": name, "share": f"1/{clients}", "per_minute": 100_000,
             "token_sha256": hashlib.sha256(token.encode()).hexdigest()}
            for name, token in tokens.items()
        ],
        **own,
    }  # fmt: skip


def query(number: int) -> dict[str, object]:
    """Questions of which no two are the same."""
    low, high = number % 97, 97 + number // 97
    return {"statistic": "count", "where": [["age", ">=", low], ["age", "<", high]]}


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of a call: on the clock, and of all processors."""
    begun, worked = time.perf_counter(), time.process_time()
    call()
    return 1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - worked)


def median(call: Callable[[int], object]) -> float:
    """The median time of calls with different numbers, in milliseconds on the clock."""
    return statistics.median(timed(lambda n=n: call(n))[0] for n in range(REPEATS))


def one_after_the_other(place: Path, rows: int) -> None:
    """A count in pairs with the same by hand, and what of it is charge, draw and disk."""
    new(place / "rows.ledger", "people", each_row=True, adjacency="add-remove", epsilon=BUDGET)
    begun = time.perf_counter()
    with (
        Session(plan_of(place, None, 1), place / "rows.ledger", "people") as session,
        duckdb.connect() as by_hand,
    ):
        print(f"  {rows:,} rows, each an entity, read in {time.perf_counter() - begun:.1f} s")
        file = str(place / "people.parquet")
        statement = "SELECT count(*) FROM read_parquet(?) WHERE age >= ? AND age < ?"
        pairs = []
        for each in range(REPEATS + 3):
            numbers = [file, each, 97]
            pairs.append((
                *timed(lambda: session.ask(query(each))),  # noqa: B023  # called at once
                *timed(lambda: by_hand.execute(statement, numbers).fetchall()),  # noqa: B023
            ))  # fmt: skip
        for place_of, what in enumerate(("on the clock", "of all processors")):
            ours, theirs = zip(*((p[place_of], p[place_of + 2]) for p in pairs[3:]), strict=True)
            ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
            print(
                f"  a new count, {what}: {statistics.median(ours):.1f} ms (least "
                f"{min(ours):.1f}), by hand in DuckDB from Parquet {statistics.median(theirs):.1f} "
                f"ms ({min(theirs):.1f}), ratio of pairs {ratio:.2f}, of the least "
                f"{min(ours) / min(theirs):.2f}"
            )
        print(
            f"  its cost alone {median(lambda n: session.cost(query(20_000 + n))):.1f} ms, "
            f"a remembered answer {median(lambda n: session.ask(query(n))):.1f} ms"
        )
    ledger = Ledger(place / "rows.ledger")

    def charge(_number: int) -> None:
        entry = ledger.charge("people", 1, what="benchmark")
        ledger.released(entry.id, "0" * 64)

    print(f"  charge and its end on the disk: {median(charge):.1f} ms")


@contextmanager
def running(session: Session) -> Iterator[tuple[str, int]]:
    """The address of a service in this process."""
    config = uvicorn.Config(
        application(session), port=0, http=PromptProtocol, log_config=None, access_log=False
    )
    with config.bind_socket() as listening:
        listening.listen()  # before the first client comes
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=[[listening]])
        thread.start()
        try:
            yield listening.getsockname()[:2]
        finally:
            server.should_exit = True
            thread.join()


def ask_without_end(address: tuple[str, int], client: int, clients: int, seconds: float) -> Times:
    """Ask a new question, then what is left and an old one, and again, without a pause."""
    times: Times = {kind: [] for kind in KINDS}
    end = time.perf_counter() + seconds
    headers = {"Authorization": f"Bearer token {client}"}
    with closing(http.client.HTTPConnection(*address)) as connection:

        def send(kind: str, *request: str) -> None:
            begun = time.perf_counter()
            connection.request(*request, headers=headers)
            response = connection.getresponse()
            content = json.loads(response.read())
            assert response.status == 200, content
            times[kind].append((time.perf_counter() - begun, content.get("cost", 0.0)))

        for number in itertools.count(1 + client, clients):
            send("new", "POST", "/v1/ask", json.dumps({"query": query(number)}))
            send("left", "GET", "/v1/left")
            send("remembered", "POST", "/v1/ask", json.dumps({"query": query(0)}))
            if time.perf_counter() > end:
                break
    return times


def ask_all(address: tuple[str, int], clients: int, seconds: float) -> list[Times]:
    """Let all clients ask, in a process that is not the service's."""
    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(lambda each: ask_without_end(address, each, clients, seconds),
                             range(clients)))  # fmt: skip


def many_clients(place: Path, clients: int, seconds: float) -> None:
    """State how long clients wait who ask all at once, and that nothing of the budget is lost."""
    new(place / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=BUDGET)
    begun = time.perf_counter()
    with (
        Session(plan_of(place, "person", clients), place / "a.ledger", "people") as session,
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):
        print(f"  rows of persons read and bounded in {time.perf_counter() - begun:.1f} s")
        alone = median(lambda number: session.ask(query(30_000 + number)))
        session.ask(query(0))
        before = Ledger(place / "a.ledger").spent("people")
        print(f"  a new question of one client: {alone:.0f} ms; load {os.getloadavg()[0]:.1f}")
        with running(session) as address:
            done = pool.submit(ask_all, address, clients, seconds).result()
    spent = Fraction(Ledger(place / "a.ledger").spent("people") - before, 2**40)
    print(f"  {clients} clients, {seconds:.0f} s, none refused; load {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} processors")  # fmt: skip
    for kind in KINDS:
        took = sorted(seconds for each in done for seconds, _ in each[kind])
        p50, p99 = (took[int(part * (len(took) - 1))] for part in (0.5, 0.99))
        print(f"  {kind}: {len(took)} answers, p50 {1000 * p50:.0f} ms, p99 {1000 * p99:.0f} ms")
    costs = sum(Fraction(cost) for each in done for times in each.values() for _, cost in times)
    print(f"  spent {float(spent)} in the ledger, {float(costs)} by the answers")
    assert spent == costs


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--only", choices=["one", "many"], help="one client, or many at once")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_table(place, given.rows)
        if given.only != "many":
            one_after_the_other(place, given.rows)
        if given.only != "one":
            many_clients(place, given.clients, given.seconds)


if __name__ == "__main__":
    main()
