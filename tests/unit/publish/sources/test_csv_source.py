"""CSV files: headers in any dialect, quotation marks that close."""

import contextlib
import gzip

import pyarrow as pa
import pytest

from deniable.errors import DataError, PlanError
from deniable.publish.sources import Dialect, Source, csv_source, schema
from tests.cases.refusals import refuses


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"a,b\n1,2\n", ("a", "b")),
        (b"\xef\xbb\xbfa,b\r\n", ("a", "b")),
        ('"Größe, cm","the ""best""",x y\n'.encode(), ("Größe, cm", 'the "best"', "x y")),
        (b'"two\nlines",b\n', ("two\nlines", "b")),
        (b"only", ("only",)),
    ],
)
def test_header(tmp_path, content, names):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    assert csv_source.header(path, Dialect()) == names
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(content))
    assert csv_source.header(packed, Dialect()) == names


def test_header_of_tabs(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("a\tb,c\n")
    assert csv_source.header(path, Dialect()) == ("a", "b,c")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "header-of-column-names"),
        (b"\n1,2\n", "header-of-column-names"),
        (b"\xff\xfe,b\n", "header-in-other-bytes"),
        (b'"a,b\n', "header-of-column-names"),
        (b",,\n", "header-of-column-names"),
        (b"age,Age\n", "columns-age-and-age"),
    ],
)
def test_header_refused(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with refuses(PlanError, message):
        csv_source.header(path, Dialect())


@pytest.mark.parametrize("packed", [".gz", ".zst"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("kept", [0, 5, 20, 24])
def test_header_of_a_damaged_archive(tmp_path, packed, encoding, kept):
    """A file that cannot be unpacked lacks no header, however it is written."""
    content = ("person,ward\n" * 9).encode(encoding)
    whole = pa.compress(content, "gzip" if packed == ".gz" else "zstd", asbytes=True)
    path = tmp_path / f"x.csv{packed}"
    for content in (b"no archive", whole[:kept] + b"damaged"):
        path.write_bytes(content)
        with refuses(DataError, f"damaged-file: x.csv{packed}") as caught:
            csv_source.header(path, Dialect(encoding=encoding))
        assert caught.value.__context__ is None
        for source in (path, path.with_name(f"*.csv{packed}")):
            with refuses(DataError, f"damaged-file: x.csv{packed}"):
                schema(Source(str(source), tmp_path))


@pytest.mark.parametrize("encoding", csv_source.ENCODINGS)
@pytest.mark.parametrize(
    "content", [b"", b"a", b"a,b\n1,2\n", b"\xff", b"\x00", b"\xff\xfe", b"a" * 9]
)
def test_a_file_in_another_encoding_than_declared_has_a_header_or_none(tmp_path, encoding, content):
    """UTF-16 without a mark of its byte order is an error of its own in Python."""
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with contextlib.suppress(PlanError):
        assert all(csv_source.header(path, csv_source.Dialect(encoding=encoding)))
