"""How a plan says that a CSV file is written; every wrong value is one sentence with its place."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import PlanError
from deniable.publish.plan import read_plan
from deniable.publish.sources import ENCODINGS, Dialect
from tests.cases.prose import refusal_of
from tests.cases.refusals import refuses

PLAN = """
[data]
source = "{source}"
{data}
[target]
gamma = 2.0

[[query]]
name = "n"
statistic = "count"
group_by = ["sex"]
keys = {{ sex = ["{key}"] }}
"""


def read(folder, data, key="f", source="x.csv"):
    (folder / "x.csv").write_text("sex;age,sex\n", encoding="utf-8")
    pq.write_table(pa.table({"sex": ["f"], "age": [1]}), folder / "x.parquet")
    text = PLAN.format(source=source, data=data, key=key)
    (folder / "p.toml").write_text(text, encoding="utf-8")
    return read_plan(folder / "p.toml")


def csv(text):
    return f"[data.csv]\n{text}\n"


def test_everything_that_can_be_declared(tmp_path):
    plan = read(
        tmp_path,
        'trim = ["sex"]\nfold = ["sex"]\nrecode = { sex = { w = "f" } }\n'
        + csv(
            'delimiter = ";"\ndecimal = ","\nthousands = "\u00a0"\nencoding = "Latin-1"\n'
            'date_format = "%d.%m.%Y"\ntimestamp_format = "%d.%m.%y %H:%M:%S"\nheader = false\n'
            'columns = ["sex", "age"]\nquote = "\'"\nescape = "\\\\"'
        ),
    )
    assert plan.source.dialect == Dialect(
        ";", "'", "\\", "latin-1", ",", "\u00a0", "%d.%m.%Y", "%d.%m.%y %H:%M:%S", ("sex", "age")
    )
    cleaning = plan.source.cleaning
    assert (cleaning.trim, cleaning.fold) == (("sex",), ("sex",))
    assert {column: dict(map) for column, map in cleaning.recode.items()} == {"sex": {"w": "f"}}
    assert plan.published["data"]["recode"] == {"sex": {"w": "f"}}
    assert plan.published["data"]["csv"]["encoding"] == "Latin-1"


def test_without_marks_there_is_nothing_to_escape(tmp_path):
    dialect = read(tmp_path, csv('quote = ""')).source.dialect
    assert (dialect.quote, dialect.escape) == ("", "")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_known(tmp_path, encoding):
    (tmp_path / "y.csv").write_bytes("sex\n".encode(encoding))
    plan = read(tmp_path, csv(f'encoding = "{encoding}"'), source="y.csv")
    assert plan.source.dialect.encoding == encoding


WRONG = {
    "delimiter": ['""', '";;"', "1", '"a"', '"3"', '"\\n"', '"\u00a7"', '"\\""'],
    "quote": ['"ab"', "0", '"x"', '"\u201c"', '","'],
    "escape": ['""', "1", '"\\n"', '"e"'],
    "decimal": ['""', '"1"', '"+"', '"e"', "0.5", '".,"'],
    "thousands": ['"0"', '"."', '"-"', "true", '"  "'],
    "encoding": ['"utf8"', '"utf-7"', "8", '""', '"utf-16be"', '"iso-2022-jp"'],
    "date_format": ['"%q"', '"%"', '"%d.%m."', '"31.01.2024"', "1", '""', '"yyyy-mm-dd"'],
    "timestamp_format": ['"%d.%m.%Y"', '"%d.%m.%Y %I:%M"', '"%H:%M"', "false"],
    "header": ['"no"', "0", "[]"],
    "columns": ['["sex"]'],
    "delimeter": ['";"'],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in WRONG.items() for value in values]
)
def test_a_wrong_value_is_one_sentence_with_file_table_and_key(tmp_path, key, value):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, csv(f"{key} = {value}"))
    assert refusal_of(caught.value, f"{tmp_path}/p.toml").place == f"[data.csv], {key}"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (csv("header = false"), {"place": "[data.csv], columns"}),
        (csv("header = false\ncolumns = []"), {"place": "[data.csv], columns"}),
        (csv('header = false\ncolumns = ["sex", "Sex"]'), {"got": '"Sex" twice'}),
        (csv('header = false\ncolumns = ["sex", ""]'), {"got": "an empty name"}),
        (
            csv('quote = ""\nescape = "\\\\"'),
            {"place": "[data.csv], escape", "remedy": "Remove escape."},
        ),
        (csv('decimal = ","\nthousands = ","'), {"got": '",", which is the decimal too'}),
        (csv('delimiter = "\'"\nquote = "\'"'), {"got": '"\'", which is the delimiter too'}),
        ("csv = 1", {"place": "[data], csv"}),
        ('trim = "sex"', {"place": "[data], trim"}),
        ('fold = ["sexe"]', {"remedy": 'Did you mean "sex"?'}),
        ('recode = { sexe = { a = "b" } }', {"place": "[data], recode.sexe"}),
        ('recode = { sex = "f" }', {"place": "[data], recode.sex"}),
        ("recode = { sex = { F = 1 } }", {"place": "[data], recode.sex.F"}),
        (
            'fold = ["sex"]\nrecode = { sex = { F = "f" } }',
            {"remedy": 'Write "f": the column is trimmed and folded first.'},
        ),
        ('recode = { sex = { f = "female" } }', {"remedy": 'Write "female".'}),
    ],
)
def test_what_does_not_go_together(tmp_path, data, said):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, data)
    assert refusal_of(caught.value, "p.toml").parts(*said) == said


def test_a_key_of_a_folded_column_keeps_its_spelling(tmp_path):
    cleaning = read(tmp_path, 'fold = ["sex"]', key="F").source.cleaning
    assert [cleaning.cleaned("sex", text) for text in ("F", "f", "M")] == ["F", "F", "m"]


@pytest.mark.parametrize(
    ("data", "key", "remedy"),
    [
        ('fold = ["sex"]\ntrim = ["sex"]', " F", 'Write "f".'),
        ('fold = ["sex"]\nrecode = { sex = { f = "female" } }', "F", 'Write "female".'),
    ],
)
def test_a_key_that_no_cleaned_text_can_be_is_refused(tmp_path, data, key, remedy):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, data, key=key)
    said = refusal_of(caught.value, "p.toml")
    assert (said.place.rpartition(", ")[2], said.remedy) == ("keys.sex", remedy)


def test_two_spellings_of_one_folded_key_are_refused(tmp_path):
    with pytest.raises(PlanError) as caught:
        read(tmp_path, 'fold = ["sex"]', key='Fe", "fE')
    assert refusal_of(caught.value, "p.toml").got == '"Fe" and "fE"'


def test_a_source_with_types_has_texts_to_clean_and_no_dialect(tmp_path):
    plan = read(tmp_path, 'fold = ["sex"]', source="x.parquet")
    assert plan.source.cleaning.fold == ("sex",)
    with refuses(PlanError, "csv-source-with-this-key"):
        read(tmp_path, csv('delimiter = ";"'), source="x.parquet")
    with refuses(PlanError, 'column-of-text-of-kind: "age" | integer'):
        read(tmp_path, 'trim = ["age"]', source="x.parquet")
