"""What somebody sends to a service that they may not ask, or to wear it out."""

import asyncio
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

import httpx2
import pyarrow.parquet as pq
import pytest
import uvicorn
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from deniable.ledger import new
from deniable.ledger.ledger import Ledger
from deniable.pipeline.noise import sampler
from deniable.publish.plan import write_toml
from deniable.serve import access, connections, tools
from deniable.serve import session as sessions
from deniable.serve.server import answer_in_thread, application
from tests.cases.processes import started
from tests.cases.refusals import says
from tests.cases.served import COUNT, TOKENS, clients, people, plan_of, start

ASK = {"query": COUNT}


@contextlib.contextmanager
def running(session, **limits):
    """The address of a service in this process."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        config = uvicorn.Config(
            application(session, mcp=True, **limits), http=connections.PromptProtocol, ws="none",
            log_config=None, access_log=False, h11_max_incomplete_event_size=2**14,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=[[listening]])
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service whose budget suffices, its folder, and its address."""
    folder = tmp_path_factory.mktemp("served")
    with start(folder, budget=2.0) as session, running(session) as address:
        yield folder, address


def send(address, path, body=None, *, token=TOKENS["dashboard"], headers=(), method=None):
    """Status and content of an answer."""
    connection = http.client.HTTPConnection(*address)
    sent = {} if token is None else {"Authorization": f"Bearer {token}"}
    content = json.dumps(body) if isinstance(body, dict) else body
    connection.request(
        method or ("GET" if body is None else "POST"), path, content, sent | dict(headers)
    )
    response = connection.getresponse()
    text = response.read()
    connection.close()
    is_json = response.getheader("content-type") == "application/json"
    return response.status, json.loads(text) if is_json else text


def test_the_page_names_its_own_address_and_a_miss_those_that_exist(service):
    _, address = service
    host, port = address
    status, page = send(address, "/", token=None)
    assert status == 200
    assert f"http://{host}:{port}/v1/ask" in str(page)
    assert ":8765/" not in str(page)
    for path, method, expected in [("/v1/nothing", "GET", 404), ("/v1/ask", "GET", 405)]:
        status, said = send(address, path, method=method)
        assert status == expected
        assert "POST /v1/ask" in said["error"]


def spent(folder):
    return Ledger(folder / "people.ledger").spent("people")


WORDS = [("/v1/describe", None), ("/v1/left", None), ("/v1/cost", ASK), ("/v1/ask", ASK)]


@pytest.mark.parametrize(("path", "body"), [*WORDS, ("/mcp", ASK), ("/v2/ask", ASK)])
@pytest.mark.parametrize("token", [None, "", "wrong", "d" * 42, "d" * 44, "\xe9"])
def test_without_a_token_nothing_is_said(service, path, body, token):
    folder, address = service
    before = spent(folder)
    status, answer = send(address, path, body, token=token)
    assert (status, list(answer)) == (403, ["error"])
    assert spent(folder) == before


def test_a_token_of_another_kind_or_place_is_none(service):
    _, address = service
    token = TOKENS["dashboard"]
    for headers in ({"Authorization": f"Basic {token}"}, {"Cookie": f"token={token}"}):
        assert send(address, "/v1/left", token=None, headers=headers)[0] == 403
    assert send(address, f"/v1/left?token={token}", token=None)[0] == 403


def test_every_token_is_compared_whole(service, monkeypatch):
    _, address = service
    compared, compare = [], access.hmac.compare_digest

    def watched(one, other):
        compared.append((one, other))
        return compare(one, other)

    monkeypatch.setattr(access.hmac, "compare_digest", watched)
    for token in (TOKENS["dashboard"], "wrong"):
        compared.clear()
        send(address, "/v1/left", token=token)
        assert len(compared) == len(TOKENS)
        assert {len(text) for pair in compared for text in pair} == {64}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Host": "evil.example:8765@127.0.0.1"},
    ],
)
def test_pages_of_other_origins_and_other_names_are_refused(service, headers):
    _, address = service
    for path, body in WORDS:
        assert send(address, path, body, headers=headers)[0] == 403
    status, _ = send(address, "/", token=None, headers=headers)
    assert status == 403


def raw(address, head):
    """Whatever comes to a request without a body, until the service closes the connection."""
    token = TOKENS["dashboard"]
    lines = [*head, "Connection: close", f"Authorization: Bearer {token}", "", ""]
    with socket.create_connection(address) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return b"".join(iter(lambda: connection.recv(2**16), b""))


