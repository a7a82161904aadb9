"""Files that are no certificate, whatever they hold: one sentence, exit status 2, little work."""

import contextlib
import json
import os
import sys

import attrs
import pytest
from click.testing import CliRunner

from deniable.certificate.json_documents import MOST_BYTES, MOST_VALUES, statement_sha256
from tests.cases.certified_case import PLANS, certificate
from tests.cases.command_line import app
from tests.cases.effort import THOROUGH
from tests.cases.sample_study import study_certificate

TABLE = json.dumps(certificate(PLANS["success"]).as_json())
STUDY = json.dumps(study_certificate(statistics=True).as_json())


def changed(text, *place, value):
    """The document with another value, its digest repaired."""
    document = json.loads(text)
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with contextlib.suppress(ValueError):  # Not every value has a digest.
        document["statement_sha256"] = statement_sha256(document)
    return json.dumps(document)


def plan_with(**changes):
    """A certificate whose plan asks for something else."""
    plan = json.loads(TABLE)["plan"]
    return changed(TABLE, "plan", value=plan | changes)


def queries(number, **changes):
    query = json.loads(TABLE)["plan"]["query"][0]
    return [query | {"name": str(each), "weight": 1 + each / 7} | changes for each in range(number)]


def raw(text):
    """The number in place of the guarantee's ε, however it is spelled."""
    for whole in (TABLE, STUDY):
        epsilon = json.loads(whole)["guarantee"]["epsilon"]
        yield whole.replace(f'"epsilon": {epsilon}', f'"epsilon": {text}', 1)


SPELLINGS = [
    "1e400", "-1e400", "1" + "0" * 5000, "9" * 21, "-" + "9" * 300, "1e99999999999999999999",
    "0." + "1" * 5_000_000, "NaN", "Infinity", "-Infinity", '"NaN"', '"-inf"', '"1e400"', "-0.0",
    "true", "[" * 100_000 + "]" * 100_000, '{"a":' * 40 + "1" + "}" * 40, '"\\ud800"', '"\\u0000"',
    '"' + "x" * 5_000_000 + '"', "null", "[]", "{}", "01", "+1", ".5", "1e", "0x10",
]  # fmt: skip

