"""What a server, its tables' names and its failures could make a release say, or take for rows."""

import signal
import sys
import tempfile
import threading
import time
import traceback

import pytest
from click.testing import CliRunner

import deniable
from deniable.cli import main
from deniable.errors import DataError, PlanError
from deniable.publish.sources.engine import PREFIX
from deniable.publish.sources.table import Kind, Source, open_table, schema
from deniable.servers import postgres as pulled
from deniable.servers.postgres import place_of, read
from tests.cases.command_line import app
from tests.cases.effort import one_in, usual
from tests.cases.postgres_server import OWNER
from tests.cases.processes import Forked
from tests.cases.refusals import refuses

SECRET = "hunter2-of-ann"
PLAN = """
[data]
source = '{source}'
entity = "person"
[target]
gamma = 2.0
[limits]
rows_per_entity = 1
[[query]]
name = "sum"
statistic = "sum"
column = "x"
bounds = [0, 9]
"""


@pytest.fixture
def folder(postgres):
    """A schema with a table in it, and a way to run statements there."""
    postgres.execute(
        "DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s; "
        "CREATE TABLE s.base (person text, x int, note text, at timestamptz); "
        f"INSERT INTO s.base VALUES ('ann', 1, '{SECRET}', now()), ('bob', 2, '2', NULL)"
    )
    return lambda statements: postgres.execute(f"SET search_path = s, public; {statements}")


def planned(path, source):
    """A plan with that source, in a file."""
    path.write_text(PLAN.format(source=source), encoding="utf-8")
    return path


PASSWORDS = [
    "postgresql://ann:{}@db/clinic?table=t",
    "postgresql://ann:{}@db:5432/clinic?table=s.t",
    "postgres://:{}@db/clinic?table=t",
    "postgresql://db/clinic?table=t&password={}",
    "postgresql://db/clinic?password={}&table=t",
    "postgresql://db/clinic?user=ann&PassWord={}",
    "postgresql://ann:{}",
    "postgresql://ann:{}@",
    "postgresql://ann:1/{}@db/clinic?table=t",
    "postgresql://ann:1?{}@db/clinic?table=t",
    "postgresql://ann:1#{}@db/clinic?table=t",
    "postgresql://ann:1@{}@db/clinic?table=t",
    "postgresql://ann%3A{}@[db/clinic?table=t",
    "postgresql:/ann:{}@db/clinic?table=t",
    "postgresql:ann:{}@db/clinic?table=t",
    "PostgreSQL://ann:{}@db/clinic?table=t",
    "jdbc:postgresql://db/clinic?user=ann&password={}",
    "postgresql+psycopg://ann:{}@db/clinic?table=t",
    "postgresql://db/clinic?table={}.b.c",
]


@pytest.mark.parametrize("command", ["new", "plan", "preview", "release"])
@pytest.mark.parametrize("location", PASSWORDS)
def test_a_password_is_neither_used_nor_repeated(tmp_path, location, command):
    location = location.format(SECRET)
    words = [command, location if command == "new" else str(planned(tmp_path / "p.toml", location))]
    words += ["--out", str(tmp_path / "out")] if command == "release" else []
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert result.output.startswith("Expected ")
    assert SECRET not in result.output
    assert not (tmp_path / "out").exists()


def test_an_error_says_host_and_database_and_nothing_of_the_user(postgres, tmp_path):
    address = str(tmp_path).replace("/", "%2F")
    real = postgres.url().partition("@")[2].partition("/")[0]
    for host, database in [(address, "clinic"), (real, "none%20such")]:
        shown = f"postgresql://{host}/{database}".replace("%2F", "/").replace("%20", " ")
        with pytest.raises(PlanError) as caught:
            schema(Source(f"postgresql://ann@{host}/{database}?table=t", tmp_path))
        assert str(caught.value) == (
            f"Expected a PostgreSQL server that lets us in, got none at {shown}. Start it, "
            "or tell libpq who reads: PGUSER with PGPASSFILE, PGPASSWORD, or PGSERVICE."
        )


def everything_said(error):
    """An error with all that hangs on it: causes, contexts, notes."""
    return "".join(traceback.format_exception(error))


FAILING = {
    "a cast": "note::int",
    "a date": "CASE WHEN note = '2' THEN 2 ELSE extract(day FROM note::date)::int END",
    "a division": "x / (x - 1)",
    "an overflow": "x * 2147483647",
    "a float's overflow": "(1e308::float8 * x * 10)::int",
    "a pattern": "(regexp_match('a', note || '('))[1]::int",
}


