"""Histories that were mistyped, forged or kept by another trainer: one sentence, status 2."""

import itertools
import json
import math
import sys
from decimal import Decimal
from fractions import Fraction

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

from deniable.errors import InvalidArgument
from deniable.training.history import MOST_ENTRIES, read_history
from deniable.training.noisy_gradients import Phase, privacy_curve
from deniable.training.noisy_gradients.calibration import MOST_KINDS, merge_phases
from tests.cases.command_line import app
from tests.cases.refusals import refuses, says

ROW = [1.0, 0.03125, 320]
NAMED = dict(zip(("noise_multiplier", "sample_rate", "steps"), ROW, strict=True))
BIG = 10**400


def with_value(place, value):
    return [[value if index == place else each for index, each in enumerate(ROW)]]


WRONG_VALUES = [None, "1", "", True, False, [], {}, [1.0], -1, -0.5, "nan", "inf"]
HISTORIES = {
    "empty": [],
    "empty in a state": {"history": []},
    "nothing": None,
    "a number": 1.0,
    "a text": "opacus",
    "true": True,
    "an empty object": {},
    "a row by itself": ROW,
    "rows in rows": [[ROW]],
    "a row of two": [ROW[:2]],
    "a row of four": [[*ROW, 1.0]],
    "a text for a row": ["abc"],
    "nothing for a row": [None],
    "a row too few": [ROW, []],
    "a named row without steps": [{key: NAMED[key] for key in ("noise_multiplier", "sample_rate")}],
    "a named row with more": [NAMED | {"clipping": 1.0}],
    "named as Opacus calls it elsewhere": [NAMED | {"num_steps": 3}],
    "Laplace noise": [NAMED | {"mechanism": "laplace"}],
    "shuffled": [NAMED | {"sampling": "shuffle"}],
    "an accountant of other noise": {"history": [ROW], "mechanism": "sgm_skellam"},
    "an accountant that is a number": {"history": [ROW], "mechanism": 1},
    "a state with more": {"history": [ROW], "mechanism": "rdp", "dataset": "adult"},
    "a state in a state": {"history": {"history": [ROW]}},
    "a state of a text": {"history": "abc"},
    "a state without a history": {"mechanism": "rdp"},
    "steps 0": with_value(2, 0),
    "half a step": with_value(2, 1.5),
    "a rate above 1": with_value(1, 1.0000001),
    "a rate of 0": with_value(1, 0),
    "a rate in percent": with_value(1, 3.125),
    "no noise": with_value(0, 0),
    "no noise, from below": with_value(0, -0.0),
    "huge steps": with_value(2, BIG),
} | {
    f"{name} {json.dumps(value)}": with_value(place, value)
    for place, name in enumerate(NAMED)
    for value in WRONG_VALUES
}  # fmt: skip


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_a_wrong_history_is_one_sentence_from_python_and_from_a_file(tmp_path, history):
    with refuses(InvalidArgument, "expects-and-got") as caught:
        read_history(history)
    assert "\n" not in str(caught.value)
    path = tmp_path / "history.json"
    path.write_text(json.dumps(history))
    done = CliRunner().invoke(app, ["training", "explain", str(path), "--delta", "1e-5"])
    assert done.exit_code == 2, done.output
    assert done.output.startswith("Expected ")
    assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, np.nan, complex(1), b"1", object(), np.array([1, 2])]
)
@pytest.mark.parametrize("place", range(3))
def test_what_no_json_holds_is_refused_too(place, value):
    with pytest.raises(InvalidArgument):
        read_history(with_value(place, value))


EXACT = [
    (np.float64(1.5), np.float32(0.25), np.int64(3)),
    (np.float16(1.5), np.float64(0.25), np.uint8(3)),
    (Fraction(3, 2), Fraction(1, 4), Fraction(3)),
    (Decimal("1.5"), Decimal("0.25"), Decimal("3.0")),
    (1.5, 0.25, 3.0),
    (np.array(1.5), np.array(0.25), np.array(3)),
]


@pytest.mark.parametrize("row", EXACT, ids=repr)
def test_numbers_of_every_exact_type_are_the_same_phase(row):
    (found,) = read_history([row, (1.5, 0.25, 4)])
    assert found == Phase(1.5, 0.25, 7)
    assert [type(each) for each in attrs.astuple(found)] == [float, float, int]


NOT_NUMBERS = [
    np.True_, np.False_, np.array(True), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"),
    Fraction(BIG), BIG, -BIG, np.float32("nan"), "1.5", np.str_("1.5"), np.datetime64(3, "D"),
    Fraction(1, 10**30), -0.0, Decimal("-0"), -3,
]  # fmt: skip


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: repr(value)[:30])
def test_what_is_no_number_of_a_phase_is_refused(place, value):
    with refuses(InvalidArgument, "expects-something"):
        read_history(with_value(place, value))


