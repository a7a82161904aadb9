import json

import pytest

from deniable.certificate.json_documents import BLOCKS, statement_sha256
from deniable.errors import InvalidArgument
from deniable.pipeline.check import check
from deniable.pipeline.kind import kind_of
from tests.cases import third_kind
from tests.cases.refusals import refuses


@pytest.fixture
def poll(tmp_path, monkeypatch):
    """A release of a kind that stands in one file, entered by one line."""
    third_kind.register(tmp_path, monkeypatch)
    third_kind.release([True] * 30 + [False] * 10, tmp_path / "out", gamma=2.0)
    return tmp_path / "out"


def failing(place):
    return [each.name for each in check(place).checks if not each.holds]


def forged(out, **changes):
    path = out / "certificate.json"
    document = json.loads(path.read_text(encoding="utf-8")) | changes
    document |= {"statement_sha256": statement_sha256(document)}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_kind_of_its_own_is_released_and_checked(poll):
    assert sorted(path.name for path in poll.iterdir()) == [
        "certificate.json", "report.html", "results.csv", "results.parquet",
    ]  # fmt: skip
    answer = check(poll)
    assert answer.holds, answer.checks
    assert {"/source", "/versions"} <= {each.what for each in answer.on_trust}
    assert "said yes" in (poll / "report.html").read_text(encoding="utf-8")


def test_what_a_kind_of_its_own_claims_is_recomputed(poll):
    noise = json.loads((poll / "certificate.json").read_text(encoding="utf-8"))["noise"]
    less = noise | {"scale": noise["scale"] / 2}
    assert failing(forged(poll, noise=less)) == ["noise"]
    more = noise | {"epsilon": noise["epsilon"] * 2}
    assert failing(forged(poll, noise=more)) == ["noise", "sum of shares"]
    assert failing(forged(poll, noise=noise, not_covered=[])) == ["not covered"]


def test_a_block_that_is_kept_for_later_stands_last_and_is_sealed(poll):
    document = json.loads((poll / "certificate.json").read_text(encoding="utf-8"))
    assert list(document)[-3:] == ["source", "statement_sha256", "files"]
    other = document | {"source": {"poll": "another"}}
    assert statement_sha256(other) != document["statement_sha256"]


@pytest.mark.parametrize("block", [name for name in BLOCKS if name != "source"])
def test_a_kind_refuses_the_blocks_that_it_does_not_define(poll, block):
    assert failing(forged(poll, **{block: {}})) == ["schema"]


@pytest.mark.parametrize("document", [None, [], {}, {"format": 2}, {"format": "unheard-of/7"}])
def test_what_calls_itself_nothing_known_is_compared_with_a_tables_schema(document):
    assert kind_of(document) is kind_of({"format": "deniable-certificate/2"})


def test_a_kind_that_is_not_installed_is_named(poll, monkeypatch):
    monkeypatch.undo()
    with refuses(InvalidArgument, "says-word: deniable-poll-certificate"):
        check(poll)