@pytest.mark.parametrize("expression", FAILING.values(), ids=list(FAILING))
def test_a_failing_row_ends_a_release_with_one_sentence(postgres, folder, tmp_path, expression):
    folder(f"CREATE VIEW v AS SELECT person, {expression} AS x FROM base")
    plan = planned(tmp_path / "p.toml", postgres.location("s.v"))
    with pytest.raises(DataError) as caught:
        deniable.release(plan, tmp_path / "out")
    said = everything_said(caught.value)
    assert SECRET not in said
    assert OWNER not in said
    assert str(caught.value) == (
        'Expected a table that can be read to its end, got an error on the way from "s"."v" at '
        f"postgresql://{postgres.folder}/postgres. Look at the server and run it again. "
        "For the owner; do not publish that it happened."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.toml"]


CHANGES = {
    "the type": "ALTER TABLE base ALTER x TYPE text",
    "the column": "ALTER TABLE base DROP x",
    "the name": "ALTER TABLE base RENAME x TO y",
    "the collation": "ALTER TABLE base ALTER person TYPE text COLLATE blind",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=list(CHANGES))
def test_a_table_that_changed_since_the_plan_was_checked_is_not_read(
    postgres, folder, tmp_path, statement
):
    folder(
        "CREATE COLLATION IF NOT EXISTS blind "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    source = postgres.source("s.base")
    expected = {name: schema(source)[name] for name in ("person", "x")}
    folder(statement)
    with refuses(DataError, "table-as-it-was-when"):
        pulled.rows(source.location, expected, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_gone_is_a_sentence(postgres, folder, tmp_path):
    folder("DROP TABLE base")
    with refuses(PlanError, 'table-none: "s"."base"'):
        pulled.rows(postgres.location("s.base"), {"x": Kind.INTEGER}, tmp_path)


LONG = "SELECT generate_series(1, 1000000000), repeat('x', 900)"
READING = (
    "SELECT pid FROM pg_stat_activity WHERE query LIKE '%generate_series(1, 10%' AND pid <> {}"
)


def reading(postgres, kill=False):
    """Sessions that run the long query; on request, the end of them."""
    with postgres.connect() as session:
        query = READING.format("pg_backend_pid()")
        if kill:
            query = f"SELECT pg_terminate_backend(pid) FROM ({query}) AS found"
        return session.execute(query).fetchall()


def test_a_server_that_is_killed_in_the_middle_is_a_sentence(postgres):
    def take(reader):
        reader.read_next_batch()
        assert reading(postgres, kill=True)
        reader.read_all()

    place = place_of(postgres.location("any"))
    with refuses(DataError, "table-that-can-read") as caught:
        read(place, lambda session: session.stream(LONG, take))
    assert "terminat" not in everything_said(caught.value)


def test_ctrl_c_cancels_the_query(postgres):
    def take(reader):
        reader.read_next_batch()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        for _ in reader:
            pass

    place = place_of(postgres.location("any"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            read(place, lambda session: session.stream(LONG, take))
    finally:
        signal.signal(signal.SIGINT, before)
    # What is not cancelled waits for its reader for ever; the server needs a moment for what is.
    looks = 0
    while reading(postgres):
        looks += 1
        assert looks < 400
        time.sleep(0.05)


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"


def act(words, temporary):
    """The program, with its temporary files there."""
    tempfile.tempdir = str(temporary)
    sys.argv = ["deniable", *words]
    main()


# Ctrl-C without a whole program is above.
@pytest.mark.parametrize("number", [*usual([], [signal.SIGINT]), signal.SIGTERM, signal.SIGKILL])
@pytest.mark.usefixtures("folder")
def test_a_release_that_is_ended_while_the_server_works(postgres, tmp_path, number):
    """Nothing is written, no query is left; what kill -9 leaves goes with the next start."""
    plan = planned(tmp_path / "p.toml", postgres.location("s.base"))
    (tmp_path / "tmp").mkdir()
    said_here = tmp_path / "said"
    said_here.mkdir()
    program = (
        said_here, act, ["release", str(plan), "--out", str(tmp_path / "out")], tmp_path / "tmp"
    )  # fmt: skip
    with postgres.connect() as holder, postgres.connect() as watcher:
        holder.execute("BEGIN; LOCK TABLE s.base")
        with Forked(*program, env={}) as process:
            while watcher.execute(WAITING, ['%FROM "s"."base"%']).fetchone() == (0,):
                assert process.poll() is None
                time.sleep(0.05)  # or the server is as busy with the question
            process.send_signal(number)
            _, said = process.communicate()
            assert process.returncode != 0
        if number != signal.SIGKILL:
            assert "Traceback" not in said
            assert watcher.execute(WAITING, ['%FROM "s"."base"%']).fetchone() == (0,)
    left = [path.name for path in (tmp_path / "tmp").iterdir()]
    assert all(name.startswith(PREFIX) for name in left)
    assert bool(left) == (number == signal.SIGKILL)
    assert not (tmp_path / "out").exists()
    if left:
        with Forked(*program, env={}) as process:
            process.communicate()
        assert process.returncode == 0
        assert list((tmp_path / "tmp").iterdir()) == []
        assert (tmp_path / "out" / "certificate.json").is_file()


def test_who_may_not_read_is_told_so(postgres, folder):
    folder("DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN")
    url = postgres.location("s.base").replace(
        postgres.url().partition("@")[0], "postgresql://stranger"
    )
    source = Source(url, postgres.folder)
    with refuses(PlanError, "table-that-may-read"):
        schema(source)
    folder("GRANT USAGE ON SCHEMA s TO stranger; GRANT SELECT (person) ON base TO stranger")
    with open_table(source, ["person"]) as data:
        assert data.engine.fetch_integer(data.table.count()) == 2
    with (
        refuses(DataError, "right-to-read-every-column"),
        open_table(source, ["x"]),
    ):
        pass


NAMES = [
    'a "b"', "a'b", "a;DROP TABLE x;--", "a.b", "{0}", "{}", "%s", "$1", "a\\b", "a\nb", "ä", "💥",
    "entity", "given", "pulled", "present", "select", "x" * 63, " ", "a&b=c?d#e", "%41", "a/b",
    "a@b", "a:b", "--", "/*", "$$", "E'", "c0", "ctid2", "[red]", "?table=",
]  # fmt: skip


def spelled(name):
    return '"' + name.replace('"', '""') + '"'


# Each name in one of the places, or in all of them.
@pytest.mark.parametrize(
    "names", usual([*zip(*[iter(NAMES)] * 4, strict=True)], [(name,) * 4 for name in NAMES])
)
def test_any_name_is_a_name(postgres, names):
    """Of a schema, a table, a column, a type."""
    name, of_type = names[2], names[3][:50] + " type"
    inside, table, column, kind = map(spelled, (*names[:3], of_type))
    postgres.execute(
        f"DROP SCHEMA IF EXISTS {inside} CASCADE; CREATE SCHEMA {inside}; "
        f"CREATE TYPE {inside}.{kind} AS ENUM ('one'); "
        f"CREATE TABLE {inside}.{table} ({column} {inside}.{kind}, other numeric); "
        f"INSERT INTO {inside}.{table} VALUES ('one', 1)"
    )
    source = postgres.source(f"{inside}.{table}")
    with open_table(source, [name, "other"], entity=name) as data:
        assert schema(source) == {name: Kind.TEXT, "other": Kind.NUMBER}
        assert data.engine.rows(data.table).to_pylist()[0] == {
            name: "one",
            "other": 1,
            data.entity: "one",
        }
    postgres.execute(f"DROP SCHEMA {inside} CASCADE")


@pytest.mark.parametrize("name", ["a/b", 'a "b"', "a?b", "a@b", "ä%20", "[::1]", "a b=c"])
def test_any_database_is_a_database(postgres, name):
    url = postgres.database(name.replace('"', ""))
    source = Source(f"{url}?table=pg_catalog.pg_am", postgres.folder)
    assert "amname" in schema(source)


ROW_BY_ROW = [
    "SELECT * FROM base",
    "SELECT person, x FROM base WHERE x > 0 AND note IS NOT NULL ORDER BY x",
    "SELECT person AS p, upper(person) || '!' AS u, -x * 2.5 AS x FROM base",
    "SELECT CASE WHEN x IN (1, 2) THEN 'low' ELSE coalesce(note, '') END AS c FROM base",
    "SELECT date_trunc('month', at) AS month, at::date AS day, to_char(at, 'YYYY') AS y FROM base",
    "SELECT x FROM base WHERE at > now() - interval '1 year' OR at < current_date",
    "SELECT greatest(x, 1) AS g, nullif(x, 2) AS n, x IS DISTINCT FROM 3 AS d FROM base",
    "SELECT (ARRAY['a', 'b'])[x] AS a, (x, 1) < (2, 3) AS r, note LIKE 'a%' AS l FROM base",
    'SELECT x AS " :limitCount 5 ", note AS "{AGGREF", person AS "a\\b" FROM base',
    'SELECT md5(person) AS p, person COLLATE "C" AS c FROM base',
    "SELECT regexp_replace(note, 'a', 'b') AS r FROM base",
    "SELECT x::numeric(5, 2) AS n, x::text AS t, person::varchar(2) AS v FROM base",
]


@pytest.mark.parametrize("definition", ROW_BY_ROW)
def test_a_view_row_by_row_is_read(postgres, folder, definition):
    folder(f"CREATE VIEW v AS {definition}; CREATE VIEW w AS SELECT * FROM v")
    for name in one_in(2, ["v", "w"], ROW_BY_ROW.index(definition)):
        source = postgres.source(f"s.{name}")
        usable = [column for column, kind in schema(source).items() if kind is not Kind.OTHER]
        with open_table(source, usable) as data:
            assert data.engine.fetch_integer(data.table.count()) in (1, 2)


ACROSS_ROWS = [
    "SELECT person, x - avg(x) OVER () AS x FROM base",
    "SELECT person, row_number() OVER (ORDER BY x) AS x FROM base",
    "SELECT sum(x) AS x FROM base",
    "SELECT person, max(x) AS x FROM base GROUP BY person",
    "SELECT person FROM base GROUP BY person HAVING count(*) > 1",
    "SELECT DISTINCT person FROM base",
    "SELECT DISTINCT ON (person) person, x FROM base ORDER BY person, x",
    "SELECT * FROM base LIMIT 1",
    "SELECT * FROM base OFFSET 1",
    "SELECT * FROM base ORDER BY x FETCH FIRST 1 ROW WITH TIES",
    "SELECT a.person, b.x FROM base a JOIN base b ON a.x = b.x",
    "SELECT a.person, b.x FROM base a, base b",
    "SELECT a.person FROM base a NATURAL JOIN base b",
    "SELECT person FROM base UNION ALL SELECT note FROM base",
    "SELECT person FROM base EXCEPT SELECT note FROM base",
    "WITH c AS (SELECT * FROM base LIMIT 1) SELECT * FROM c",
    "WITH RECURSIVE c AS (SELECT 1 AS x UNION SELECT x + 1 FROM c WHERE x < 5) SELECT * FROM c",
    "SELECT person, (SELECT avg(x) FROM base) AS x FROM base",
    "SELECT * FROM base WHERE x > (SELECT avg(x) FROM base)",
    "SELECT * FROM base a WHERE EXISTS (SELECT FROM base b WHERE b.x < a.x)",
    "SELECT * FROM base WHERE person IN (SELECT person FROM base WHERE x = 1)",
    "SELECT * FROM base ORDER BY (SELECT max(x) FROM base)",
    "SELECT * FROM (SELECT * FROM base LIMIT 1) AS inside",
    "SELECT person, generate_series(1, x) AS x FROM base",
    "SELECT person, g AS x FROM base, generate_series(1, 3) AS g",
    "SELECT g AS x FROM generate_series(1, 3) AS g",
    "SELECT person, l.x FROM base, LATERAL (SELECT base.x) AS l",
    "SELECT * FROM base TABLESAMPLE BERNOULLI (50)",
    "SELECT 1 AS x",
    "VALUES (1), (2)",
    "SELECT random() AS x FROM base",
    "SELECT person FROM base WHERE random() < 0.5",
    "SELECT looks() AS x FROM base",
    "SELECT person FROM base ORDER BY looks()",
    "SELECT x ### 1 AS x FROM base",
    "SELECT looks(person) AS x FROM base",
    "SELECT table_to_xml('base', true, false, '')::text AS x FROM base",
    "SELECT query_to_xml('SELECT count(*) FROM base', true, false, '')::text AS x FROM base",
    "SELECT pg_relation_size('base') AS x FROM base",
    "SELECT nextval('counted') AS x FROM base",
    "SELECT person, x FROM averaged",
    "SELECT array_agg(x) OVER (PARTITION BY person) IS NULL AS x FROM base",
    "SELECT pid AS x FROM pg_stat_activity",
    "SELECT person, cube_of AS x FROM base, LATERAL (SELECT x * x * x) AS c (cube_of)",
]


LOOKS = "RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT count(*) FROM s.base'"


@pytest.mark.parametrize("definition", ACROSS_ROWS)
def test_a_view_whose_rows_may_depend_on_others_is_refused(postgres, folder, definition):
    folder(
        "CREATE SEQUENCE counted; "
        "CREATE VIEW averaged AS SELECT person, avg(x) OVER () AS x FROM base; "
        f"CREATE FUNCTION looks() {LOOKS}; CREATE FUNCTION looks(text) {LOOKS}; "
        f"CREATE FUNCTION looks(int, int) {LOOKS}; "
        "CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = looks); "
        f"CREATE VIEW v AS {definition}; CREATE VIEW w AS SELECT * FROM v"
    )
    for name in one_in(2, ["v", "w"], ACROSS_ROWS.index(definition)):
        with refuses(PlanError, f"view-that-takes-a-table: {name}"):
            schema(postgres.source(f"s.{name}"))


BY_ROW = [
    "true",
    "x < 2 AND note IS NOT NULL",
    "person = current_user OR note = current_setting('app.note', true)",
]
BY_OTHERS = [
    "x < (SELECT count(*) FROM s.base)",
    "person IN (SELECT note FROM s.other)",
    "EXISTS (SELECT FROM s.other)",
    "looks() > 0",
    "x ### 1 > 0",
    "random() < 0.5",
]


@pytest.fixture
def watched(postgres, folder):
    """Sources of a table that has row security with a policy, and of a view of it, for a role."""

    def make(policy):
        folder(
            "DROP ROLE IF EXISTS watched; CREATE ROLE watched LOGIN; "
            f"CREATE FUNCTION looks() {LOOKS}; CREATE FUNCTION looks(int, int) {LOOKS}; "
            "CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = looks); "
            "CREATE TABLE other AS TABLE base; ALTER TABLE base ENABLE ROW LEVEL SECURITY; "
            f"CREATE POLICY p ON base FOR SELECT USING ({policy}); "
            "CREATE VIEW v WITH (security_invoker) AS SELECT person, x FROM base; "
            "GRANT USAGE ON SCHEMA s TO watched; "
            "GRANT SELECT ON ALL TABLES IN SCHEMA s TO watched"
        )
        reader = postgres.url().partition("@")[0], "postgresql://watched"
        return {
            name: Source(postgres.location(f"s.{name}").replace(*reader), postgres.folder)
            for name in ("base", "v")
        }

    yield make
    postgres.execute("DROP SCHEMA s CASCADE; DROP ROLE watched")


@pytest.mark.parametrize("policy", BY_ROW)
def test_row_security_that_looks_at_each_row_alone_is_obeyed(watched, policy):
    for source in watched(policy).values():
        with open_table(source, ["person"]) as data:
            assert data.engine.fetch_integer(data.table.count()) in (0, 1, 2)


@pytest.mark.parametrize("policy", BY_OTHERS)
def test_row_security_that_looks_at_other_rows_is_refused(postgres, watched, policy):
    """One person's row would decide which rows of others are counted, as in a view."""
    sources = watched(policy)
    for name, source in sources.items():
        with refuses(PlanError, f"policy-by-each-row: {name}"):
            schema(source)
    assert "x" in schema(postgres.source("s.base")), "The owner bypasses row security."
    postgres.execute("ALTER POLICY p ON s.base TO pg_monitor")
    assert "x" in schema(sources["base"]), "The policy is for another role."


def test_bytes_that_are_no_text_are_no_value(postgres):
    """A database without an encoding holds any bytes."""
    postgres.execute("DROP DATABASE IF EXISTS bytes WITH (FORCE)")
    postgres.execute(
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    with postgres.connect("bytes") as session:
        session.execute(
            f"CREATE TABLE t AS SELECT * FROM (VALUES (E'{SECRET}\\xff', 1, 'a'), "
            "('b', 2, E'\\xc3'), (E'\\xc3\\xa9', 3, 'c')) AS made (person, x, word)"
        )
    with open_table(postgres.source("t", "bytes"), ["x", "word"], entity="person") as found:
        rows = found.engine.rows(found.table.order_by("x")).to_pylist()
    assert [(row["word"], row[found.entity]) for row in rows] == [
        ("a", None), (None, "b"), ("c", "\u00e9"),
    ]  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_the_environment_says_what_the_source_does_not(postgres, monkeypatch):
    monkeypatch.setenv("PGHOST", str(postgres.folder))
    monkeypatch.setenv("PGUSER", OWNER)
    monkeypatch.setenv("PGDATABASE", "postgres")
    source = Source("postgresql:///?table=s.base", postgres.folder)
    assert schema(source)["x"] is Kind.INTEGER


@pytest.mark.usefixtures("folder")
def test_the_published_plan_withholds_the_place(postgres, tmp_path):
    plan = planned(tmp_path / "p.toml", postgres.location("s.base"))
    deniable.release(plan, tmp_path / "out")
    published = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    place = [str(postgres.folder), "postgres", "s.base", OWNER, OWNER.replace(" ", "%20")]
    assert [
        (name, word) for name, text in published.items() for word in place if word.encode() in text
    ] == []
