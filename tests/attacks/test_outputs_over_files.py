"""Every output of every command over a file that exists: none of them is destroyed."""

from pathlib import Path

import click
import pytest

from tests.cases.every_command import ENDLESS, WORDS, link_files, run, write_files
from tests.test_shape import COMMANDS

OUTPUTS = {"--out", "--page", "--html", "--plot", "--out-records"}
"""Options that name what a command writes."""
MORE = {
    "--out-records": ["--records", "all"],
    "gwas safe --out": ["study", "--prior", "0.5", "0.5", "--max-posterior", "0.75"],
}
"""What an option needs beside it, and the whole line where it is another than that in `WORDS`."""
EACH = [
    (word, option)
    for word, command in sorted(COMMANDS.items())
    if word not in ENDLESS
    for parameter in command.params
    for option in parameter.opts
    if option in OUTPUTS
]
SUFFIXES = {"PAGE.html": ".html", "FILE.csv": ".csv", "T.tsv": ".tsv"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


def parameter_of(word, option):
    return next(each for each in COMMANDS[word].params if option in each.opts)


def line(word, option, place):
    """The command's own line, with this output in place of those that it names."""
    words, given = [], iter(MORE.get(f"{word} {option}", WORDS[word]))
    for each in given:
        if each in OUTPUTS:
            next(given)
        else:
            words.append(each)
    needs_a_folder = option != "--out" and any(
        "--out" in p.opts and p.required for p in COMMANDS[word].params
    )
    assert not needs_a_folder
    return [*word.split(), *words, *MORE.get(option, ()), option, place]


def name_of(word, option):
    parameter = parameter_of(word, option)
    return "older" + SUFFIXES.get(
        parameter.metavar,
        {"export": ".csv", "gwas scan": ".html"}.get(
            word if parameter.metavar == "FILE" else "", ""
        ),
    )


def test_every_option_that_writes_is_here():
    for word, command in COMMANDS.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.type.name == "path":
                writes = parameter.help.startswith(("Write", "Also write", "Draw", "A new"))
                assert not writes or {*parameter.opts} & OUTPUTS, (word, parameter.opts)


@pytest.mark.parametrize(("word", "option"), EACH)
def test_another_file_stands(word, option, files, tmp_path):
    folder = link_files(files, tmp_path)
    name = name_of(word, option)
    if word == "gwas simulate":
        place, name = folder / "study.bim", "study"
    else:
        place = folder / name
        place.write_bytes(b"<html>of somebody's\n")
    before = place.read_bytes()
    assert run(line(word, option, name), folder) == 2, (folder / "stderr").read_text("utf-8")
    assert "xpected a new" in (folder / "stderr").read_text("utf-8")
    assert place.read_bytes() == before
    assert not place.is_symlink() or place.resolve().parent == files


PAGES = [(word, option) for word, option in EACH if name_of(word, option).endswith(".html")]


@pytest.mark.parametrize(("word", "option"), PAGES)
def test_an_older_page_is_replaced(word, option, files, tmp_path):
    folder = link_files(files, tmp_path)
    place = folder / name_of(word, option)
    older = b"<!DOCTYPE html>\nolder"
    place.write_bytes(older)
    assert run(line(word, option, place.name), folder) == 0, (folder / "stderr").read_text("utf-8")
    assert place.read_bytes() != older


@pytest.mark.parametrize("suffix", ["bed", "bim", "fam"])
@pytest.mark.parametrize("word", ["gwas scan", "gwas safe"])
def test_no_part_of_a_study_is_replaced(word, suffix, files, tmp_path):
    folder = link_files(files, tmp_path)
    before = (folder / f"study.{suffix}").read_bytes()
    words = MORE["gwas safe --out"] if word == "gwas safe" else ["study"]
    assert run([*word.split(), *words, "--out", f"study.{suffix}"], folder) == 2
    assert (folder / f"study.{suffix}").read_bytes() == before
    assert (files / f"study.{suffix}").read_bytes() == before


def test_a_plot_in_svg_replaces_a_plot_alone(files, tmp_path):
    folder = link_files(files, tmp_path)
    drawn: list[bytes] = []
    for status, older in ((0, b'<svg xmlns="x"></svg>'), (2, b"<!DOCTYPE html>")):
        place = Path(folder, "plot.svg")
        place.write_bytes(older)
        assert run(["gwas", "scan", "study", "--plot", "plot.svg"], folder) == status
        drawn.append(place.read_bytes())
    assert drawn[0] != b'<svg xmlns="x"></svg>'
    assert drawn[1] == b"<!DOCTYPE html>"
