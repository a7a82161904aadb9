import itertools
import re
import shlex
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.errors import InvalidArgument, PlanError
from deniable.publish.plan import read_plan
from deniable.publish.prepare import plan
from deniable.publish.skeleton import _BELIEFS, new
from tests.cases.effort import one_in, some_pairs
from tests.cases.prose import Refusal, refusal_of
from tests.cases.refusals import refuses

NUMBERS = pa.schema(
    [
        ("person", pa.int64()),
        ("plan", pa.string()),
        ('größe "x"\n# y', pa.float64()),
        ("visits", pa.int32()),
        ("pair", pa.list_(pa.int64())),
    ]
)
WORDS = pa.schema([("pair", pa.list_(pa.int64())), ("a b", pa.string()), ("urban", pa.bool_())])
NOTHING = pa.schema([("pair", pa.list_(pa.int64()))])


BLANK = "Fill it in from public knowledge, never from the data."


def written(folder, schema, name="x.parquet"):
    pq.write_table(schema.empty_table(), folder / name)
    return new(name, folder)


def read(folder, text, target="gamma = 2.0"):
    text = text.replace("# gamma = 2.0", target)
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    return read_plan(folder / "plan.toml")


def refusal(folder, text, target="gamma = 2.0"):
    with pytest.raises(PlanError) as caught:
        read(folder, text, target)
    return refusal_of(caught.value, str(folder / "plan.toml"))


