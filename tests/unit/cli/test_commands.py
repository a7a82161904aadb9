import re

import pytest
from click.testing import CliRunner

from tests.cases.command_line import app
from tests.cases.prose import Refusal, refusal_of


def run(*words):
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("words", [[], ["explain"], ["gwas"], ["gwas", "scan"], ["population"]])
def test_short_and_long_help_are_the_same(words):
    short, long = run(*words, "-h"), run(*words, "--help")
    assert (short.exit_code, short.output) == (long.exit_code, long.output)
    assert short.exit_code == 0


def sentences(listing):
    """Command to its line in a list of commands, unwrapped."""
    rows = re.split(r"\n  (?=\S)", listing.split("Commands:")[1])
    return {row.split()[0]: " ".join(row.split()[1:]) for row in rows if row.strip()}


@pytest.mark.parametrize("words", [[], ["gwas"], ["population"]])
def test_no_sentence_of_a_list_is_cut(words):
    listed = sentences(run(*words, "--help").output)
    assert listed
    for name, sentence in listed.items():
        assert sentence[-1] in ".?", name
        assert "..." not in sentence


def test_commands_are_listed_in_the_order_of_use():
    names = list(sentences(run("--help").output))
    assert names == [
        *("explain", "calibrate", "plan", "preview", "release", "new", "check", "sign"),
        *("dossier", "export", "schema", "derive", "compose", "risk", "explore", "studio"),
        *("verify", "audit", "gate", "serve", "ledger", "population"),
        *("rules", "gwas", "training"),
    ]


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["explain", "--epsilon", "1", "--epsilon", "2"], "--epsilon"),
        (["explain", "--epsilon", "1", "--prior", "0", "1", "--prior", "0", "0.5"], "--prior"),
        (["calibrate", "--gamma", "2", "--gamma", "2"], "--gamma"),
        (["derive", "--list", "--json", "--json"], "--json"),
    ],
)
def test_an_option_given_twice_is_refused_by_name(words, option):
    answer = run(*words)
    assert answer.exit_code == 2
    assert refusal_of(answer.output.splitlines()[-1].removeprefix("Error: ")) == Refusal(
        f"{option} once", "it 2 times", "", "Keep one."
    )


def test_several_arguments_of_one_name_are_no_repetition():
    assert run("compose", "pure-dp:0.5", "pure-dp:0.5").exit_code == 0


@pytest.mark.parametrize(("word", "share"), [("5%", "0.05"), ("5 %", "0.05"), ("12.5%", "0.125")])
def test_a_percentage_is_answered_with_its_share(word, share):
    answer = run("explain", "--epsilon", "1", "--prior", "0.01", word)
    assert answer.exit_code == 2
    assert answer.output.rstrip().endswith(f"% is {share}.")


def test_explain_without_a_prior_shows_the_usual_beliefs():
    shown = re.findall(r"^belief (\S+) stays in", run("explain", "--epsilon", "1").output, re.M)
    assert shown == ["0.01", "0.05", "0.1", "0.5"]


def everything(command):
    below = getattr(command, "commands", {}).values()
    return [each for child in below for each in everything(child)] or [command]


@pytest.mark.parametrize("command", everything(app), ids=lambda c: c.name)
def test_help_shows_placeholders_and_no_types_of_python(command):
    context = command.make_context(command.name, [], resilient_parsing=True)
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if parameter.param_type_name == "option" and record is not None:
            assert not re.search(r"<\w+>", record[0]), record


GENOMES = app.commands["gwas"].commands


def options_of(name):
    return {word for each in GENOMES[name].params for word in each.opts}


@pytest.mark.parametrize("name", ["scan", "release", "frequencies", "utility", "safe", "attack"])
def test_whatever_reads_a_study_takes_all_filters(name):
    filters = {f"--{each}" for each in ("extract", "exclude", "keep", "remove", "chr", "panel")}
    assert filters | {"--min-frequency"} <= options_of(name)


def test_a_release_can_be_tried_with_all_that_decides_its_choice():
    of_files = {
        "--out",
        "--ledger",
        "--dataset",
        "--title",
        "--organisation",
        "--study",
        "--contact",
    }
    assert options_of("release") - of_files - {"--text"} <= options_of("utility")