def test_a_second_origin_hides_no_first_one(service):
    _, address = service
    host = "{}:{}".format(*address)
    for origins in (["http://evil.example", f"http://{host}"], [f"http://{host}", "null"]):
        head = ["GET /v1/left HTTP/1.1", f"Host: {host}", *(f"Origin: {each}" for each in origins)]
        assert raw(address, head).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "OPTIONS"])
def test_no_method_keeps_a_connection_for_itself(service, method):
    _, address = service
    accept = "Accept: application/json, text/event-stream"
    for path in ("/mcp", "/v1/ask"):
        head = [f"{method} {path} HTTP/1.1", "Host: {}:{}".format(*address), accept]
        assert raw(address, head).startswith(b"HTTP/1.1 405 ")  # and is closed


TWICE = [
    b'{"query": {"statistic": "count"}, "query": {"statistic": "sum"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": '
    b'{"query": {"statistic": "count", "statistic": "entities"}}}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "left", "name": "ask"'
    b', "arguments": {"query": {"statistic": "count"}}}}',
    b'{"query": {"statistic": "count", "where": [["age", ">", NaN]]}}',
]


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/cost", "/mcp"])
@pytest.mark.parametrize("body", TWICE)
def test_a_body_that_reads_in_two_ways_is_refused_over_http_and_mcp_alike(service, path, body):
    folder, address = service
    before = spent(folder)
    types = {"Content-Type": "application/json", "Accept": "application/json"}
    status, answer = send(address, path, body, headers=types)
    assert (status, spent(folder)) == (400, before)
    assert says(answer["error"], "each-name-once")


def test_a_replayed_request_costs_nothing(service):
    folder, address = service
    first = send(address, "/v1/ask", ASK)
    before = spent(folder)
    again = [send(address, "/v1/ask", ASK)[1] for _ in range(3)]
    assert first[0] == 200
    assert all(each["rows"] == first[1]["rows"] and each["cost"] == 0 for each in again)
    assert spent(folder) == before


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{", b'{"query": []}', b'{"query": {}, "client": "agent"}',
        b'{"query": {"statistic": NaN}}', b'{"query": {"statistic": null}}',
        b'{"query": {"statistic": ["count"]}}', b'{"query": {"statistic": "\\ud800"}}',
        b'{"query": {"statistic": "count", "name": "a\\u0000b"}}',
        b'{"query": {"statistic": "count", "where": [["age", ">", 1e999]]}}',
        b'{"query": {"statistic": "count", "where": [["age", ">", ' + b"9" * 5000 + b"]]}}",
        b'{"query": {"statistic": "sum", "column": "age", "bounds": [0, 1e308]}}',
        b'{"query": ' + b"[" * 60_000 + b"]" * 5,
        b'{"query": {"a": ' + b'{"a":' * 9000 + b"1" + b"}" * 9002,
        b'{"query": {"statistic": "count", "where": [["day", ">", {"$date": "x"}]]}}',
        b'{"query": {"statistic": "count", "where": [["age", ">", {"$date": "2026-01-01"}]]}}',
        b'{"query": {"statistic": "count"}, "target": {"delta": 2}}',
        b'{"query": {"statistic": "count"}, "target": []}',
        b'{"query": {"statistic": "__class__", "group_by": ["__init__"]}}',
        b"\xff\xfe", b"query=1",
    ],
)  # fmt: skip
def test_hostile_bodies_are_refused_in_one_sentence(service, body, capfd):
    folder, address = service
    before = spent(folder)
    for path in ("/v1/cost", "/v1/ask"):
        status, answer = send(address, path, body)
        assert (status, list(answer)) == (400, ["error"])
        assert str(folder) not in answer["error"]
    assert spent(folder) == before
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "../../etc/passwd", "'; DROP", "ü" * 90, "\u202e"]
)
def test_hostile_names_are_given_back_as_data(service, name):
    folder, address = service
    query = {**COUNT, "name": name, "where": [["ward", "==", name]]}
    status, answer = send(address, "/v1/cost", {"query": query})
    assert status == 200
    assert answer["query"]["name"] == name
    unknown = {**COUNT, "where": [[name, "==", 1]]}
    assert send(address, "/v1/ask", {"query": unknown})[0] == 400
    assert not (folder / "passwd").exists()


