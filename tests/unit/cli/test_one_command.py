"""A line makes the command that it begins with, and no other; nobody sees a difference."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest
import typer

from deniable.cli.program import first_word, program

WHOLE = typer.main.get_command(program()).commands


@pytest.mark.parametrize("name", WHOLE)
def test_a_command_is_the_same_alone(name):
    (alone,) = typer.main.get_command(program(name)).commands.items()
    assert alone[0] == name
    below = [getattr(each, "commands", {None: each}) for each in (alone[1], WHOLE[name])]
    one, other = (
        {key: [each.opts for each in command.params] for key, command in commands.items()}
        for commands in below
    )
    assert one == other


@pytest.mark.parametrize("words", [[], ["--help"], ["expln"], ["", "explain"], ["--version"]])
def test_other_lines_have_all(words):
    assert [*typer.main.get_command(program(first_word(words))).commands] == [*WHOLE]


def test_a_shell_that_asks_for_words_has_all(monkeypatch):
    monkeypatch.setenv("_DENIABLE_COMPLETE", "complete_bash")
    assert first_word(["explain"]) is None


@pytest.mark.parametrize("name", WHOLE)
def test_a_command_loads_no_guest_but_its_own(name):
    show = f"program({name!r}); import sys; print(*sys.modules)"
    code = f"from deniable.cli.program import program; {show}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    guests = {each.name: each.value for each in entry_points(group="deniable.commands")}
    own = {guests[name]} if name in guests else set()
    assert {*guests.values()} & {*done.stdout.split()} == own


def test_an_option_of_another_command_is_still_known(capsys):
    words = ["explain", "--signed-by", "keys"]
    with pytest.raises(SystemExit) as end:
        program(words[0])(words, prog_name="deniable", obj=program)
    assert end.value.code == 2
    assert "It belongs to deniable check." in capsys.readouterr().err