WHOLE = {
    "empty": b"",
    "spaces": b"   ",
    "null": b"null",
    "number": b"1",
    "text": b'"certificate"',
    "list": b"[]",
    "object": b"{}",
    "truncated": TABLE.encode()[:-2],
    "trailing": TABLE.encode() + b"x",
    "byte order mark": b"\xef\xbb\xbf" + TABLE.encode(),
    "UTF-16": TABLE.encode("utf-16"),
    "Latin-1": TABLE.replace("person", "p\u00e9rson").encode("latin-1"),
    "zero bytes": b"\0" * 1000,
    "surrogates": TABLE.replace('"person"', '"\\udc00person"').encode(),
    "surrogate key": TABLE.replace('"person"', '{"\\udc00": 1}').encode(),
    "deep": b"[" * 200_000,
    "deep and closed": b"[" * 50_000 + b"]" * 50_000,
    "a little too deep": b'{"a":' * 33 + b"1" + b"}" * 33,
    "a key twice": TABLE.replace('"created"', '"created": "2020-01-01", "created"').encode(),
    "a key twice below": TABLE.replace('"delta"', '"delta": 0.0, "delta"', 1).encode(),
    "many keys, one twice": json.dumps({str(i): 0 for i in range(150_000)})[:-1].encode()
    + b', "0": 1}',
    "many lists": b"[" + b"[]," * (MOST_BYTES // 4) + b"[]]",
    "many numbers": b"[" + b"1," * (MOST_VALUES + 1) + b"1]",
    "too long": b'"' + b"x" * MOST_BYTES + b'"',
    "a study without format": STUDY.replace("deniable-gwas-certificate/2", "x").encode(),
    "a format of tomorrow": TABLE.replace("certificate/2", "certificate/3").encode(),
    "an older format with a plan": TABLE.replace("certificate/2", "certificate/1").encode(),
    "a list of formats": changed(TABLE, "format", value=["deniable-certificate/2"]).encode(),
}

WORK = {
    "many queries": plan_with(query=queries(100_000 // 12)),
    "as many queries as there may be": plan_with(query=queries(256)),
    "many parts": changed(TABLE, "queries", value=json.loads(TABLE)["queries"] * 200),
    "many cells": plan_with(query=queries(1, statistic="count", group_by=["a", "b"],
                                          keys={"a": [*range(9000)], "b": [*range(9000)]})),
    "largest candidates": plan_with(query=queries(1, candidates=2**20)),
    "more candidates": plan_with(query=queries(1, candidates=10**18)),
    "rows": plan_with(limits={"rows_per_entity": 10**18}),
    "worlds": plan_with(target={"identifiability": {"rho": 0.3, "worlds": 10**19}}),
    "tiny delta": plan_with(target={"gamma": 1.0000001, "delta": 5e-324}),
    "tiny epsilon": plan_with(target={"epsilon": 5e-324, "delta": 5e-324}),
    "huge epsilon": plan_with(target={"epsilon": 1.7e308}),
    "huge gamma": plan_with(target={"gamma": 1.7e308, "delta": 1e-300}),
    "uneven weights": plan_with(query=[*queries(2), *queries(1, name="c", weight=1e-300)]),
    "edges": plan_with(query=[{
        "name": "h", "statistic": "histogram", "column": "x", "edges": [*range(40_000)]}]),
    "long name": plan_with(query=queries(1, name="n" * 1_000_000)),
    "long entity": changed(TABLE, "plan", "data", "entity", value="\u001b[31m" * 300_000),
    "bounds": plan_with(query=queries(1, bounds=[-1.7e308, 1.7e308])),
    "narrow bounds": plan_with(query=queries(1, bounds=[0, 5e-324])),
    "dates": plan_with(query=queries(1, keys={"x": [{"$date": "2024-02-30"}]})),
    "no date": plan_with(query=queries(1, keys={"x": [{"$date": "20240228"}]})),
    "null in a plan": plan_with(limits=None),
    "a source": plan_with(data={"source": "private/visits.csv", "entity": "person"}),
    "study, variants": changed(STUDY, "study", "variants", value=2**40),
    "study, cases": changed(STUDY, "study", "cases", value=67_108_863),
    "study, top": changed(STUDY, "selection", "top", value=5000),
    "study, no chromosome": changed(STUDY, "chromosomes", value=[]),
    "study, chromosome turned round": changed(
        STUDY, "chromosomes", value=[{"name": "9", "first": 2, "last": 1}]
    ),
    "study, tiny epsilon": changed(STUDY, "target", value={"kind": "epsilon", "value": 5e-324}),
    "infinite share": changed(TABLE, "queries", 0, "parts", 0, "epsilon", value="inf"),
    "infinite sum of shares": changed(TABLE, "queries", 0, "parts", 0, "epsilon", value=1.7e308),
}  # fmt: skip

HOSTILE = (
    {f"{text[:24]} {number}": whole.encode()
     for place, text in enumerate(SPELLINGS) for number, whole in enumerate(raw(text))
     if THOROUGH or number == place % 2}
    | WHOLE
    | {name: text.encode() for name, text in WORK.items()}
)  # fmt: skip

HOLDS = {"study, no chromosome"}
"""Taken on trust as long as the report is not beside it."""

MOST_CALLS = 3_000_000
"""Of Python functions: about two seconds. A plan's own certificate takes some 20,000."""


class Counted(BaseException):
    """More was called than a check may call."""


def calls_of(function):
    """What a function returns, and how many calls of Python functions that took."""
    seen = 0

    def count(_frame, event, _argument):
        nonlocal seen
        seen += event == "call"
        if seen > MOST_CALLS:
            sys.setprofile(None)
            raise Counted

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        return function(), seen
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("name", HOSTILE)
def test_one_sentence_exit_two_and_counted_work(tmp_path, name):
    path = tmp_path / "certificate.json"
    path.write_bytes(HOSTILE[name])
    answer, _ = calls_of(lambda: CliRunner().invoke(app, ["check", str(path), "--json"]))
    assert not isinstance(answer.exception, Counted)
    if name in HOLDS:
        assert answer.exit_code == 0
        return
    assert answer.exit_code == 2, (answer.stdout, answer.stderr, answer.exception)
    if answer.stdout:
        checks = json.loads(answer.stdout)["checks"]
        found = [each["finding"] for each in checks if not each["holds"]]
        assert found
        said = [*found, *(each["name"] for each in checks)]
    else:
        said = [answer.stderr.removesuffix("\n")]
    for each in said:
        assert each.isprintable()
        assert len(each) < 1000


@pytest.mark.parametrize("name", ["folder", "nothing", "empty folder", "pipe", "link to a pipe"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path, name):
    path = tmp_path / "certificate.json"
    match name:
        case "folder":
            path.mkdir()
            (path / "certificate.json").mkdir()
        case "empty folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link to a pipe":
            os.mkfifo(tmp_path / "pipe")
            path.symlink_to(tmp_path / "pipe")
    answer = CliRunner().invoke(app, ["check", str(path)])
    assert answer.exit_code == 2
    assert answer.stdout == ""
    wanted = "the folder of a release" if name == "empty folder" else "a certificate"
    assert answer.stderr.startswith(f"Expected {wanted}, got ")
    assert answer.stderr.count("\n") == 1


def test_names_are_shown_on_one_line_and_not_as_commands_to_a_terminal(tmp_path):
    made = certificate(PLANS["success"].replace('"median"', '"a\\u001b[31m\\nholds"'))
    path = tmp_path / "certificate.json"
    document = attrs.evolve(made, files=made.files).as_json()
    path.write_text(json.dumps(document), encoding="utf-8")
    answer = CliRunner().invoke(app, ["check", str(path)])
    assert answer.exit_code == 0
    assert "\u001b" not in answer.stdout
    assert sum(line.startswith("query ") for line in answer.stdout.splitlines()) == 2
