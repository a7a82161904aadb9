"""Ctrl-C at every step of a release after noise was drawn: nothing is left, or all is said.

Noise that was drawn and not published is never shown, so that a second release tells nothing more;
and whoever is told that nothing was written would release again.
"""

import os
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

import deniable.pipeline.release as publishing
from deniable.pipeline.check import check
from deniable.pipeline.noise import sampler
from tests.cases.command_line import app
from tests.cases.effort import some_pairs
from tests.cases.release_case import FEW, write_case


def table_words(folder):
    # Of so much there is nothing to advise.
    plan = write_case(folder, target="epsilon = 900", queries=FEW)
    return ["release", str(plan)]


def study_words(folder):
    lines = ["variant cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"]
    lines += ["rs1 5 25 70 60 30 10", *(f"rs{i} 25 50 25 25 50 25" for i in range(2, 9))]
    path = folder / "counts.tsv"
    path.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
    return ["gwas", "release", str(path), "--top", "1", "--epsilon", "20"]


STEPS = {
    "noise": (sampler, "release"),
    "files": (publishing, "release_files"),
    "one file": (Path, "write_bytes"),
    "to disk": (os, "fsync"),
    "name": (Path, "rename"),
    "lock": (Path, "unlink"),
}
"""What a release calls, in this order, from its noise to its end."""
BEFORE, AFTER = "before", "after"
MOMENTS = [(step, when) for step in STEPS for when in (BEFORE, AFTER)][1:]
PUBLISHED = [("name", AFTER), ("lock", BEFORE), ("lock", AFTER)]
"""The folder has its name then."""


def watched(monkeypatch):
    """What the sampler has drawn, as it is drawn."""
    drawn, release = [], sampler.release

    def kept(*given):
        noisy = release(*given)
        drawn.append(noisy)
        return noisy

    monkeypatch.setattr(sampler, "release", kept)
    return drawn


def interrupt(monkeypatch, step, when, drawn):
    """Ctrl-C before or after this step, wherever it is taken once noise was drawn."""
    home, name = STEPS[step]
    call = getattr(home, name)

    def interrupted(*given, **named):
        if drawn and when == BEFORE:
            signal.raise_signal(signal.SIGINT)
        result = call(*given, **named)
        if drawn and when == AFTER:
            signal.raise_signal(signal.SIGINT)
        return result

    monkeypatch.setattr(home, name, interrupted)


@pytest.mark.parametrize(
    ("moment", "words"),
    some_pairs(MOMENTS, [table_words, study_words]),
    ids=lambda value: getattr(value, "__name__", None) or "-".join(value),
)
def test_nothing_is_left_or_the_release_stands_and_is_named(
    tmp_path, monkeypatch, request, words, moment
):
    place = tmp_path / "place"
    place.mkdir()
    command = [*words(tmp_path), "--out", str(place / "out")]
    # A shell starts what runs in the background with Ctrl-C ignored.
    asked = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, asked))
    with monkeypatch.context() as patched:
        drawn = watched(patched)
        interrupt(patched, *moment, drawn)
        answer = CliRunner().invoke(app, command)
    assert drawn
    assert (answer.exit_code, answer.stdout) == (130, "")
    # What limits leave out is said before anything is charged.
    lines = answer.stderr.splitlines(keepends=True)
    said = "".join(each for each in lines if not each.startswith("For you only"))
    said = said.removeprefix("Interrupted. ")
    if moment in PUBLISHED:
        assert said.startswith(f"Written to {place / 'out'}: ")
        assert check(place / "out").holds
        assert CliRunner().invoke(app, command).exit_code == 2  # nobody draws for it once more
    else:
        assert said == "Nothing was written.\n"
        assert list(place.iterdir()) == []
        assert CliRunner().invoke(app, command).exit_code == 0
        assert check(place / "out").holds
