"""What a forger writes that is no other value: look-alikes, keys, nests, numbers in other words.

`test_forged_certificates.py` changes every value of every kind of certificate for another one of
its type. Here are changes that keep what a person reads, or what a reader of another language would
take for the same; and the entries of a ledger, column by column.
"""

import copy
import functools
import itertools
import json
import shutil
import sqlite3
from contextlib import closing

import attrs
import pytest

from deniable import Ledger
from deniable.errors import DeniableError, LedgerError
from deniable.ledger import check as check_ledger
from deniable.ledger.charge import Charge, chain_start, link
from deniable.pipeline.check import check
from deniable.publish.release import release
from tests.attacks.test_forged_certificates import (
    DOCUMENTS,
    forgeries,
    on_trust,
    repaired,
    walked,
)
from tests.cases.books import dataset
from tests.cases.certified_case import DRAWN_GAUSSIAN, certificate
from tests.cases.effort import THOROUGH, usual
from tests.cases.lazily import Lazily
from tests.cases.release_case import FEW, write_case

KINDS = DOCUMENTS | Lazily(
    {"population, gaussian": lambda: json.loads(json.dumps(certificate(DRAWN_GAUSSIAN).as_json()))}
)
"""A kind of certificate joins by its documents' line in `test_forged_certificates.py`."""

ALIKE = str.maketrans("aceopxyABEKMHOPTX1", "асеорхуАВЕКМНОРТХ１")
"""Latin letters as Cyrillic ones, and a digit of full width."""


def instead(value):
    """What may stand in a value's place for somebody who does not look twice."""
    yield from (
        {"value": value},
        [[value]],
        [None],
        {"": None},
        {"null": value},
        2**64,
        -(2**63) - 1,
    )
    match value:
        case bool():
            yield from (str(value).lower(), float(value), [value])
        case int() | float():
            yield from (str(value), f"{value!r} ", value * (1 + 2.0**-52), value + 10**-9, 10**300)
            yield from (f"+{value}", hex(int(value)) if abs(value) < 2**63 else "0x0")
        case str():
            yield from (value.translate(ALIKE), f"\u202e{value[::-1]}\u202c", value.swapcase())
            yield from (f"{value}\0", f" {value}", value.replace(" ", "\u00a0"), f"{value}\u0301")
        case list():
            yield from (dict(enumerate(value)), [value], [*value, *value])
            yield sorted(value, key=str)[::-1]
        case dict():
            yield from (list(value.items()), [value])
            for key in value:
                for other in (key.translate(ALIKE), key.upper(), f"{key} ", f"{key}\u200b"):
                    yield {(other if each == key else each): of for each, of in value.items()}
                    yield value | {other: value[key]} if other not in value else value
                yield value | {key: {key: value[key]}}


def verdict(path, text):
    path.write_text(text, encoding="utf-8")
    try:
        answer = check(path)
    except DeniableError:
        return True, set()
    return not answer.holds, {each.what for each in answer.on_trust}


# What a check of a kind costs decides how many of its alterations are tried in the suite.
EVERY = dict.fromkeys(KINDS, usual(1009, 593)) | {
    "success": usual(127, 83),
    "removed": usual(191, 131),
    "study, distance": usual(191, 127),
}
EVERY |= dict.fromkeys(("every statistic", "population", "population, gaussian"), 2003)
EVERY |= dict.fromkeys((name for name in KINDS if name.startswith("training")), 2003)


@pytest.mark.parametrize("name", KINDS)
def test_what_looks_alike_is_caught_or_named_as_taken_on_trust(tmp_path, name):
    path, seen = tmp_path / "certificate.json", 0
    if THOROUGH or name not in DOCUMENTS:  # of those the other file shows it
        assert verdict(path, json.dumps(KINDS[name]))[0] is False
    for place, forged in forgeries(KINDS[name], EVERY[name], first=3, changes=instead):
        refused, trusted = verdict(path, json.dumps(repaired(forged, place)))
        assert refused or on_trust(place, trusted), (place, forged)
        seen += 1
    assert seen > 0


