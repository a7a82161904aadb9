"""A line makes the command that it begins with, and no other; nobody sees a difference."""

import pytest
import typer

from deniable.cli.program import app, with_one_command

WHOLE = typer.main.get_command(app).commands


@pytest.mark.parametrize("name", WHOLE)
def test_a_command_is_the_same_alone(name):
    (alone,) = typer.main.get_command(with_one_command(app, [name, "--help"])).commands.items()
    assert alone[0] == name
    below = [getattr(each, "commands", {None: each}) for each in (alone[1], WHOLE[name])]
    one, other = (
        {key: [each.opts for each in command.params] for key, command in commands.items()}
        for commands in below
    )
    assert one == other


@pytest.mark.parametrize("words", [[], ["--help"], ["expln"], ["", "explain"], ["--version"]])
def test_other_lines_have_all(words):
    assert with_one_command(app, words) is app


def test_a_shell_that_asks_for_words_has_all(monkeypatch):
    monkeypatch.setenv("_DENIABLE_COMPLETE", "complete_bash")
    assert with_one_command(app, ["explain"]) is app


def test_an_option_of_another_command_is_still_known(capsys):
    words = ["explain", "--signed-by", "keys"]
    with pytest.raises(SystemExit) as end:
        with_one_command(app, words)(words, prog_name="deniable", obj=app)
    assert end.value.code == 2
    assert "It belongs to deniable check." in capsys.readouterr().err
