"""Every command where standard output is an ASCII terminal, a full disk or a pipe that is closed.

What was published is published: a command that has written its files ends with 0 and says so,
whether or not its answer can be printed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.effort import one_in, usual
from tests.cases.every_command import ENDLESS, WORDS, WRITTEN, link_files, run, write_files
from tests.cases.signed_release import needs_ssh_keygen
from tests.test_shape import COMMANDS


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def folder(files, tmp_path, request):
    if request.node.name.endswith("[sign]"):
        needs_ssh_keygen()
    return link_files(files, tmp_path)


def told(folder: Path) -> str:
    return faults((folder / "stderr").read_text(encoding="utf-8"))


def faults(said: str) -> str:
    """What a program said on its standard error; a warning of large removal is no fault."""
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("For you only"))


def test_every_command_is_here():
    assert WORDS.keys() == COMMANDS.keys() - ENDLESS


# Of commands that write no file a part: what they do with their answer is the same.
READ = [*WRITTEN, *one_in(4, [word for word in WORDS if word not in WRITTEN])]


@pytest.mark.parametrize("word", one_in(2, READ))
def test_json_is_utf8_on_an_ascii_terminal(word, folder):
    assert run([*word.split(), *WORDS[word], "--json"], folder, "ascii") == 0, told(folder)
    shown = (folder / "stdout").read_text(encoding="utf-8")
    answer = json.loads(shown, parse_constant=pytest.fail)
    if word.endswith("release"):
        assert answer["out"] == "öut"
    assert told(folder) == ""
    assert all((folder / name).stat().st_size for name in WRITTEN.get(word, ()))


@pytest.mark.parametrize("word", [*(word for word in WORDS if word not in READ), *one_in(6, READ)])
def test_words_are_shown_on_an_ascii_terminal(word, folder):
    assert run([*word.split(), *WORDS[word]], folder, "ascii") == 0, told(folder)
    assert (folder / "stdout").stat().st_size
    assert told(folder) == ""


@pytest.mark.parametrize("word", one_in(4, READ))
def test_where_the_answer_cannot_be_printed_what_is_written_stands(word, folder):
    status = run([*word.split(), *WORDS[word], "--json"], folder, "full")
    last = "The answer could not be printed: No space left on device."
    sentences = told(folder)
    assert sentences.count("\n") == 1
    assert last in sentences
    if word in WRITTEN:
        assert status == 0
        assert sentences.startswith("Written to ")
        assert all((folder / name).stat().st_size for name in WRITTEN[word])
    else:
        assert status == 2
        assert sentences.startswith(last)


@pytest.mark.parametrize("word", one_in(4, READ, 1))
def test_a_reader_that_has_gone_is_no_error(word, folder):
    status = run([*word.split(), *WORDS[word]], folder, "closed")
    assert (status, told(folder)) == (0, "")
    assert all((folder / name).stat().st_size for name in WRITTEN.get(word, ()))


@pytest.mark.parametrize("kind", ["ascii", "full", "closed"])
def test_a_certificate_that_does_not_hold_is_never_passed(kind, folder):
    document = json.loads((folder / "good/certificate.json").read_text(encoding="utf-8"))
    document["guarantee"]["gamma"] = 1.5
    (folder / "forged.json").write_text(json.dumps(document))
    assert run(["check", "forged.json"], folder, kind) == 2


@pytest.mark.parametrize("kind", ["full", "closed"])
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["gwas", "scan", "--help"]], ids=str)
def test_help_and_version(words, kind, folder):
    assert run(words, folder, kind) == (2 if kind == "full" else 0)
    assert told(folder).count("\n") == (kind == "full")


@pytest.mark.parametrize("encoding", [*usual([], ["latin-1"]), "ascii"])
def test_a_plan_in_a_real_process_with_another_encoding(folder, encoding):
    """The forked ones only play the terminal; here Python itself chooses the encoding."""
    found = subprocess.run(
        [sys.executable, "-m", "deniable", "plan", "visits.toml", "--json"],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert (found.returncode, faults(found.stderr.decode(encoding))) == (0, "")
    assert "mediän" in [
        each["name"] for each in json.loads(found.stdout.decode("utf-8"))["queries"]
    ]


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_a_device_is_never_replaced_by_a_file(device, folder):
    """The device is a link here, so that a failure of this test harms nothing."""
    (folder / "device").symlink_to(device)
    assert run(["gwas", "scan", "study", "--out", "device"], folder) == 2
    assert (folder / "device").is_symlink()
    assert told(folder).startswith("Expected a file in an existing folder")