def objects(document):
    return ((place, each) for place, each in walked(document) if isinstance(each, dict) and each)


@pytest.mark.parametrize("name", KINDS)
def test_a_key_that_stands_twice_is_refused_wherever_it_stands(tmp_path, name):
    """Readers differ in which of the two they take."""
    path = tmp_path / "certificate.json"
    for where, value in itertools.islice(objects(KINDS[name]), 0, None, 11):
        key = next(iter(value))
        marked = copy.deepcopy(KINDS[name])
        inner = functools.reduce(lambda held, step: held[step], where, marked)
        inner["deniable twice"] = inner[key]
        text = json.dumps(marked).replace('"deniable twice"', json.dumps(key))
        refused, _ = verdict(path, text)
        assert refused, where


# A ledger, its digests repaired by whoever may write the file


@pytest.fixture(scope="module")
def paid(tmp_path_factory):
    """A folder with a ledger, and a release that it paid for."""
    folder = tmp_path_factory.mktemp("paid")
    Ledger(folder / "a.ledger").create(dataset(2**45, entity="person"))
    release(
        write_case(folder, queries=FEW),
        folder / "out",
        ledger=folder / "a.ledger",
        dataset="visits",
    )
    assert check_ledger(folder / "a.ledger", [folder / "out"]).holds
    return folder


def rewritten(path, number, column, value, *, repaired):
    """One column of an entry changed; with `repaired` all later digests fit again."""
    book, entries = Ledger(path).datasets()[0], list(Ledger(path).entries("visits"))
    rows = [attrs.asdict(each) for each in entries]
    rows[number][column] = value
    before = chain_start(book)
    for row in rows if repaired else ():
        row["previous"] = before
        row["sha256"] = before = link(row)
    with closing(sqlite3.connect(path)) as session:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = session.execute(query).fetchall()
        for name, _ in triggers:
            session.execute(f"DROP TRIGGER {name}")
        for place, row in enumerate(rows, 1):
            names = ", ".join(f'"{name}" = ?' for name in row)
            values = [str(each) if name == "state" else each for name, each in row.items()]
            session.execute(f"UPDATE entry SET {names} WHERE number = {place}", values)
        for _, trigger in triggers:
            session.execute(trigger)
        session.commit()


COLUMNS = {
    "id": "0" * 32, "dataset": "vіsits", "units": 1, "what": "another", "plan_sha256": "0" * 64,
    "by": "somebody", "at": "2020-01-01T00:00:00+00:00", "state": "void", "because": "a mistake",
    "statement_sha256": "0" * 64, "exposure": 4,
}  # fmt: skip
WORDS = {"what", "by", "at", "because", "plan_sha256"}
"""Of the entry that says a charge was released: words, which no certificate repeats."""


def ledger_is_caught(path, out):
    try:
        return not check_ledger(path, [out]).holds
    except LedgerError:
        return True


def test_the_columns_are_those_of_an_entry():
    assert {each.name for each in attrs.fields(Charge)} == {*COLUMNS, "previous", "sha256"}


@pytest.mark.parametrize("repaired", [False, True], ids=["as it stands", "digests repaired"])
@pytest.mark.parametrize("number", [0, 1], ids=["charge", "release"])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_entry_is_caught_beside_the_certificate(paid, tmp_path, column, number, repaired):
    path, out = tmp_path / "a.ledger", paid / "out"
    shutil.copy(paid / "a.ledger", path)
    if (number, column) == (0, "state"):  # the file's own index knows one end of a charge
        with pytest.raises(sqlite3.IntegrityError, match="ends"):
            rewritten(path, number, column, COLUMNS[column], repaired=repaired)
        return
    rewritten(path, number, column, COLUMNS[column], repaired=repaired)
    # What a certificate names is the charge's digest, and the statement in the entry after it.
    free = repaired and number == 1 and column in WORDS
    assert ledger_is_caught(path, out) is not free
