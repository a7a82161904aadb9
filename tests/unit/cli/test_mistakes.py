import pytest
from click.testing import CliRunner

from deniable.cli.mistakes import with_options
from tests.cases.command_line import app

OPTIONS = {"gamma": "--gamma", "prior": "--prior", "table": "--table", "rho": "--identifiability"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Expected gamma >= 1, got gamma=0.5.", "Expected --gamma >= 1, got --gamma 0.5."),
        ("Expected 0 < gamma < 1, got 2.", "Expected 0 < --gamma < 1, got 2."),
        ("Expected gamma to be a number, got nan.", "Expected --gamma to be a number, got nan."),
        ("got prior=[0.7, 0.3].", "got --prior 0.7 0.3."),
        ("Expected 0 <= prior low <= 1.", "Expected 0 <= --prior low <= 1."),
        ("Expected rho > 1/8, got it.", "Expected --identifiability > 1/8, got it."),
        ("exactly one of gamma, table, got none.", "exactly one of --gamma, --table, got none."),
        ("Expected `table` with the family table.", "Expected --table with the family table."),
        ("Expected a prior in the table, got none.", "Expected a prior in the table, got none."),
        ("got 'gamma=2' in \"prior=3\".", "got 'gamma=2' in \"prior=3\"."),
        ("Expected gamma_outside >= 1.", "Expected gamma_outside >= 1."),
    ],
)  # fmt: skip
def test_options_where_a_message_uses_arguments_as_code(message, expected):
    assert with_options(message, OPTIONS) == expected


@pytest.mark.parametrize("group", [["rules"], ["rules", "design"]])
def test_a_threshold_is_the_counts_that_it_hides(group):
    result = CliRunner().invoke(app, [*group, "--threshold", "10"])
    assert result.exit_code == 2
    assert "write deniable rules design --hide 1 9." in result.stderr