def test_overlong_bodies_and_heads_are_not_read(service):
    _, address = service
    long = b'{"query": "' + b"x" * access.MOST_BYTES + b'"}'
    assert send(address, "/v1/ask", long)[0] == 413
    assert send(address, "/mcp", long)[0] == 413
    chunks = (b"x" * 1000 for _ in range(100))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        assert send(address, "/v1/ask", chunks)[0] == 413
    with socket.create_connection(address) as endless:  # a head that does not end
        endless.sendall(b"GET /v1/left HTTP/1.1\r\nX: " + b"x" * 2**15)
        assert b" 400 " in endless.recv(1000)


def test_slow_clients_are_let_go_of_and_others_are_answered(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    head = (
        f"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKENS['agent']}\r\n"
    )
    with start(tmp_path) as session, running(session, patience=0.2) as address:
        silent, half, slow = (socket.create_connection(address) for _ in range(3))
        half.sendall(head.encode())
        slow.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert silent.recv(100) == half.recv(100) == b""  # closed by the service
        assert b" 408 " in slow.recv(1000)
        for each in (silent, half, slow):
            each.close()
        assert session.left()["left"] == 2.0


def send_for_ever(connection, request):
    while True:  # how much the system's own buffers hold, no test knows
        connection.sendall(request)


def test_a_body_byte_by_byte_and_a_client_that_never_reads_hold_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKENS['agent']}\r\n"
    with start(tmp_path) as session, running(session, patience=0.5) as address:
        with socket.create_connection(address) as slow, socket.socket() as deaf:
            slow.sendall(f"POST /v1/ask HTTP/1.1\r\n{head}Content-Length: 9999\r\n\r\n".encode())
            slow.settimeout(0.02)
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.settimeout(60)
            deaf.connect(address)
            answer = b""
            while not answer:  # each byte in time, but not all of them
                slow.sendall(b" ")
                with contextlib.suppress(TimeoutError):
                    answer = slow.recv(1000)
            assert b" 408 " in answer
            more = f"GET /openapi.json HTTP/1.1\r\n{head}\r\n".encode() * 10_000
            with pytest.raises(ConnectionError):  # cut off, though it asks on and on
                send_for_ever(deaf, more)
            assert send(address, "/v1/ask", ASK)[0] == 200
        assert session.left()["left"] == 1.75


def test_reading_goes_on_while_a_question_takes_long_and_its_queue_is_full(tmp_path, monkeypatch):
    begun, goes_on, draw, statuses = threading.Event(), threading.Event(), sampler.release, []

    def wait(*given):
        begun.set()
        goes_on.wait()
        return draw(*given)

    def ask():
        statuses.append(send(address, "/v1/ask", south, token=TOKENS["agent"])[0])

    south = {"query": {**COUNT, "where": [["ward", "==", "south"]]}}
    with start(tmp_path) as session, running(session) as address:
        assert send(address, "/v1/ask", ASK)[0] == 200
        monkeypatch.setattr(sampler, "release", wait)
        monkeypatch.setattr(sessions, "MOST_WAITING", 1)
        asking = threading.Thread(target=ask)
        asking.start()
        begun.wait()
        try:
            for path, body in WORDS:
                assert send(address, path, body, token=TOKENS["agent"])[0] == 200
            with contextlib.closing(http.client.HTTPConnection(*address)) as connection:
                headers = {"Authorization": f"Bearer {TOKENS['agent']}"}
                connection.request("POST", "/v1/ask", json.dumps(south), headers)
                response = connection.getresponse()
                assert (response.status, response.getheader("Retry-After")) == (503, "1")
        finally:
            goes_on.set()
            asking.join()
        assert statuses == [200]
        assert session.left()["left_for_all"] == 1.5


