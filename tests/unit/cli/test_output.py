import json
import math
from decimal import Decimal
from fractions import Fraction

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from deniable.cli.output import (
    Unprinted,
    announce_kept,
    announce_written,
    at_least,
    at_most,
    certified,
    guard,
    interval,
    print_json,
    print_lines,
    verdict,
)
from deniable.errors import (
    BudgetExceeded,
    CostNote,
    DataError,
    InfeasibleTarget,
    InvalidArgument,
    NoDerivation,
    NotApplicable,
    PlanError,
)
from deniable.errors.validate import in_full
from deniable.report.sentences import factor
from tests.cases.command_line import app


def outcome(raised):
    """What the program answers when a command raises."""

    def command():
        raise raised

    return CliRunner().invoke(click.Command("command", callback=guard(command)), [])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidArgument, 2),
        (PlanError, 2),
        (DataError, 2),
        (InfeasibleTarget, 3),
        (NotApplicable, 3),
        (NoDerivation, 3),
        (BudgetExceeded, 3),
    ],
)
def test_an_error_of_ours_is_one_line_and_a_status(error, status):
    found = outcome(error("Expected this, got that."))
    assert found.exit_code == status
    assert (found.stdout, found.stderr) == ("", "Expected this, got that.\n")


def test_a_fault_shows_its_type_and_place_and_nothing_of_the_data(monkeypatch):
    monkeypatch.delenv("DENIABLE_DEBUG", raising=False)
    found = outcome(RuntimeError("Anna, 37, plague"))
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("An internal error: RuntimeError at test_output.py:")
    assert "Anna" not in found.output
    assert "Traceback" not in found.output
    assert len(found.stderr.splitlines()) == 1


def test_the_owner_can_ask_for_more(monkeypatch):
    monkeypatch.setenv("DENIABLE_DEBUG", "1")
    found = outcome(RuntimeError("Anna, 37, plague"))
    assert found.exit_code == 1
    assert "Traceback" in found.stderr
    assert "Anna" in found.stderr
    assert found.stdout == ""


def test_the_system_s_refusal_is_a_wrong_input():
    found = outcome(FileNotFoundError(2, "No such file or directory", "plan.toml"))
    assert found.exit_code == 2
    assert found.stderr == (
        "The system refused: No such file or directory (plan.toml). Nothing was written.\n"
    )
    assert outcome(OSError(28, "No space left on device")).exit_code == 2


def test_an_interruption():
    found = outcome(KeyboardInterrupt())
    assert (found.exit_code, found.stderr) == (130, "Interrupted. Nothing was written.\n")


def test_only_notes_of_ours_are_printed():
    error = InvalidArgument("Expected this, got that.")
    error.add_note("when serializing Anna")
    error.add_note(CostNote("It was charged."))
    assert outcome(error).stderr == "Expected this, got that. It was charged.\n"
    for raised in (KeyboardInterrupt(), OSError(28, "full"), RuntimeError(), MemoryError()):
        raised.add_note("when serializing Anna")
        assert "Anna" not in outcome(raised).stderr


def after(*, said, raised, finished=None):
    """What the program answers when a command raises after it has written or kept something."""

    def command():
        said("Written to out.")
        if finished is None:
            raise raised
        with verdict(finished):
            raise raised

    return CliRunner().invoke(click.Command("command", callback=guard(command)), [])


FULL = OSError(28, "No space left on device")
GONE = BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (Unprinted(FULL), 0, "The answer could not be printed: No space left on device."),
        (Unprinted(GONE), 0, ""),
        (FULL, 2, "The system refused: No space left on device."),
        (GONE, 2, "The system refused: Broken pipe."),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (InvalidArgument("Expected this, got that."), 2, "Expected this, got that."),
        (RuntimeError("Anna"), 1, "An internal error: RuntimeError"),
    ],
    ids=repr,
)
def test_what_was_written_is_said_whatever_happens_then(raised, status, told):
    found = after(said=announce_written, raised=raised)
    assert found.exit_code == status
    assert told in found.stderr
    assert ("Written to out." in found.stderr) == bool(told)
    assert "Nothing" not in found.stderr
    # The next command in the process starts with nothing.
    assert outcome(FULL).stderr.endswith("disk. Nothing was written.\n")