TEXTS = {
    "no JSON": b"noise",
    "cut": b"[[1.0, 0.5",
    "a number beyond 64 bits": b"[[1e999, 0.5, 3]]",
    "NaN": b"[[NaN, 0.5, 3]]",
    "infinity": b"[[Infinity, 0.5, 3]]",
    "many digits": b"[[1.0, 0.5, " + b"9" * 5000 + b"]]",
    "a key twice": b'[{"steps": 1, "steps": 2, "sample_rate": 0.5, "noise_multiplier": 1.0}]',
    "deep": b"[" * 50_000 + b"]" * 50_000,
    "deep, within bounds": b"[" * 30 + b"]" * 30,
    "long": b"[" + b"[1.0,0.5,3]," * 40_000 + b"[1.0,0.5,3]]",
    "very long": b" " * (2**23 + 1),
    "not UTF-8": "[[1.0, 0.5, 3]]".encode("utf-16"),
    "half a letter": b'[{"\\ud800": 1}]',
    "empty": b"",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("command", ["explain", "certify"])
def test_a_broken_file_is_one_sentence_and_nothing_is_written(tmp_path, text, command):
    (tmp_path / "history.json").write_bytes(text)
    words = ["training", command, str(tmp_path / "history.json"), "--delta", "1e-5"]
    if command == "certify":
        words += ["--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2, done.output
    assert len(done.output.splitlines()) == 1
    assert done.output.startswith("Expected ")
    assert [path.name for path in tmp_path.iterdir()] == ["history.json"]


@pytest.mark.parametrize("place", ["none.json", ".", "two\nlines"])
def test_a_file_that_is_not_there_is_named(tmp_path, place):
    with refuses(InvalidArgument, "training-history"):
        read_history(tmp_path / place)


def test_too_many_entries_are_refused_and_many_of_one_kind_are_one():
    assert read_history([ROW] * MOST_ENTRIES) == (Phase(*ROW[:2], ROW[2] * MOST_ENTRIES),)
    with refuses(InvalidArgument, "at-most-entries: 100,000"):
        read_history([ROW] * (MOST_ENTRIES + 1))
    with refuses(InvalidArgument, "at-most-entries: 100,000"):
        read_history(itertools.repeat(ROW))


FARTHEST = [
    [(1e-3, 0.5, 1)],
    [(1e6, 0.5, 1)],
    [(1.0, 1e-12, 1)],
    [(1.0, 0.5, 10**10)],
    [(1.0, 0.5, 10**10 - 1), (2.0, 0.5, 1)],
    [(1.0 + i / 1e6, 0.5, 1) for i in range(MOST_KINDS)],
]
BEYOND = [
    [(9.99e-4, 0.5, 1)],
    [(1.01e6, 0.5, 1)],
    [(1.0, 0.5, 10**10 + 1)],
    [(1.0, 0.5, 10**10), (2.0, 0.5, 1)],
    [(1.0, 0.5, 10**308), (2.0, 0.5, 10**308)],
    [(1.0 + i / 1e6, 0.5, 1) for i in range(MOST_KINDS + 1)],
]


@pytest.mark.parametrize("history", FARTHEST, ids=lambda rows: str(rows[-1]))
def test_a_history_may_reach_as_far_as_a_curve(history):
    assert read_history(history) == merge_phases(Phase(*row) for row in history)


@pytest.mark.parametrize("history", BEYOND, ids=lambda rows: str(rows[-1])[:30])
def test_a_history_that_no_curve_is_computed_of_is_refused_in_the_same_words(history):
    with refuses(InvalidArgument, "no-curve-computed-noise-multipliers-from") as ours:
        read_history(history)
    with pytest.raises(InvalidArgument) as theirs:
        privacy_curve([Phase(*row) for row in history])
    assert str(ours.value) == str(theirs.value)


MARKED = {
    "UTF-8": "[[1.0, 0.5, 3]]".encode("utf-8-sig"),
    "UTF-16, as PowerShell writes": b"\xff\xfe" + "[[1.0, 0.5, 3]]".encode("utf-16-le"),
    "UTF-16, the other way": b"\xfe\xff" + "[[1.0, 0.5, 3]]".encode("utf-16-be"),
    "nothing else": b"\xef\xbb\xbf",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_a_byte_order_mark_is_named(tmp_path, text):
    path = tmp_path / "history.json"
    path.write_bytes(text)
    with refuses(InvalidArgument, "byte-order-mark-that-of-utf"):
        read_history(path)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    "value",
    [BIG, -BIG, 10**5000, -(10**308), "9" * 500, ["9" * 500], [10**5000], {"a" * 500: 1}, "a\nb"],
    ids=lambda value: f"{type(value).__name__} of {sys.getsizeof(value)}",
)
def test_a_long_value_is_shown_on_one_short_line(place, value):
    with pytest.raises(InvalidArgument) as caught:
        read_history(with_value(place, value))
    assert len(str(caught.value)) < 160
    assert "\n" not in str(caught.value)


@attrs.frozen
class GaussianDpEvent:
    noise_multiplier: object


@attrs.frozen
class LaplaceDpEvent:
    noise_multiplier: object


@attrs.frozen
class PoissonSampledDpEvent:
    sampling_probability: object
    event: object


@attrs.frozen
class SampledWithoutReplacementDpEvent:
    event: object


@attrs.frozen
class SelfComposedDpEvent:
    event: object
    count: object


@attrs.frozen
class ComposedDpEvent:
    events: object


def nested(levels):
    event = GaussianDpEvent(1.0)
    for _ in range(levels):
        event = ComposedDpEvent([event])
    return event


EVENTS = [
    LaplaceDpEvent(1.0),
    ComposedDpEvent([]),
    ComposedDpEvent([GaussianDpEvent(1.0), LaplaceDpEvent(1.0)]),
    PoissonSampledDpEvent(0.5, LaplaceDpEvent(1.0)),
    PoissonSampledDpEvent(0.5, ComposedDpEvent([GaussianDpEvent(1.0)])),
    PoissonSampledDpEvent(1.5, GaussianDpEvent(1.0)),
    PoissonSampledDpEvent(0.5, GaussianDpEvent(math.nan)),
    SampledWithoutReplacementDpEvent(GaussianDpEvent(1.0)),
    SelfComposedDpEvent(GaussianDpEvent(1.0), 0),
    SelfComposedDpEvent(GaussianDpEvent(1.0), True),
    SelfComposedDpEvent(GaussianDpEvent(1.0), 0.5),
    nested(5000),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_of_other_noise_or_sampling_is_refused(event):
    with refuses(InvalidArgument, "expects-something"):
        read_history(event)


def test_events_of_sampled_gaussians_are_phases():
    step = PoissonSampledDpEvent(0.25, GaussianDpEvent(2.0))
    run = ComposedDpEvent([SelfComposedDpEvent(step, 7), GaussianDpEvent(3.0), step])
    assert read_history(SelfComposedDpEvent(run, 2)) == (Phase(2.0, 0.25, 16), Phase(3.0, 1.0, 2))


def said_of(path, content, *words):
    """What a command says of a file of JSON with this content."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    done = CliRunner().invoke(app, [*(words or ["training", "explain"]), str(path)])
    assert done.exit_code == 2, done.output
    return done.output


WRONG_PLACES = [
    *((place, value) for place in range(3) for value in (0, -1, None, "1", True)),
    (1, 64),
    (2, 2.5),
]


@pytest.mark.parametrize(("place", "value"), WRONG_PLACES)
@pytest.mark.parametrize("is_named", [False, True])
def test_an_error_in_a_file_names_file_entry_and_key(tmp_path, place, value, is_named):
    """No option of the command is meant: the first of these said --sample-rate and phase 0."""
    rows = [ROW, *with_value(place, value)]
    if is_named:
        rows = [dict(zip(NAMED, row, strict=True)) for row in rows]
    said = said_of(tmp_path / "history.json", rows)
    assert says(said, "in-entry: _ | 2")
    assert says(said, f"file-of-it: {tmp_path / 'history.json'}")
    assert list(NAMED)[place] in said
    assert "--" not in said


@pytest.mark.parametrize(
    ("state", "key"),
    [
        ({"batches": "allocation", "noise_multiplier": 0}, "noise_multiplier"),
        ({"batches": "allocation", "epochs": 2.5}, "epochs"),
        ({"batches": "nothing"}, "batches"),
        ({"batches": "shuffled", "neighbours": "nobody"}, "neighbours"),
        ({"batches": "shuffled", "records": 0}, "records"),
        ({"batches": "shuffled", "drop_last": "yes"}, "drop_last"),
        ({"batches": "shuffled", "drop_last": True}, "records"),
    ],
)
def test_an_error_in_a_stated_training_names_file_and_key(tmp_path, state, key):
    usual = {"noise_multiplier": 1.0, "steps_per_epoch": 10, "epochs": 2}
    said = said_of(tmp_path / "history.json", usual | state)
    assert says(said, f"file-of-it: {tmp_path / 'history.json'}")
    assert key in said
    assert "--" not in said


def test_errors_of_options_still_name_options(tmp_path):
    path = tmp_path / "history.json"
    path.write_text("[[1.0, 0.5, 3]]", "utf-8")
    for words in (["--batches", "nothing"], ["--batches", "shuffled", "--steps-per-epoch", "0"]):
        done = CliRunner().invoke(app, ["training", "explain", str(path), *words])
        assert done.exit_code == 2
        assert "--" in done.output
    options = ["--sample-rate", "64", "--steps", "3", "--noise-multiplier", "1"]
    done = CliRunner().invoke(app, ["training", "explain", *options])
    assert "--sample-rate <= 1" in done.output
    assert "entry" not in done.output


def renamed(ours, theirs):
    return [{theirs if name == ours else name: value for name, value in NAMED.items()}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (renamed("sample_rate", "sampling_probability"), "did-you-mean-key: _ | sample_rate"),
        (renamed("sample_rate", "q"), "did-you-mean-key: _ | sample_rate"),
        (renamed("steps", "num_steps"), "did-you-mean-key: _ | steps"),
        (renamed("noise_multiplier", "sigma"), "did-you-mean-key: _ | noise_multiplier"),
        ([NAMED | {"l2_norm_clip": 1.0}], "beside-a-history: 'l2_norm_clip' | Leave it out"),
        (renamed("sample_rate", "batch_size"), "beside-a-history: _ | sample_rate is the batch"),
        (NAMED, "put-into-a-list"),
        ({"num_steps": 3, "sigma": 1.0}, "put-into-a-list"),
        ([1.0, 0.5, 3], "rows-of-a-history: float"),
        ({"accountant": {"history": [[1.0, 0.5, 3]]}}, "what-is-under: 'accountant'"),
        ("[1.0, 0.5, 3]\n[1.0, 0.5, 4]\n", "several-json-values"),
        (json.dumps(NAMED) + "\n" + json.dumps(NAMED), "several-json-values"),
        ("PK\x03\x04 a checkpoint", "write-its-history"),
        (
            {"batches": "shuffled", "noise_multiplier": 1, "steps_per_epoch": 9, "num_epochs": 2},
            "did-you-mean-key: 'num_epochs' | epochs",
        ),
    ],
)
def test_words_of_other_libraries_are_answered_with_ours(tmp_path, content, message):
    assert says(said_of(tmp_path / "history.json", content), message)


def test_rows_of_numpy_are_rows():
    wanted = (Phase(1.0, 0.5, 3),)
    assert read_history(np.array([[1.0, 0.5, 3]])) == wanted
    assert read_history([np.array([1.0, 0.5, 3])]) == wanted
    kinds = [("noise", float), ("rate", float), ("count", int)]
    assert read_history(np.array([(1.0, 0.5, 3)], dtype=kinds)) == wanted
    with refuses(InvalidArgument, "rows-of-a-history: 2 values"):
        read_history(np.array([[1.0, 0.5]]))
    with refuses(InvalidArgument, "in-entry: steps=2.5 | 1"):
        read_history(np.array([[1.0, 0.5, 2.5]]))


def test_an_event_without_replacement_says_how_we_name_it():
    inner = type("GaussianDpEvent", (), {"noise_multiplier": 1.0})()
    event = type("SampledWithoutReplacementDpEvent", (), {"event": inner, "sample_size": 8})()
    with refuses(InvalidArgument, "state-without-replacement"):
        read_history(event)


LOG = {"canaries": [[1, 12]], "steps_per_epoch": 10, "epochs": 2, "batches": "poisson"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": 5}, "file-of-it"),
        ({"sizes": [5]}, "a-size-of-each-step: 20 | 1"),
        ({"sizes": "5"}, "file-of-it"),
        ({"steps_per_epoch": "x"}, "file-of-it"),
        ({"canaries": [[1, 22]]}, "file-of-it"),
        ({"canaries": 5}, "file-of-it"),
        ({"canary": 5}, "file-of-it"),
        ({"records": 0}, "file-of-it"),
    ],
)
def test_an_error_in_a_log_of_batches_names_it(tmp_path, wrong, message):
    """Sizes that are one number ended in an internal error."""
    history = tmp_path / "history.json"
    history.write_text("[[1.0, 0.1, 20]]", "utf-8")
    said = said_of(tmp_path / "log.json", LOG | wrong, "audit", str(history), "--batch-log")
    assert says(said, message)
    assert says(said, f"file-of-it: {tmp_path / 'log.json'}")


def test_of_two_files_of_verify_the_wrong_one_is_named(tmp_path):
    rows = {"": [0.5, 0.5], "a": [0.25, 0.75]}
    spec, prior = tmp_path / "spec.json", tmp_path / "prior.json"
    spec.write_text(json.dumps({"universe": ["a"], "outputs": ["0", "1"], "rows": rows}), "utf-8")
    words = "verify", str(spec), "--family", "table", "--table"
    assert says(said_of(prior, {"a": 2}, *words), f"file-of-it: {prior}")
    prior.write_text('{"a": 0.5, "": 0.5}', "utf-8")
    spec.write_text(json.dumps(rows | {"a": [0.5, 0.4]}), "utf-8")
    done = CliRunner().invoke(app, [*words, str(prior)])
    assert says(done.output, f"file-of-it: {spec}")
