import gzip

import pytest

from deniable.errors import DataError
from deniable.publish.sources import MARK, bytes_of, csv_source, is_needed, transcode
from tests.cases.refusals import refuses


@pytest.mark.parametrize("block", [1, 2, 3, 2**20])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-15", "windows-1252"])
def test_text_is_the_same_wherever_a_block_ends(tmp_path, encoding, block, monkeypatch):
    monkeypatch.setattr(csv_source, "BLOCK", block)
    text = "a,\u20ac\r\n" * 50 + ("\U0001f600" if encoding.startswith("utf") else "\u0160")
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text.encode(encoding)))
    assert not transcode(tmp_path / "x.csv.gz", encoding, tmp_path / "y.csv", ",")
    assert (tmp_path / "y.csv").read_bytes().decode("utf-8") == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_half_a_letter_at_the_end_is_a_mark(tmp_path, encoding):
    (tmp_path / "x.csv").write_bytes("a\U0001f600".encode(encoding)[:-1])
    assert transcode(tmp_path / "x.csv", encoding, tmp_path / "y.csv", ",")
    assert (tmp_path / "y.csv").read_text("utf-8") == f"a{MARK}"


@pytest.mark.parametrize(
    ("octets", "text"),
    [(b"\xffa\xff,b\xff\n\xe2\x82", "Ma,bM\nM"), (b"\xff" * 999 + b"\r\xc3;\xc3", "M\rM;M")],
)
def test_a_value_has_one_mark_and_what_divides_values_stays(tmp_path, octets, text):
    for delimiter in ",;":
        (tmp_path / "x.csv").write_bytes(octets.replace(b",", delimiter.encode()))
        assert transcode(tmp_path / "x.csv", "utf-8", tmp_path / "y.csv", delimiter)
        found = (tmp_path / "y.csv").read_bytes().decode("utf-8").replace(MARK, "M")
        if delimiter in text:
            assert found == text


def test_a_damaged_archive(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n")[:-3])
    with refuses(DataError, "data-something-damaged"):
        transcode(tmp_path / "x.csv.gz", "utf-8", tmp_path / "y.csv", ",")


def test_what_the_engine_reads_by_itself(tmp_path):
    assert not is_needed(tmp_path / "x.csv.GZ", "utf-8")
    assert is_needed(tmp_path / "x.csv.zst", "utf-8")
    assert is_needed(tmp_path / "x.csv", "latin-1")


def test_bytes_are_unpacked(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a"))
    with bytes_of(tmp_path / "x.csv.gz") as file:
        assert file.read() == b"a"
