"""What commands print on the files of docs/examples; `python docs/commands.py` shows it."""

import contextlib
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from click.testing import CliRunner

import deniable
from deniable.cli.program import program

APP = program()

FILES = Path(__file__).resolve().parent / "examples"
SCRIPT = FILES / "session.sh"
"""Lines as somebody types them; those without a mark on the page prepare others."""
PROGRAM = re.compile("deniable|ssh-keygen")
CHANGING = re.compile(
    r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b|(?<=SHA256:)[\w+/]+|(?<=^seconds {26})[\d.]+"
    r"|\d{4}-\d\d-\d\d(?:T[\d:.]+\+00:00|  [0-9a-f]{8}(?=  ))|(?<=charged as )[0-9a-f]{8}",
    re.M,
)
"""What differs from run to run: digests, names of charges, seconds, times."""
_MARK = re.compile(r"(<!-- output: (.+) -->)\n\n(?:```console\n(?:.*\n)*?```\n\n)?")


def with_outputs(text: str, shown: dict[str, str]) -> str:
    """A page with each output below its mark, `<!-- output: deniable plan -->`."""
    return _MARK.sub(lambda mark: f"{mark[1]}\n\n```console\n{shown[mark[2]]}```\n\n", text)


def outputs() -> dict[str, str]:
    """What stands below each mark: a line as it is typed, and what it prints, by its command."""
    shown = {}
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(FILES, place, dirs_exist_ok=True)
        with contextlib.chdir(place):
            for line in filter(PROGRAM.match, SCRIPT.read_text(encoding="utf-8").splitlines()):
                typed = line.replace("$CHARGE", _charge()) if "$CHARGE" in line else line
                if (printed := _print(typed)) is not None:
                    shown.setdefault(_command(line), CHANGING.sub("…", f"$ {typed}\n{printed}"))
    return shown


def _command(line: str) -> str:
    """The words of a line that name the command."""
    first, *words = line.split()
    group, path = APP, [first]
    for word in words:
        if (group := getattr(group, "commands", {}).get(word)) is None:
            break
        path.append(word)
    return " ".join(path)


def _print(line: str) -> str | None:
    """What a command of Deniable prints; another program is run, and prints nothing here."""
    typed, _, cut = line.partition(" | ")
    program, *words = shlex.split(typed)
    if program != "deniable":
        subprocess.run([program, *words], check=True)
        return None
    result = CliRunner(env={"LOGNAME": "ann"}).invoke(APP, words)
    if result.exit_code:
        raise RuntimeError(f"Expected {line} to succeed, got {result.output}")
    lines = result.stdout.splitlines(keepends=True)
    match cut.split():
        case ["head", number]:
            lines = lines[: int(number[1:])]
        case ["tail", number]:
            lines = lines[int(number) :]
    return "".join(lines)


def _charge() -> str:
    """The name of a charge of which nothing was released."""
    return deniable.ledger.charge_guarantee("hospital.ledger", "pure-dp:0.5", what="a model").id
