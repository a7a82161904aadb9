"""A small table that a service answers questions about, and its ledger."""

import hashlib

import pyarrow as pa

from deniable.ledger import new
from deniable.serve.session import Session

TOKENS = {"dashboard": "d" * 43, "agent": "a" * 43}
COUNT = {"statistic": "count", "where": [["ward", "==", "north"]]}


def people(number=30, *, visits=2):
    """Persons 0, 1, …, each with rows in north, south and their own age."""
    rows = [
        {"person": person, "ward": ("north", "south")[(person + visit) % 2], "age": person % 90}
        for person in range(number)
        for visit in range(visits)
    ]
    return pa.Table.from_pylist(rows)


def clients(**more):
    """Two clients: the dashboard with half of the budget, the agent with a quarter."""
    shares = {"dashboard": "1/2", "agent": "1/4"}
    return [
        {"name": name, "share": shares[name],
         "token_sha256": hashlib.sha256(token.encode()).hexdigest()} | more
        for name, token in TOKENS.items()
    ]  # fmt: skip


def plan_of(*, epsilon=0.25, adjacency="add-remove", edition=None, client=None, **tables):
    """The plan of the service."""
    return {
        "data": {"entity": "person", "adjacency": adjacency},
        "limits": {"rows_per_entity": 1},
        "target": {"epsilon": epsilon},
        "client": clients() if client is None else client,
        **({} if edition is None else {"serve": {"edition": edition}}),
        **tables,
    }


def start(folder, table=None, *, budget=2.0, adjacency="add-remove", plan=None, **more):
    """A session over a new ledger, or over the one that is there; "file" for the plan's source."""
    place = folder / "people.ledger"
    if not place.exists():
        new(place, "people", entity="person", adjacency=adjacency, epsilon=budget)
    given = plan_of(adjacency=adjacency) if plan is None else plan
    if table != "file":
        more["data"] = people() if table is None else table
    return Session(given, place, "people", **more)
