import itertools

import pytest
from click.testing import CliRunner

from deniable.cli.mistakes import with_options
from deniable.errors.arguments import WORDS
from deniable.publish.plan.known_keys import CSV, QUERY, TABLES
from tests.cases.command_line import app
from tests.cases.refusals import says

IN_A_PLAN = [word.replace("_", "-") for word in WORDS["in_a_plan"]]
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


@pytest.mark.parametrize(
    ("command", "word"), list(itertools.product(["release", "plan", "preview"], IN_A_PLAN))
)
def test_what_a_plan_says_is_no_option_and_its_key_is_named(command, word):
    """And never an option of another command, which says something else."""
    refused = CliRunner().invoke(app, [command, "p.toml", f"--{word}", "x"])
    assert refused.exit_code == 2
    said = refused.stderr.rpartition("The plan says it: ")[2]
    table, key, equals, _ = said.split(" ", 3)
    tables = {f"[{name}]": keys for name, keys in TABLES.items()}
    tables |= {"[data.csv]": CSV, "[[query]]": QUERY}
    known = {each.name for each in tables[table]} | {"column", "bounds", "group_by", "keys"}
    assert (key in known, equals) == (True, "=")


@pytest.mark.parametrize("group", [["rules"], ["rules", "design"]])
def test_a_threshold_is_the_counts_that_it_hides(group):
    result = CliRunner().invoke(app, [*group, "--threshold", "10"])
    assert result.exit_code == 2
    assert says(result.stderr, "write-the-command: rules design --hide 1 9.")


@pytest.mark.parametrize(
    ("group", "option", "first"),
    [("training", "--records", "training calibrate"), ("gwas", "--threshold", "gwas scan")],
)
def test_an_option_of_a_group_is_first_looked_for_in_the_group(group, option, first):
    result = CliRunner().invoke(app, [group, option, "10"])
    assert says(result.stderr, f"belongs-to-command: {first}")


@pytest.mark.parametrize(
    ("command", "option", "message"),
    [
        ("scan", "--bfile", "files-without-an-option: gwas scan"),
        ("attack", "--vcf", "files-without-an-option: gwas attack"),
        ("scan", "--geno", "no-filter-looks-at-the-study"),
        ("release", "--hwe", "no-filter-looks-at-the-study"),
        ("scan", "--mh", "write-statistic"),
        ("release", "--covar", "no-covariates"),
        ("safe", "--mouse", "write-this-option: --autosomes 19"),
        ("frequencies", "--maf", "did-you-mean-option: --min-frequency"),
        ("utility", "--within", "did-you-mean-option: --strata"),
        ("attack", "--indep-pairwise", "did-you-mean-option: --prune"),
    ],
)
def test_an_option_of_plink_is_answered_with_ours(command, option, message):
    """Never with one that only looks like it, such as --pheno for --geno."""
    result = CliRunner().invoke(app, ["gwas", command, "study", option, "x"])
    assert result.exit_code == 2
    assert says(result.stderr, message)


@pytest.mark.parametrize("words", [["--prior", "0.1"], ["--prior", "0.1", "--gamma", "2"]])
def test_one_belief_is_written_twice(words):
    result = CliRunner().invoke(app, ["calibrate", *words])
    assert says(result.stderr, "one-belief-twice")


@pytest.mark.parametrize(
    ("word", "command"), [("prune", "safe"), ("ld", "safe"), ("hardy", "scan"), ("missing", "scan")]
)
def test_a_word_of_plink_is_answered_with_the_command_that_does_it(word, command):
    """`attack` prunes to attack; variants to publish that are not linked are those of `safe`."""
    result = CliRunner().invoke(app, ["gwas", word, "study"])
    assert result.exit_code == 2
    assert f"Did you mean {command}?" in result.stderr
