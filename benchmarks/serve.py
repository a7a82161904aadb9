"""A service: a count beside the same in DuckDB by hand, a charge and a draw alone, many clients."""

import hashlib
import http.client
import json
import statistics
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import uvicorn

from benchmarks._sizes import sized
from deniable.errors import BudgetExceeded
from deniable.ledger import new
from deniable.ledger.ledger import Ledger
from deniable.serve import Session
from deniable.serve.connections import PromptProtocol
from deniable.serve.server import application

ROWS, REPEATS, CLIENTS, SECONDS = sized((5_000_000, 15, 20, 20.0), (2_000, 2, 2, 0.5))
EPSILON = 2.0**-12
BUDGET = sized(4.0, 0.25)
WARD = ["north", "south", "east", "west"]


def write_table(place: Path) -> None:
    """Rows of persons with a ward, an age and a cost."""
    draws = np.random.default_rng(52)
    pq.write_table(
        pa.table({
            "person": draws.integers(0, ROWS // 2, ROWS),
            "ward": pa.array(WARD).take(pa.array(draws.integers(0, len(WARD), ROWS))),
            "age": draws.integers(0, 100, ROWS).astype(np.int16),
        }),
        place / "people.parquet",
    )  # fmt: skip


def plan_of(place: Path, entity: str | None) -> dict[str, object]:
    """A service of all clients with equal shares."""
    data: dict[str, object] = {"source": str(place / "people.parquet"), "adjacency": "add-remove"}
    own = {} if entity is None else {"limits": {"rows_per_entity": 2}}
    tokens = {f"client {number}": f"token {number}" for number in range(CLIENTS)}
    return {
        "data": data | ({} if entity is None else {"entity": entity}),
        "target": {"epsilon": EPSILON},
        "client": [
            {"name": name, "share": f"1/{CLIENTS}", "per_minute": 100_000,
             "token_sha256": hashlib.sha256(token.encode()).hexdigest()}
            for name, token in tokens.items()
        ],
        **own,
    }  # fmt: skip


def query(number: int) -> dict[str, object]:
    """Questions of which no two are the same."""
    low, high = number % 97, 97 + number // 97
    return {"statistic": "count", "where": [["age", ">=", low], ["age", "<", high]]}


def milliseconds(call: object, number: int) -> float:
    """The median time of calls with different numbers."""
    times = []
    for each in range(number):
        begun = time.perf_counter()
        call(each)  # type: ignore[operator]
        times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times)


def one_after_the_other(place: Path) -> None:
    """A count in pairs with the same by hand, and what of it is charge, draw and disk."""
    new(place / "rows.ledger", "people", each_row=True, adjacency="add-remove", epsilon=BUDGET)
    begun = time.perf_counter()
    with (
        Session(plan_of(place, None), place / "rows.ledger", "people") as session,
        duckdb.connect() as by_hand,
    ):
        print(f"  {ROWS:,} rows, each an entity, read in {time.perf_counter() - begun:.1f} s")
        file = str(place / "people.parquet")
        statement = "SELECT count(*) FROM read_parquet(?) WHERE age >= ? AND age < ?"
        for each in range(3):  # warm
            session.ask(query(10_000 + each))
            by_hand.execute(statement, [file, each, 97]).fetchall()
        ours, theirs = [], []
        for each in range(REPEATS):
            ours.append(milliseconds(lambda n, e=each: session.ask(query(n + e)), 1))
            begun = time.perf_counter()
            by_hand.execute(statement, [file, each, 97]).fetchall()
            theirs.append(1000 * (time.perf_counter() - begun))
        ratio = statistics.median(ours) / statistics.median(theirs)
        print(
            f"  a new count: {statistics.median(ours):.1f} ms, by hand in DuckDB from Parquet "
            f"{statistics.median(theirs):.1f} ms, ratio {ratio:.2f}"
        )
        settle = milliseconds(lambda n: session.cost(query(20_000 + n)), REPEATS)
        again = milliseconds(lambda n: session.ask(query(n)), REPEATS)
        print(f"  its cost alone {settle:.1f} ms, a remembered answer {again:.1f} ms")
    ledger = Ledger(place / "rows.ledger")

    def charge(_number: int) -> None:
        entry = ledger.charge("people", 1, what="benchmark")
        ledger.released(entry.id, "0" * 64)

    print(f"  charge and its end on the disk: {milliseconds(charge, REPEATS):.1f} ms")


def many_clients(place: Path) -> None:
    """All ask different questions at once; the ledger's sum is that of their answers."""
    new(place / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=BUDGET)
    begun = time.perf_counter()
    with Session(plan_of(place, "person"), place / "a.ledger", "people") as session:
        print(f"  {ROWS:,} rows of persons read and bounded in {time.perf_counter() - begun:.1f} s")
        config = uvicorn.Config(
            application(session), port=0, http=PromptProtocol, log_config=None, access_log=False
        )
        listening = config.bind_socket()
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=[[listening]])
        thread.start()
        answered: list[tuple[float, float]] = []
        refused: list[int] = []
        end = time.perf_counter() + SECONDS

        def ask(client: int) -> None:
            with closing(http.client.HTTPConnection(*listening.getsockname())) as connection:
                number = client
                while time.perf_counter() < end:
                    begun = time.perf_counter()
                    headers = {"Authorization": f"Bearer token {client}"}
                    connection.request(
                        "POST", "/v1/ask", json.dumps({"query": query(number)}), headers
                    )
                    response = connection.getresponse()
                    content = json.loads(response.read())
                    if response.status == 200:
                        answered.append((content["cost"], time.perf_counter() - begun))
                    else:
                        refused.append(response.status)
                    number += CLIENTS

        asking = [threading.Thread(target=ask, args=[client]) for client in range(CLIENTS)]
        for each in asking:
            each.start()
        for each in asking:
            each.join()
        server.should_exit = True
        thread.join()
        listening.close()
    times = sorted(took for _, took in answered)
    p99 = times[int(0.99 * (len(times) - 1))]
    spent = Ledger(place / "a.ledger").spent("people") / 2**40
    print(
        f"  {CLIENTS} clients, {SECONDS:.0f} s: {len(answered)} answers, {len(refused)} refused, "
        f"median {1000 * statistics.median(times):.0f} ms, p99 {1000 * p99:.0f} ms"
    )
    print(f"  spent {spent} in the ledger, {sum(cost for cost, _ in answered)} by the answers")
    assert spent == sum(cost for cost, _ in answered)
    assert not set(refused) - {409}


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_table(place)
        try:
            one_after_the_other(place)
            many_clients(place)
        except BudgetExceeded:
            sys.exit("the budget of the benchmark is too small")


if __name__ == "__main__":
    main()