def test_what_is_kept_is_no_answer():
    found = after(said=announce_kept, raised=Unprinted(FULL))
    assert (found.exit_code, found.stderr) == (
        2,
        "The answer could not be printed: No space left on device. Written to out.\n",
    )


@pytest.mark.parametrize("raised", [Unprinted(GONE), Unprinted(FULL)])
def test_a_verdict_stands_though_nobody_reads_it(raised):
    assert after(said=announce_kept, raised=raised, finished=2).exit_code == 2


def test_a_librarys_long_text_for_an_error_is_left_out():
    found = outcome(OSError(28, "Error writing bytes. Detail: [errno 28] No space"))
    assert found.stderr == (
        "The system refused: No space left on device. Free some space, or write to a larger disk. "
        "Nothing was written.\n"
    )
    assert outcome(OSError("no number")).stderr.startswith("The system refused: input or output")


def test_an_exit_keeps_its_status():
    assert outcome(click.exceptions.Exit(2)).exit_code == 2
    assert outcome(click.exceptions.Exit()).exit_code == 0


def test_json_is_one_object_with_infinities_as_text(capsys):
    print_json({"a": math.inf, "b": [-math.inf, (1.5, None)], "ε": {"c": True, 2: "x"}})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {
        "a": "inf",
        "b": ["-inf", [1.5, None]],
        "ε": {"c": True, "2": "x"},
    }
    assert "ε" in shown
    assert shown.endswith("}\n")


def test_json_never_holds_nan(capsys):
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"a": math.nan})
    assert capsys.readouterr().out == ""


def test_lines_are_aligned(capsys):
    print_lines(iter([("a", "1"), ("long", "2"), ("none", "")]))
    assert capsys.readouterr().out == "a     1\nlong  2\nnone\n"
    print_lines([])
    assert capsys.readouterr().out == ""


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_shown_numbers_are_rounded_to_the_safe_side(value, digits):
    low, high = Decimal(at_least(value, digits)), Decimal(at_most(value, digits))
    if low == high:  # a short decimal that the number is within 1e-12 of
        assert abs(low - Decimal(value)) <= abs(low) * Decimal("1e-12")
        return
    assert low <= Decimal(value) <= high
    if value:
        step = Decimal(10) ** (Decimal(value).adjusted() - digits + 1)
        assert high - low <= step


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (2.0, "2"),
        (1 / 3, "0.33334"),
        (100000.5, "100010"),
        (1e-4, "0.0001"),
        (1e-6, "1e-6"),
        (0.1 + 0.2, "0.3"),
        (2 + 1e-9, "2.0001"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_shown_numbers(value, shown):
    assert at_most(value) == shown


def test_shown_numbers_far_from_1_have_an_exponent():
    assert (at_least(2.0**-20), at_most(2.0**-20)) == ("9.5367e-7", "9.5368e-7")
    assert (at_least(2.0**40), at_most(2.0**40)) == ("1.0995e+12", "1.0996e+12")


@given(st.floats(allow_nan=False))
def test_what_a_statement_is_about_is_printed_in_full(value):
    assert float(in_full(value)) == value


def test_intervals_are_short_where_they_can_be():
    assert interval(0.0, 1.0) == "[0, 1]"
    assert interval(0.3, 0.30000001) == "[0.3, 0.30000001]"


@given(st.floats(min_value=1.0, max_value=1e300))
def test_a_number_of_a_certificate_is_shown_as_no_less_on_terminals_and_pages(gamma):
    least, written = Fraction(repr(gamma)), factor(gamma).replace(",", "")
    assert Fraction(certified(gamma)) >= least
    assert Fraction(certified(gamma, up=False)) <= least
    assert Fraction(written) >= least


LINES = [
    ("explain", "--epsilon", "1.0986122886681098"),
    ("explain", "pure-dp:1.09861228866811"),
    ("compose", "pure-dp:0.6931471805599454", "pure-dp:0.4054651081081645"),
    ("calibrate", "--gamma", "3", "--prior", "0.1", "0.7"),
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_no_command_prints_a_smaller_gamma_than_its_answer_has(line):
    shown = CliRunner().invoke(app, [*line]).stdout
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    printed = [each.split()[-1] for each in shown.splitlines() if each.startswith("gamma")]
    for text, key in zip(printed, ("gamma", "gamma_outside"), strict=True):
        assert Fraction(text) >= Fraction(repr(answer[key]))