def test_too_many_requests_of_one_client_wait_and_others_do_not(tmp_path):
    now = [0.0]
    plan = plan_of(client=clients(per_minute=3))
    with start(tmp_path, plan=plan) as session, running(session, clock=lambda: now[0]) as address:
        statuses = [send(address, "/v1/left")[0] for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert send(address, "/v1/left", token=TOKENS["agent"])[0] == 200
        now[0] += 20.0
        assert [send(address, "/v1/left")[0] for _ in range(2)] == [200, 429]


def test_a_share_that_is_used_up_is_refused_in_numbers(tmp_path):
    with start(tmp_path, budget=1.0) as session, running(session) as address:
        token = TOKENS["agent"]
        assert send(address, "/v1/ask", ASK, token=token)[0] == 200
        other = {"query": {**COUNT, "where": [["ward", "==", "south"]]}}
        status, answer = send(address, "/v1/ask", other, token=token)
        assert (status, answer["refused"], answer["left"]["left"]) == (409, "budget", 0.0)
        impossible = {**other, "target": {"max_posterior": 0.5}}
        status, answer = send(address, "/v1/cost", impossible, token=token)
        assert (status, answer["refused"]) == (409, "target")


def test_a_fault_says_nothing(tmp_path, monkeypatch, capfd):
    def fail(*_given):
        raise ValueError("person 17 has a rare disease")

    monkeypatch.setattr(sampler, "release", fail)
    with start(tmp_path) as session, running(session) as address:
        status, answer = send(address, "/v1/ask", ASK)
    assert status == 500
    captured = capfd.readouterr()
    assert "disease" not in json.dumps(answer) + captured.err + captured.out
    assert captured.err == "deniable serve: ValueError in ask\n"


def write_plan(folder, those):
    plan = plan_of(client=those, data={
        "source": "people.parquet", "entity": "person", "adjacency": "add-remove",
    })  # fmt: skip
    (folder / "serve.toml").write_text(write_toml(plan))


def test_a_revoked_token_is_refused_from_then_on(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    write_plan(tmp_path, clients())
    with (
        start(tmp_path, "file", plan=tmp_path / "serve.toml") as session,
        running(session) as address,
    ):
        assert send(address, "/v1/left")[0] == 200
        write_plan(tmp_path, clients()[1:])
        assert send(address, "/v1/left")[0] == 403
        assert send(address, "/v1/left", token=TOKENS["agent"])[0] == 200
        (tmp_path / "serve.toml").write_text("[client")  # half saved: nobody
        assert send(address, "/v1/left", token=TOKENS["agent"])[0] == 403
        write_plan(tmp_path, clients())
        assert send(address, "/v1/left")[0] == 200


async def as_agent(address, token):
    """Whatever MCP's own client gets."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers) as web:
        url = "http://{}:{}/mcp".format(*address)
        async with Client(streamable_http_client(url, http_client=web)) as client:
            names = sorted(tool.name for tool in (await client.list_tools()).tools)
            asked = [
                await client.call_tool(*call)
                for call in [
                    ("describe", {}), ("cost", ASK), ("ask", ASK), ("ask", ASK), ("left", {}),
                    ("ask", {"query": {"statistic": "secret"}}), ("ask", {"query": 3}),
                ]
            ]  # fmt: skip
    return names, asked


def test_an_agent_asks_by_the_same_words_and_token(tmp_path):
    with start(tmp_path) as session, running(session) as address:
        names, asked = asyncio.run(as_agent(address, TOKENS["agent"]))
        over_http = send(address, "/v1/left", token=TOKENS["agent"])[1]
        with pytest.raises(BaseExceptionGroup):
            asyncio.run(as_agent(address, "wrong"))
    assert names == ["ask", "cost", "describe", "left"]
    describe, cost, first, again, left, wrong, mistyped = asked
    assert describe.structured_content["dataset"] == "people"
    assert (cost.structured_content["cost"], first.structured_content["cost"]) == (0.25, 0.25)
    assert again.structured_content["remembered"]
    assert left.structured_content == over_http
    assert left.structured_content["left"] == 0.25
    assert wrong.is_error
    assert mistyped.is_error
    assert "secret" in wrong.content[0].text


COSTLY = [
    {"query": COUNT, "epsilon": 0.1}, {**COUNT, "query": COUNT}, {"query": COUNT, "target": 0.1},
    COUNT, {}, {"query": "count"}, {"query": [COUNT]},
    {"query": '{"statistic": 1, "statistic": 2}'},
]  # fmt: skip
"""Arguments of an agent that the library of MCP leaves out, or answers in words of Python."""


async def in_memory(server, calls):
    async with Client(server) as client:
        return [await client.call_tool("ask", each) for each in calls]


def test_an_agent_that_calls_wrongly_is_told_how_and_pays_nothing(tmp_path):
    """An ε beside the query was left out: the answer cost what the plan allows instead."""
    with start(tmp_path) as session:
        server = tools.make_server(answer_in_thread(session), "agent")
        *wrong, right, text = asyncio.run(
            in_memory(server, [*COSTLY, ASK, {"query": json.dumps(COUNT)}])
        )
        spent = session.left()["left"]
    for answer in wrong:
        assert answer.is_error
        assert "Send {" in answer.content[0].text
        assert "pydantic" not in answer.content[0].text
    assert (right.structured_content["cost"], text.structured_content["cost"]) == (0.25, 0.0)
    assert spent == 1.75


async def over_stdio(command, folder):
    """Whatever MCP's own client gets from a process."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=folder)
    async with Client(stdio_client(parameters)) as client:
        return [await client.call_tool(*call) for call in [("ask", ASK), ("left", {})]]


def test_an_agent_asks_over_standard_input_as_the_client_that_the_owner_named(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    write_plan(tmp_path, clients())
    new(tmp_path / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=2.0)
    command = [sys.executable, "-m", "deniable", "serve", "a.ledger", "--dataset", "people",
               "--stdio"]  # fmt: skip
    ask, left = asyncio.run(over_stdio([*command, "agent"], tmp_path))
    assert ask.structured_content["cost"] == 0.25
    assert left.structured_content["left"] == 0.25  # a quarter of the budget is the agent's
    refused = subprocess.run([*command, "nobody"], cwd=tmp_path, capture_output=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, b"")


TWICE = {'"statistic"': '"statistic": "sum", ', '"query"': '"query": {}, ', '"id"': '"id": 9, '}
"""What is said a second time, before its first place."""


def test_a_name_twice_is_refused_over_standard_input_too(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    write_plan(tmp_path, clients())
    new(tmp_path / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=2.0)
    command = [sys.executable, "-m", "deniable", "serve", "a.ledger", "--dataset", "people",
               "--stdio", "agent"]  # fmt: skip
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "a", "version": "1"}}  # fmt: skip
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "ask", "arguments": ASK}}  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    twice = [json.dumps(call).replace(place, f"{more}{place}") for place, more in TWICE.items()]
    first = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    with started(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as agent:
        agent.stdin.write("".join(f"{line}\n" for line in (first, json.dumps(ready), *twice)))
        agent.stdin.flush()
        _, *answers = [json.loads(agent.stdout.readline()) for _ in range(1 + len(TWICE))]
        agent.stdin.close()
    for answer in answers:
        assert answer["id"] == 2
        assert "with each name once" in json.dumps(answer)
    assert Ledger(tmp_path / "a.ledger").spent("people") == 0


@pytest.mark.skipif(os.name == "nt" or shutil.which("curl") is None, reason="needs curl")
def test_the_command_answers_curl_and_ends_when_asked(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    write_plan(tmp_path, clients())
    new(tmp_path / "a.ledger", "people", entity="person", adjacency="add-remove", epsilon=2.0)
    command = [sys.executable, "-m", "deniable", "serve", "a.ledger", "--dataset", "people",
               "--port", "0", "--mcp"]  # fmt: skip
    call = {"name": "ask", "arguments": {"query": {"statistic": "Anna Meier"}}}
    tool = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as service:
        address = service.stderr.readline().split()[2].removesuffix(".")
        curl = ["curl", "-sS", "-H", f"Authorization: Bearer {TOKENS['dashboard']}"]
        asked = [*curl, "-d", json.dumps(ASK), f"{address}v1/ask"]
        answers = [json.loads(subprocess.check_output(asked)) for _ in range(2)]
        types = ["-H", "Content-Type: application/json", "-H", "Accept: application/json"]
        refused = subprocess.check_output(
            [*curl, *types, "-d", json.dumps(tool), f"{address}mcp"], text=True
        )
        page = subprocess.check_output(["curl", "-sS", address], text=True)
        described = json.loads(subprocess.check_output([*curl, f"{address}v1/describe"]))
        document = json.loads(subprocess.check_output(["curl", "-sS", f"{address}openapi.json"]))
        service.send_signal(signal.SIGTERM)
        rest = service.stderr.read()
    assert [each["remembered"] for each in answers] == [False, True]
    assert "/v1/ask" in page
    assert described["columns"] == {"ward": "text", "age": "integer"}
    assert set(document["paths"]) == {path for path, _ in WORDS}
    assert "Anna Meier" in refused
    assert rest == ""  # no question is logged, and no request
