"""A book of published tables in a PostgreSQL database: what a file keeps, a server keeps."""

import json
import threading

import attrs
import psycopg
import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument, LedgerError
from deniable.rules import book
from tests.cases.command_line import app
from tests.cases.cut_line import CutLine
from tests.cases.refusals import refuses

RULES = {
    "list": [{"name": "north", "size": 11}],
    "table": [{"name": "t", "lists": ["north"]}],
    "rule": {"steps": [{"hide": [1, 7]}, {"round": 5}]},
}
LATER = RULES | {
    "list": [{"name": "north", "follows": "north", "change": {"joined": 1}}],
    "adversary": {"prior": [0.5, 0.5]},
}


@pytest.fixture
def url(postgres):
    place = postgres.database("books")
    book.new(place)
    return place


def add(place, name):
    return book.add(place, RULES, {"north": "*"}, name=name, published="2024-03-01", by="Ada")


def test_a_server_and_a_file_keep_the_same(url, tmp_path):
    file = tmp_path / "wards.book"
    book.new(file)
    for name in ("2023", "2024"):
        one, other = add(url, name), add(file, name)
        assert attrs.evolve(one, at="", sha256="") == attrs.evolve(other, at="", sha256="")
    kept = book.show(url)
    assert [each.name for each in kept.editions] == ["2023", "2024"]
    assert book.check(url).holds
    assert "@" not in kept.place
    answers = [
        deniable.rules.judge(LATER, {"north": 10}, book=each).as_json() for each in (url, file)
    ]
    assert answers[0] == answers[1]
    assert answers[0]["refused"]


def test_what_is_refused_leaves_the_book_as_it_was(url, postgres):
    add(url, "2024")
    before = book.show(url)
    with refuses(InvalidArgument, "new-edition"):
        add(url, "2024")
    with refuses(InvalidArgument, "no-book-one"):
        book.new(url)
    with refuses(InvalidArgument, "no-password"):
        book.show("postgresql://ada:secret@db/team")
    with refuses(LedgerError, "deniable-rules-book-new"):
        book.show(postgres.database("empty"))
    assert book.show(url) == before


def test_a_ledger_and_a_book_share_a_database(url):
    deniable.ledger.new(url, "visits", entity="person", epsilon=1.0)
    add(url, "2024")
    assert deniable.ledger.check(url).holds
    assert book.check(url).holds


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE edition SET name = 'x'",
        "DELETE FROM edition",
        "TRUNCATE edition",
        "UPDATE book SET version = 2",
        "INSERT INTO edition VALUES (3, 'x', '{}', 'the first', 'x')",
        "INSERT INTO edition VALUES (2, 'x', '{}', 'another', 'x')",
    ],
)
def test_nothing_is_changed_or_removed(url, postgres, statement):
    add(url, "2024")
    with postgres.connect("books") as session:
        session.execute("SET search_path = deniable_book; SET client_min_messages = warning")
        with pytest.raises(psycopg.Error):
            session.execute(statement)
    assert book.check(url).holds


def test_a_change_by_the_owner_of_the_tables_is_found(url, postgres):
    add(url, "2024")
    with postgres.connect("books") as session:
        session.execute("SET search_path = deniable_book")
        session.execute("ALTER TABLE edition DISABLE TRIGGER edition_stays")
        session.execute("UPDATE edition SET document = replace(document, '\"*\"', '5')")
        with refuses(LedgerError, "without-triggers"):
            book.show(url)
        session.execute("ALTER TABLE edition ENABLE ALWAYS TRIGGER edition_stays")
    assert not book.check(url).holds
    with refuses(LedgerError, "one-that-was-changed"):
        add(url, "2025")


def test_editions_that_are_entered_at_once_follow_one_another(url):
    threads = [threading.Thread(target=add, args=(url, f"{number}")) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    kept = book.check(url)
    assert kept.holds
    assert {each.name for each in kept.editions} == {f"{number}" for number in range(6)}


@pytest.mark.parametrize(
    ("word", "arrives", "kept"),
    [(b"BEGIN", False, 0), (b"INSERT", False, 0), (b"INSERT", True, 0), (b"COMMIT\0", True, 1)],
)
def test_an_edition_is_there_whole_or_not_at_all_where_the_line_is_cut(
    url, postgres, word, arrives, kept
):
    line = CutLine(postgres.folder)
    try:
        book.show(line.url(url))
        line.cut(word, arrives=arrives)
        with refuses(LedgerError, "rules-book-show" if kept else "nothing-was-entered"):
            add(line.url(url), "2024")
    finally:
        line.close()
    add(url, "2025")  # waits for what was cut
    names = [each.name for each in book.check(url).editions]
    assert names == ["2024", "2025"][1 - kept :]


def test_a_book_on_a_server_from_the_command_line(url, tmp_path):
    (tmp_path / "r.toml").write_text(
        '[[list]]\nname = "north"\nsize = 11\n[[table]]\nname = "t"\nlists = ["north"]\n'
        '[rule]\npreset = "cms"\n[adversary]\nprior = [0.5, 0.5]\n',
        encoding="utf-8",
    )
    (tmp_path / "t.csv").write_text("list,n\nnorth,*\n", encoding="utf-8")
    files = [str(tmp_path / "r.toml"), str(tmp_path / "t.csv")]
    runner = CliRunner()
    named = ["--name", "2024", "--published", "2024-03-01"]
    for words in (
        ["rules", "book", "add", url, *files, *named],
        ["rules", "book", "check", url],
        ["rules", "judge", *files, "--book", url],
        ["gate", str(tmp_path), "--book", url],
    ):
        outcome = runner.invoke(app, words)
        assert outcome.exit_code == 0, outcome.output
    shown = json.loads(runner.invoke(app, ["rules", "book", "show", url, "--json"]).stdout)
    assert [each["name"] for each in shown["editions"]] == ["2024"]