def uncommented(text):
    """Every line that is a key, a table or a query as well, without its leading mark."""
    keys = r"\[|name|statistic|column|bounds|group_by|keys|where|rows_per"
    return re.sub(rf"^# (?={keys})", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("schema", [NUMBERS, WORDS, NOTHING])
def test_a_skeleton_is_toml_and_names_every_column(tmp_path, schema):
    text = written(tmp_path, schema)
    plan = tomllib.loads(text)
    assert plan["data"] == {"source": "x.parquet", "adjacency": "replace-one"}
    for column in schema.names:
        assert column.replace('"', '\\"').replace("\n", "\\n") in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_first_blank_is_named_until_it_is_filled_in(tmp_path):
    text = written(tmp_path, NUMBERS)
    found = refusal(tmp_path, text, target="# gamma = 2.0")
    assert (found.expected, found.got, found.place) == ("exactly one target", "none", "[target]")
    found = refusal(tmp_path, text)
    assert (found.expected, found.got) == ("two numbers [low, high]", "[]")
    assert found.place.endswith(", bounds")
    assert found.remedy == BLANK
    plan = read(tmp_path, text.replace("bounds = []", "bounds = [0, 300]", 1))
    assert plan.queries[0].name == 'mean of größe "x"\n# y'


def test_there_is_a_query_for_every_numeric_column(tmp_path):
    text = uncommented(written(tmp_path, NUMBERS)).replace("bounds = []", "bounds = [0, 1]")
    text = text.replace("# entity", "entity").replace("= [] }", '= ["free", "shared"] }')
    plan = read(tmp_path, text)
    assert (plan.entity, plan.rows_per_entity) == ("person", 5)
    columns = [query.statistic.column for query in plan.queries]
    assert columns == ['größe "x"\n# y', "visits", "person", None, None]
    assert [query.grouping.columns for query in plan.queries[3:]] == [("plan",), ("plan",)]
    assert [len(query.where) for query in plan.queries] == [0, 0, 0, 0, 1]


KINDS = {
    "integer": (pa.int64(), "[1, 2]"),
    "number": (pa.float64(), "[1, 2]"),
    "text": (pa.string(), '["a", "b"]'),
    "boolean": (pa.bool_(), "[true, false]"),
    "date": (pa.date32(), "[2024-01-31, 2024-02-01]"),
    "timestamp": (pa.timestamp("us"), None),
}


TARGETS = re.findall(
    r"^# (\w+ = .*?)  #|^# (identifiability = .*)$", _BELIEFS["target"], re.MULTILINE
)
TARGETS = [one or other for one, other in TARGETS if not one.startswith(("delta", "rows"))]


@pytest.mark.parametrize(
    ("last", "first"), some_pairs([*KINDS], [name for name, (_, keys) in KINDS.items() if keys])
)
def test_filled_in_every_example_is_accepted_beside_the_others(tmp_path, first, last):
    (kind, keys), (other, _) = KINDS[first], KINDS[last]
    text = written(tmp_path, pa.schema([("who", pa.string()), ("a", kind), ("b", other)]))
    text = uncommented(text).replace("# entity", "entity").replace("bounds = []", "bounds = [0, 1]")
    names = [query.name for query in read(tmp_path, text.replace("= [] }", f"= {keys} }}")).queries]
    assert names[-2:] == ["rows by a", "rows by a, under a condition"]


@pytest.mark.parametrize(
    ("target", "chosen"),
    [
        (target, each)
        for place, target in enumerate(TARGETS)
        for each in one_in(2, [*itertools.product([False, True], repeat=2)], place)
    ],
)
def test_no_pair_of_defaults_is_refused(tmp_path, target, chosen):
    delta, limits = chosen
    text = written(tmp_path, NUMBERS).replace("bounds = []", "bounds = [0, 300]", 1)
    if delta:
        text = text.replace("# delta =", "delta =")
    if limits:
        text = text.replace("# entity", "entity").replace("# [limits]", "[limits]")
        text = text.replace("# rows_per_entity", "rows_per_entity")
    (tmp_path / "plan.toml").write_text(text.replace(f"# {target}", target), encoding="utf-8")
    assert plan(tmp_path / "plan.toml").queries


def test_without_numbers_a_count_wants_keys(tmp_path):
    text = written(tmp_path, WORDS)
    found = refusal(tmp_path, text)
    assert found.place.endswith(", keys.urban")
    assert found.remedy == BLANK
    assert read(tmp_path, text.replace("= [] }", "= [true, false] }")).columns == ("urban",)


def test_without_usable_columns_the_column_is_blank(tmp_path):
    found = refusal(tmp_path, written(tmp_path, NOTHING))
    assert found == Refusal("text", "an empty text", '[[query]] "mean", column', "Fill it in.")


def test_a_csv_lists_types_to_declare(tmp_path):
    (tmp_path / "x.csv").write_text('person,"a ""b""",größe\n1,2,3\n', encoding="utf-8")
    text = new("x.csv", tmp_path)
    assert tomllib.loads(text)["data"]["types"] == {}
    found = refusal(tmp_path, text)
    assert found.place.endswith(", column")
    assert found.remedy == "Fill it in."
    declared = re.sub(r"^# (?=.* = \"text\"$)", "", text, flags=re.MULTILINE)
    assert tomllib.loads(declared)["data"]["types"] == dict.fromkeys(
        ["person", 'a "b"', "größe"], "text"
    )
    filled = text.replace('column = ""', 'column = "größe"').replace("= []", "= [0, 1]")
    assert read(tmp_path, filled).source.types == {"größe": "number"}


def test_a_source_is_looked_up_here_unless_a_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert written(tmp_path, WORDS) == new("x.parquet")


def test_a_location_is_quoted(tmp_path):
    text = written(tmp_path, WORDS, 'a "b".parquet')
    assert tomllib.loads(text)["data"]["source"] == 'a "b".parquet'


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(PlanError):
        new("none.parquet", tmp_path)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_one_column_with_marks_in_its_name_is_suspicious(tmp_path, mark):
    (tmp_path / "x.csv").write_text(mark.join(["person", "age", "plan"]) + "\n")
    text = new("x.csv", tmp_path)
    assert "csv" not in tomllib.loads(text)["data"]
    said = re.sub(r"^# (?=\[data\.csv\]|delimiter = )", "", text, flags=re.MULTILINE)
    assert tomllib.loads(said)["data"]["csv"] == {"delimiter": mark}
    filled = said.replace('column = ""', 'column = "age"').replace("= []", "= [0, 1]")
    assert read(tmp_path, filled).source.types == {"age": "number"}


def test_several_columns_are_not(tmp_path):
    (tmp_path / "x.csv").write_text("a;b,c\n")
    assert "delimiter" not in new("x.csv", tmp_path)


SEMICOLONS = "person;cost\n1;1,5\n2;2,25\n"


def test_options_say_how_a_file_is_written_and_stand_in_the_plan(tmp_path):
    (tmp_path / "x.csv").write_bytes("größe;cost\n1;1,5\n".encode("latin-1"))
    text = new("x.csv", tmp_path, delimiter=";", encoding="latin-1", decimal=",")
    plan = tomllib.loads(text)
    assert plan["data"]["csv"] == {"delimiter": ";", "encoding": "latin-1", "decimal": ","}
    assert "# größe = " in text or '# "größe" = ' in text
    assert "separated by" not in text
    tomllib.loads(uncommented(text.replace("# nulls", "nulls")))
    assert "nulls" in tomllib.loads(text.replace("# nulls", "nulls"))["data"]


@pytest.mark.parametrize(
    ("option", "value"), [("delimiter", ";"), ("encoding", "latin-1"), ("decimal", ",")]
)
def test_options_that_say_nothing_of_the_source_are_refused(tmp_path, option, value):
    pq.write_table(NUMBERS.empty_table(), tmp_path / "x.parquet")
    (tmp_path / "p.toml").write_text('[data]\nsource = "x.parquet"\n')
    for source in ("x.parquet", "p.toml"):
        with refuses(InvalidArgument, f"csv-file: {option}"):
            new(source, tmp_path, **{option: value})
    (tmp_path / "x.csv").write_text(SEMICOLONS)
    with refuses(PlanError, f"options-data-csv: {option}"):
        new("x.csv", tmp_path, **{option: "nonsense"})


def test_what_was_begun_is_kept_word_by_word_and_gets_what_it_lacks(tmp_path):
    (tmp_path / "x.csv").write_text(SEMICOLONS)
    begun = '# mine\n[data]\nsource = "x.csv"\nentity = "person"\n[data.csv]\ndelimiter = ";"\n'
    (tmp_path / "p.toml").write_text(begun)
    text = new("p.toml", tmp_path)
    assert text.startswith(begun)
    plan = tomllib.loads(text)
    assert plan["data"]["csv"] == {"delimiter": ";"}
    assert set(plan) == {"data", "adversary", "target", "query"}
    assert '# cost = "text"' in text
    (tmp_path / "p.toml").write_text(text)
    again = new("p.toml", tmp_path)
    assert tomllib.loads(again) == tomllib.loads(text)


def test_what_a_plan_has_is_not_added_once_more(tmp_path):
    (tmp_path / "x.csv").write_text(SEMICOLONS)
    begun = (
        '[data]\nsource = "x.csv"\ntypes = { cost = "number" }\ncsv = { delimiter = ";" }\n'
        '[target]\ngamma = 2.0\n[[query]]\nname = "q"\nstatistic = "count"\n'
    )
    (tmp_path / "p.toml").write_text(begun)
    text = new(tmp_path / "p.toml")
    assert tomllib.loads(text) == tomllib.loads(begun)
    assert '#   "person": text' in text


@pytest.mark.parametrize(
    ("has", "then"),
    [
        ("", {"adversary", "target"}),
        ("[adversary]\nprior = [0, 1]\n", {"adversary", "target"}),
        ("[target]\ngamma = 2.0\n", {"target"}),
    ],
)
def test_a_target_is_added_and_never_an_adversary_beside_ones_own(tmp_path, has, then):
    """A plan without an adversary is about any prior: to add one would weaken its promise."""
    (tmp_path / "x.csv").write_text(SEMICOLONS)
    (tmp_path / "p.toml").write_text(f'[data]\nsource = "x.csv"\n{has}')
    plan = tomllib.loads(new("p.toml", tmp_path))
    assert set(plan) == {"data", "query", *then}
    assert "prior" not in has or plan["adversary"] == {"prior": [0, 1]}


@pytest.mark.parametrize("begun", ["", "x = 1", "[data]\n", "[data]\nsource = 5\n", "[["])
def test_what_is_no_plan_is_not_completed(tmp_path, begun):
    (tmp_path / "p.toml").write_text(begun)
    with pytest.raises(PlanError):
        new("p.toml", tmp_path)


@pytest.mark.parametrize("name", ["x.xlsb", "x.XLS", "x.numbers"])
def test_an_other_spreadsheet_is_to_be_saved_anew(tmp_path, name):
    with refuses(PlanError, "spreadsheet-in-xlsx-or-ods"):
        new(name, tmp_path)


def test_a_tilde_is_ones_own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    pq.write_table(NUMBERS.empty_table(), tmp_path / "x.parquet")
    assert 'source = "~/x.parquet"' in new("~/x.parquet")


def test_a_new_plan_proposes_a_report_keys_and_a_derived_column(tmp_path):
    (tmp_path / "x.csv").write_text("who,Tag,ward,cost\n", encoding="utf-8")
    text = new("x.csv", tmp_path)
    for table in ("columns", "keys", "report"):
        assert f"# [{table}]" in text
    lines = r"\[(?:columns|keys|report)\]|month|\w+ = \[\]|title"
    plan = tomllib.loads(re.sub(f"^# (?={lines})", "", text, flags=re.MULTILINE))
    assert plan["columns"] == {"month": {"of": "Tag", "part": "month"}}
    assert plan["report"]["title"]
    [(column, keys)] = plan["keys"].items()
    assert (column in ("Tag", "ward", "cost"), keys) == (True, [])


def test_a_line_that_makes_the_plan_again_reads_the_file(tmp_path):
    (tmp_path / "x y.csv").write_bytes("größe;cost\n".encode("windows-1252"))
    with pytest.raises(PlanError) as refused:
        new("x y.csv", tmp_path)
    _, option = refused.value.instead
    assert option == "--encoding windows-1252"
    text = new("x y.csv", tmp_path, encoding="windows-1252")
    line = text.partition("Or begin again: ")[2].partition("\n")[0]
    words = shlex.split(line)
    assert words[:3] == ["deniable", "new", "x y.csv"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    again = new(
        "x y.csv", tmp_path, encoding=options["--encoding"], delimiter=options["--delimiter"]
    )
    assert "größe" in again
    assert "separated" not in again


def test_a_tab_can_be_typed(tmp_path):
    (tmp_path / "x.csv").write_text("a\tb\n", encoding="utf-8")
    line = new("x.csv", tmp_path).partition("Or begin again: ")[2].partition("\n")[0]
    typed = shlex.split(line)[-1]
    assert typed == r"\t"
    assert tomllib.loads(new("x.csv", tmp_path, delimiter=typed))["data"]["csv"] == {
        "delimiter": "\t"
    }
