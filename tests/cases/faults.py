"""Faults by the hundred: every command that writes, under every fault, and what the next run says.

By hand, with at most so many of a command's calls or all, and with names of commands or without:

    python -m tests.faults [30] ["ledger void" "two machines" …]

A try is a fresh folder with data, ledgers and older outputs in it, a command as a program of its
own, and one fault: killed at its n-th call that writes, a disk that is full or read-only from the
n-th call on, a clock that jumps, a second machine at the same ledger. Then everything that was
there before is compared, what is there now is checked, and the same command runs again, without
the fault. `tests/attacks/test_faults.py` does a part of it.
"""

import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

from deniable.certificate.files import CERTIFICATE
from deniable.cli import main
from deniable.ledger import book, units
from deniable.ledger import check as check_ledger
from deniable.ledger.charge import State
from deniable.ledger.ledger import Ledger
from deniable.pipeline.check import check
from tests.cases.ledger_places import charge_by_hand
from tests.cases.postgres_server import server
from tests.cases.processes import FORKS, as_a_program
from tests.cases.programs import find
from tests.cases.release_case import FEW, write_case
from tests.cases.signed_release import make_key
from tests.cases.system_calls import CutOff, Ended, Fault, Full, Killed, ReadOnly, Watched, run

WRITES = {"--out", "--html", "--page", "--plot", "--out-records", "--checkpoint"}
"""Options that name what is written."""
READS = {
    "--book",
    *("--population", "--signed-by", "--dossier", "--key", "--table", "--data", "--candidates"),
    *("--losses", "--pheno", "--extract", "--exclude", "--keep", "--remove", "--panel", "--strata"),
    *("--genetic-map", "--variants", "--reference", "--published", "--studies"),
}
"""Options that name what is read."""
STUDY = ["--individuals", "40", "--cases", "20", "--variants", "12", "--causal", "1"]
CHARGE = "5f0c21aa" * 4
TRAINING = ["--sample-rate", "0.1", "--steps", "9", "--noise-multiplier", "2", "--delta", "1e-5"]
LISTED = ["--members", "9", "--prior", "0.5", "0.5"]
PEOPLE = ["--data", "column.csv", "--size", "2"]
RECORDS = ["--records", "all", "--out-records", "records.csv", "--page", "page.html"]
MANY = ["--epsilon", "500", "--delta", "1e-5"]
KEPT = ["--checkpoint", "kept"]
RULES = """
list = [{name = "ward", size = 9}]
table = [{lists = ["ward"]}]
rule = {preset = "opensafely"}
adversary = {prior = [0.4, 0.5]}
target = {max_posterior = 0.95}
"""
WEEKS = """
{first}
[data]
source = "deaths.csv"
adjacency = "add-remove"
types = {{ died = "date" }}
csv = {{ encoding = "latin-1" }}
[columns]
week = {{ of = "died", part = "week" }}
[keys]
week = "2024-W01..2024-W0{last}"
[ledger]
file = "deaths.ledger"
dataset = "deaths"
[target]
epsilon = 1
delta = 1e-6
[[query]]
name = "deaths so far"
statistic = "running_count"
group_by = ["week"]
"""
LEDGER = '[ledger]\nfile = "{}"\ndataset = "visits"\n[target]'


@attrs.frozen
class Case:
    """One command with its files.

    Parameters
    ----------
    command : str
        Its words, without arguments.
    words : tuple of str
        Its arguments.
    outputs : tuple of str
        Files and folders that it makes.
    replaces : bool
        Whether it may write over an older output of its own.
    ledger : str or None
        The ledger that it changes.
    beside : tuple of str
        What lies beside an output, and is there before it.
    again : str
        What it may say the second time, if the first had done all of its work: a pattern.
    """

    command: str
    words: tuple[str, ...] = attrs.field(converter=tuple)
    outputs: tuple[str, ...] = attrs.field(converter=tuple)
    replaces: bool = False
    ledger: str | None = None
    beside: tuple[str, ...] = attrs.field(default=(), converter=tuple, kw_only=True)
    again: str = "new or empty folder"

    @property
    def required(self) -> list[str]:
        """What is there whenever it ends with 0: what is kept to go on may not be needed."""
        return [name for name in self.outputs if name != "kept"]

    @property
    def line(self) -> tuple[str, ...]:
        """As it is typed after the program's name."""
        return (*self.command.split(), *self.words)

    @property
    def name(self) -> str:
        """For the table."""
        return f"{self.command}, ledger" if self.ledger and self.outputs else self.command


CASES = [
    Case("release", ["visits.toml", "--out", "out"], ["out"]),
    Case("release", ["charged.toml", "--out", "out"], ["out"], ledger="hospital.ledger"),
    Case(
        "release",
        ["week.toml", "--out", "out"],
        ["out"],
        ledger="deaths.ledger",
        again="new or empty folder|was not continued yet",
    ),
    Case("sign", ["unsigned", "--key", "key"], ["unsigned/certificate.json.sig"], again="signed"),
    Case("explore", ["visits.toml", "--out", "page.html"], ["page.html"], True),
    Case("dossier", ["good", "--for", "nist", "--out", "page.html"], ["page.html"], True),
    Case(
        "audit",
        [
            *("tests.cases.audited:fit", "--data", "people.csv", "--label", "sold"),
            *("--runs", "40", "--out", "page.html", "--checkpoint", "kept"),
        ],
        ["page.html", "kept"],
        True,
    ),
    Case(
        "ledger new",
        ["new.ledger", "--dataset", "visits", "--gamma", "2"],
        [],
        ledger="new.ledger",
        again="a new dataset",
    ),
    Case(
        "ledger new",
        ["hospital.ledger", "--dataset", "others", "--gamma", "2"],
        [],
        ledger="hospital.ledger",
        again="a new dataset",
    ),
    Case("ledger show", ["hospital.ledger", "--html", "page.html"], ["page.html"], True),
    Case(
        "ledger void",
        ["hospital.ledger", CHARGE, "--because", "the wrong table"],
        [],
        ledger="hospital.ledger",
        again="which is void",
    ),
    Case("rules design", ["--preset", "cms", *LISTED, "--page", "page.html"], ["page.html"], True),
    Case("rules judge", ["rules.toml", "lists.csv", "--page", "page.html"], ["page.html"], True),
    Case("gate", ["good", "--max-posterior", "1", "--page", "page.html"], ["page.html"], True),
    Case("gwas scan", ["study", "--plot", "plot.svg"], ["plot.svg"], True),
    Case("gwas scan", ["study", "--out", "scan.tsv"], ["scan.tsv"], again="Expected a new file"),
    Case(
        "gwas scan",
        ["study", "--out", "scan.tsv", "--format", "gwas-ssf"],
        ["scan.tsv"],
        again="Expected a new file",
    ),
    Case("gwas release", ["study", "--top", "1", "--gamma", "2", "--out", "out"], ["out"]),
    Case(
        "gwas release",
        [
            *("study", "--top", "1", "--epsilon", "1", "--out", "out"),
            *("--ledger", "genes.ledger", "--dataset", "cohort"),
        ],
        ["out"],
        ledger="genes.ledger",
    ),
    Case(
        "gwas frequencies",
        [
            *("study", "--all-variants", "--epsilon", "90", "--out", "out"),
            *("--ledger", "genes.ledger", "--dataset", "cohort"),
        ],
        ["out"],
        ledger="genes.ledger",
    ),
    Case(
        "gwas attack", ["study", "--reference", "other", "--out", "page.html"], ["page.html"], True
    ),
    Case(
        "gwas safe",
        ["study", "--posterior", "0.75", "--prior", "0.5", "--out", "list.txt"],
        ["list.txt"],
        again="Expected a new file",
    ),
    Case(
        "gwas safe",
        ["study", "--posterior", "0.75", "--prior", "0.5", "--page", "page.html"],
        ["page.html"],
        True,
    ),
    Case(
        "gwas simulate",
        ["--out", "made", *STUDY, "--seed", "3"],
        ["made.bed"],
        beside=["made.bim", "made.fam", "made.causal.tsv"],
        again="Expected a new file",
    ),
    Case(
        "training certify",
        [*TRAINING, "--out", "out", "--ledger", "models.ledger", "--dataset", "people"],
        ["out"],
        ledger="models.ledger",
    ),
    *(
        Case(
            f"population {name}",
            [*words, *RECORDS, *kept],
            ["records.csv", "page.html", *(["kept"] if kept else [])],
            again="a new file for --out-records",
        )
        for name, words, kept in [
            ("gaussian", [*PEOPLE, "--sigma", "1", "--delta", "0.05"], KEPT),
            ("laplace", [*PEOPLE, "--scale", "1"], KEPT),
            ("discrete-laplace", ["--query", "sum", *PEOPLE, "--scale", "1"], KEPT),
            (
                "discrete-gaussian",
                ["--query", "sum", *PEOPLE, "--scale", "1", "--delta", "0.1"],
                KEPT,
            ),
            (
                "exponential",
                [*PEOPLE, "--candidates", "column.csv", "--clip", "3", "--epsilon", "1"],
                KEPT,
            ),
            ("count", ["--ones", "2", "--population", "5", "--size", "2", "--scale", "1"], KEPT),
        ]
    ),
]
"""Every command that writes, with each option that names what is written."""


def act(words: Sequence[str], folder: Path, years: Sequence[int] = ()) -> None:
    """The program, in a folder; its clock jumps by so many years at each look, in turn."""
    os.chdir(folder)
    sys.path.insert(0, "")
    os.umask(0o022)
    tempfile.tempdir = None
    sys.argv = ["deniable", *words]
    if years:
        jump(years)
    main()


class _Jumping:
    """A clock that shows another year at each look, in turn, and goes on with the last one."""

    def __init__(self, years: Sequence[int]) -> None:
        self.offsets = [each * 365.25 * 86400 for each in years]

    def __call__(self) -> float:
        """Seconds to add to the clock."""
        return self.offsets.pop(0) if len(self.offsets) > 1 else self.offsets[0]


def jump(years: Sequence[int]) -> None:
    """Let this process's clocks jump, wherever the package looks at them."""
    jumping, now, monotonic = _Jumping(years), time.time, time.monotonic
    plain = datetime.datetime

    class Jumped(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return plain.fromtimestamp(now() + jumping(), tz)

    time.time = lambda: now() + jumping()
    time.monotonic = lambda: monotonic() + jumping()
    book.datetime = Jumped  # type: ignore[misc]  # which has the class by its name
    datetime.datetime = Jumped  # type: ignore[misc]


def program(words: Sequence[str], folder: Path) -> None:
    """Run it without a fault; what goes wrong here is wrong here."""
    process = FORKS.Process(target=act, args=(words, folder))
    process.start()
    process.join()
    if process.exitcode:
        raise AssertionError(f"{shlex.join(words)}: exit status {process.exitcode}")


def prepare(folder: Path) -> None:
    """Data, plans, ledgers, a signed release to be: all that the commands read."""
    np.savetxt(folder / "column.csv", [0, 1, 1, 3, 6, 2], fmt="%d")
    rows = [f"{i},{i % 2}" for i in range(20)]
    (folder / "people.csv").write_text("\n".join(["x,sold", *rows]), encoding="utf-8")
    (folder / "rules.toml").write_text(RULES, "utf-8")
    (folder / "lists.csv").write_text("list,published\nward,10\n", "utf-8")
    plan = write_case(folder, target="epsilon = 900", queries=FEW).read_text(encoding="utf-8")
    charged = plan.replace("[target]", LEDGER.format("hospital.ledger")).replace("900", "5")
    (folder / "charged.toml").write_text(charged, encoding="utf-8")
    days = [f"2024-01-{day:02}" for day in range(1, 22)]
    (folder / "deaths.csv").write_text("\n".join(["died", *days]), encoding="latin-1")
    (folder / "first.toml").write_text(WEEKS.format(first="", last=2), encoding="utf-8")
    after = WEEKS.format(first='continue = "before"', last=3)
    (folder / "week.toml").write_text(after, encoding="utf-8")
    for prefix, seed in (("study", "1"), ("other", "2")):
        program(["gwas", "simulate", "--out", prefix, *STUDY, "--seed", seed], folder)
    for ledger, dataset, *options in (
        ("hospital.ledger", "visits", "--epsilon", "1000", "--entity", "person"),
        ("deaths.ledger", "deaths", *MANY, "--adjacency", "add-remove"),
        ("genes.ledger", "cohort", "--epsilon", "1000", "--unit", "genotype"),
        ("models.ledger", "people", *MANY, "--adjacency", "add-remove"),
    ):
        program(["ledger", "new", ledger, "--dataset", dataset, *options], folder)
    charge_by_hand(folder / "hospital.ledger", CHARGE)
    program(["release", "first.toml", "--out", "before"], folder)
    program(["release", "visits.toml", "--out", "good"], folder)
    shutil.copytree(folder / "good", folder / "unsigned")
    make_key(folder / "key")


# --- What is compared, and what is checked, after a fault.


@attrs.frozen
class Table:
    """The files below a folder, by name: bytes and mode; of folders the mode alone."""

    files: dict[str, tuple[bytes | None, int]]

    @classmethod
    def of(cls, folder: Path) -> "Table":
        """All that is there, hidden or not; links are not followed."""
        every = sorted(folder.rglob("*"))
        return cls(
            {
                str(path.relative_to(folder)): (
                    path.read_bytes() if path.is_file() else None,
                    path.lstat().st_mode,
                )
                for path in every
            }
        )

    def below(self, name: str) -> dict[str, tuple[bytes | None, int]]:
        """One file, or a folder with all that is in it."""
        return {
            each: what
            for each, what in self.files.items()
            if each == name or each.startswith(f"{name}/")
        }


@attrs.define
class Line:
    """A line of the table: what became of a command under one fault.

    Parameters
    ----------
    command, fault : str
        Of which.
    tries : int
        Faults that came.
    stood, absent : int
        After how many the output was there, whole, or was not.
    lost : list of str
        Sentences on what is not as it has to be.
    left : Counter
        Hidden or temporary names, without their random parts, that the next run left, too.
    said : Counter
        What the faulty run said.
    next_run : Counter
        What the next run said.
    """

    command: str
    fault: str
    tries: int = 0
    stood: int = 0
    absent: int = 0
    lost: list[str] = attrs.field(factory=list)
    left: Counter = attrs.field(factory=Counter)
    said: Counter = attrs.field(factory=Counter)
    next_run: Counter = attrs.field(factory=Counter)


TEMPORARY = "temporary"
"""The folder for temporary files, below that of a try."""
_RANDOM = re.compile(r"[0-9a-f]{16,}|(?<=deniable-)[a-z0-9_]{8}|(?<=unlocked-)[a-z0-9_]{8}")


@attrs.frozen
class World:
    """A prepared folder, a place for tries, and what each case writes without a fault."""

    prepared: Path
    place: Path

    def fresh(self, case: Case, *, older: bool = False) -> Path:
        """A folder of its own for a try, with an older output or without."""
        folder = self.place / "try"
        shutil.rmtree(folder, ignore_errors=True)
        return self.fill(folder, case, older=older)

    def fill(self, folder: Path, case: Case, *, older: bool = False) -> Path:
        """The same in a folder that may be there and empty."""
        shutil.copytree(self.prepared, folder, dirs_exist_ok=True)
        (folder / TEMPORARY).mkdir()
        if older:
            for name in case.outputs:
                source = self.place / "older" / case.name / name
                if source.is_file():
                    shutil.copy(source, folder / name)
        return folder

    def run(
        self,
        case: Case,
        folder: Path,
        fault: Fault | None = None,
        *,
        years: Sequence[int] = (),
        sends: bool = False,
    ) -> Ended:
        """The command in that folder."""
        line, env = case.line, _env(folder)
        return run(folder, self.place, fault, act, line, folder, years, env=env, sends=sends)

    def keep_older(self, case: Case) -> Ended:
        """Run it without a fault once, and keep a copy of what it made, to be an older output."""
        folder = self.fresh(case)
        ended = self.run(case, folder)
        assert ended.status == 0, (case.line, ended.stderr)
        assert not any(True for _ in (folder / TEMPORARY).iterdir()), case.line
        for name in case.outputs:
            kept = self.place / "older" / case.name / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            if (folder / name).is_file():
                kept.write_bytes((folder / name).read_bytes() + b"\n")
        return ended


def _env(folder: Path) -> dict[str, str]:
    return {"TMPDIR": str(folder / TEMPORARY), "HOME": str(folder / TEMPORARY)}


def examine(case: Case, before: Table, folder: Path, ended: Ended | None) -> Iterator[str]:
    """Sentences on what a fault did that it must not do."""
    after = Table.of(folder)
    for name, what in before.files.items():
        ours = (*case.outputs, case.ledger, f"{case.ledger}-journal", TEMPORARY)
        if name.split("/")[0] not in ours and name not in ours and after.files.get(name) != what:
            yield f"{name} was changed"
    for name in case.outputs:
        old, new = before.below(name), after.below(name)
        if old and not new:
            yield f"the older {name} is gone"
        elif new and new != old:
            yield from _incomplete(folder / name)
    if case.ledger:
        yield from _uncovered(case, before, folder)
    if ended is None or ended.status < 0:
        return
    if "internal error" in ended.stderr or "Traceback" in ended.stderr:
        yield f"it ended in an internal error: {ended.stderr.strip()[-300:]}"
    if ended.status not in (0, 2):
        yield f"it ended with {ended.status}"
    if ended.status == 0 and any(not after.below(each) for each in case.required):
        yield "it ended with 0 without its output"
    if "Nothing was written" in ended.stderr and has_output(case, before, after):
        yield "it said that nothing was written, and something was"


def has_output(case: Case, before: Table, after: Table) -> bool:
    """Whether one of its outputs, other than what it keeps to go on, is new."""
    return any(
        after.below(name) and after.below(name) != before.below(name) for name in case.required
    )


def _incomplete(path: Path) -> Iterator[str]:
    """What is wrong with an output that is there."""
    if path.name == "kept":
        for part in path.rglob("*.npz"):
            try:
                with np.load(part) as arrays:
                    _ = [arrays[name] for name in arrays.files]
            except (OSError, ValueError, EOFError) as error:
                yield f"{part.name} is half: {error}"
    elif path.is_dir():
        answer = check(path)
        if not answer.holds:
            wrong = [each for each in answer.checks if not each.holds]
            yield f"{path.name} does not hold: {wrong[0].name}"
    elif path.suffix == ".html":
        if not path.read_bytes().rstrip().endswith(b"</html>"):
            yield f"{path.name} is half"
    elif path.suffix == ".svg":
        if not path.read_bytes().rstrip().endswith(b"</svg>"):
            yield f"{path.name} is half"
    elif path.suffix == ".sig":
        if not path.read_bytes().rstrip().endswith(b"-----END SSH SIGNATURE-----"):
            yield f"{path.name} is half"
    elif not path.read_bytes().endswith(b"\n") and path.suffix != ".bed":
        yield f"{path.name} is half"
    elif not path.stat().st_size:
        yield f"{path.name} is empty"


def _uncovered(case: Case, before: Table, folder: Path) -> Iterator[str]:
    """What a ledger does not say that it has to: read in a copy, for the next run finds it raw."""
    assert case.ledger is not None
    with tempfile.TemporaryDirectory() as aside:
        for path in folder.glob(f"{case.ledger}*"):
            shutil.copy(path, aside)
        place = Path(aside) / case.ledger
        if not place.exists() or (case.ledger not in before.files and not place.stat().st_size):
            if case.ledger in before.files:
                yield f"{case.ledger} is gone"
            return
        releases = [folder / each for each in case.outputs if (folder / each).is_dir()]
        old = before.files.get(case.ledger)
        if old is not None:
            former = Path(aside) / "before"
            former.write_bytes(old[0] or b"")
            yield from _forgotten(Ledger(former), Ledger(place))
        elif not _is_begun(place):
            return
        yield from covered(place, releases)


def _is_begun(place: Path) -> bool:
    """Whether a new ledger has its tables; one that has none is as good as none."""
    from deniable.errors import LedgerError

    try:
        return bool(Ledger(place).datasets())
    except LedgerError:
        return False


def _forgotten(before: Ledger, after: Ledger) -> Iterator[str]:
    """Datasets and entries that were there."""
    for each in before.datasets():
        old, new = before.entries(each.name), after.entries(each.name)
        if new[: len(old)] != old:
            yield f"entries of {each.name} are gone"


def covered(place: Path | str, releases: Sequence[Path]) -> Iterator[str]:
    """Whether a ledger holds, and was charged what these releases cost."""
    answer = check_ledger(place, releases)
    yield from (f"{each.name}: {each.finding}" for each in answer.findings if not each.holds)
    entries = [e for each in Ledger(place).datasets() for e in Ledger(place).entries(each.name)]
    charges = {each.sha256: each for each in entries if each.state is State.CHARGED}
    ended = {each.id: each.state for each in entries if each.state is not State.CHARGED}
    for each in releases:
        block = json.loads((each / CERTIFICATE).read_bytes())["ledger"]
        charge = charges.get(block["entry"])
        if charge is None or units.amount(charge.units) < Fraction(block["charged"]):
            yield f"{each.name} was not charged"
        elif ended.get(charge.id) is not State.RELEASED:
            yield f"{each.name} is not entered as released"


def strike(
    world: World, case: Case, line: Line, fault: Fault, *, older: bool = False, sends: bool = False
) -> bool:
    """One try; whether the fault came."""
    folder = world.fresh(case, older=older)
    before = Table.of(folder)
    ended = world.run(case, folder, fault, sends=sends)
    if not ended.struck:
        return False
    line.tries += 1
    where = f"{type(fault).__name__} at {int(fault)} ({ended.calls[int(fault) - 1]})"
    line.lost += [f"{where}: {each}" for each in examine(case, before, folder, ended)]
    line.said[sentence(ended)] += 1
    again(world, case, line, folder, before, where)
    return True


def again(world: World, case: Case, line: Line, folder: Path, before: Table, where: str) -> None:
    """The next run in the same folder, without a fault, and what is left then."""
    between = Table.of(folder)
    stands = has_output(case, before, between)
    if case.outputs:
        line.stood += stands
        line.absent += not stands
    ended = world.run(case, folder)
    line.lost += [f"the run after {where}: {each}" for each in examine(case, before, folder, ended)]
    line.next_run[sentence(ended)] += 1
    if ended.status and not re.search(case.again, ended.stderr):
        line.lost.append(f"the run after {where} was refused: {ended.stderr.strip()}")
    known = {*case.outputs, *case.beside, case.ledger, TEMPORARY}
    for name in Table.of(folder).files:
        top = name.split("/")[0]
        inside = [each for each in case.outputs if name.startswith(f"{each}/")]
        if name in before.files or name in known or inside or top in known - {TEMPORARY}:
            continue
        line.left[_RANDOM.sub("…", name)] += 1


def sentence(ended: Ended) -> str:
    """What a run said at last, without what differs from try to try."""
    if ended.status < 0:
        return "killed"
    lines = [each for each in ended.stderr.splitlines() if not each.startswith("For you only")]
    text = _RANDOM.sub("…", " ".join(lines))
    text = re.sub(r"/\S*/try/", "", text)
    return "done" if ended.status == 0 else text


FAULTS = {"killed": Killed, "disk full": Full, "read-only": ReadOnly}


def at_calls(world: World, case: Case, name: str, most: int, *, older: bool = False) -> Line:
    """A fault at every call that writes, or at so many of them, first and last and evenly."""
    label = f"{name}, older output" if older else name
    line = Line(case.name, label)
    folder = world.fresh(case, older=older)
    calls = len(world.run(case, folder).calls)
    numbers = range(1, calls + 1)
    if calls > most:
        numbers = sorted({1 + round(i * (calls - 1) / (most - 1)) for i in range(most)})
    for number in numbers:
        strike(world, case, line, FAULTS[name](number), older=older)
    return line


# --- A real disk that is small or read-only, clocks, and a second machine.


SPACE = (0, 4, 16, 48, 96, 160)
"""KiB that are left on a small disk: pages of 4 KiB, reports of some 50, folders of some 100."""


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """A file system in memory of its own; `LookupError` where this user may not mount."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)]
    if os.geteuid() or shutil.which("mount") is None or _called(words):
        raise LookupError("may not mount")
    try:
        yield
    finally:
        _called(["umount", str(folder)])


def _called(words: Sequence[str]) -> int:
    return subprocess.run(words, check=False, capture_output=True).returncode


def on_a_small_disk(world: World, case: Case) -> Line:
    """A file system on which so much is left, as `SPACE` says; the next run has a larger one."""
    line = Line(case.name, "small disk")
    for space in SPACE:
        folder = world.place / f"disk-{space}"
        with mounted(folder):
            world.fill(folder, case)
            used = shutil.disk_usage(folder).used // 1024
            before = Table.of(folder)
            _called(["mount", "-o", f"remount,size={used + space}k", str(folder)])
            ended = world.run(case, folder)
            _called(["mount", "-o", "remount,size=64m", str(folder)])
            line.tries += ended.status != 0
            line.lost += [f"{space} KiB: {each}" for each in examine(case, before, folder, ended)]
            if ended.status:
                again(world, case, line, folder, before, f"{space} KiB")
        folder.rmdir()
    return line


def in_a_read_only_folder(world: World, case: Case) -> Line:
    """A file system that is mounted read-only, with an older output; the next run may write."""
    line = Line(case.name, "read-only mount")
    folder = world.place / "read-only"
    with mounted(folder):
        world.fill(folder, case, older=case.replaces)
        before = Table.of(folder)
        _called(["mount", "-o", "remount,ro", str(folder)])
        ended = world.run(case, folder)
        line.tries += 1
        if not ended.status:
            line.lost.append("it ended with 0 where nothing can be written")
        line.lost += [f"read-only: {each}" for each in examine(case, before, folder, ended)]
        if Table.of(folder) != before:
            line.lost.append("something was written")
        _called(["mount", "-o", "remount,rw", str(folder)])
        again(world, case, line, folder, before, "read-only")
    folder.rmdir()
    return line


JUMPS = ((100,), (-1,), (100, -1), (0, 0, 0, -30, 0, 70))
"""Years by which the clock is wrong: at each look another one, and from then on the last."""


def with_jumps(world: World, case: Case) -> Line:
    """A clock that is wrong, or jumps within a run; the next run has the right one."""
    line = Line(case.name, "clock jumps")
    for years in JUMPS:
        folder = world.fresh(case)
        before = Table.of(folder)
        ended = world.run(case, folder, years=years)
        line.tries += 1
        if ended.status:
            line.lost.append(f"{years} years: {ended.stderr.strip()}")
        line.lost += [f"{years} years: {each}" for each in examine(case, before, folder, ended)]
        again(world, case, line, folder, before, f"{years} years")
    return line


def beside_another(
    world: World, case: Case, fault: type[Killed | CutOff], number: int, url: str | None = None
) -> tuple[bool, list[str]]:
    """Two machines at one ledger, one with a fault at its n-th call or message.

    Whether the fault came, and what is wrong then. A ledger in a file lies in a folder of both.
    """
    sides = [world.place / name for name in ("one", "other")]
    for folder in sides:
        shutil.rmtree(folder, ignore_errors=True)
        world.fill(folder, case)
    place: Path | str = world.place / "shared.ledger"
    if url is None:
        shutil.copy(world.prepared / "hospital.ledger", place)
    else:
        place = url
    text = (sides[0] / "charged.toml").read_text(encoding="utf-8")
    key = f'file = "{place}"' if url is None else f'url = "{place}"'
    for folder in sides:
        plan = text.replace('file = "hospital.ledger"', key)
        (folder / "charged.toml").write_text(plan, encoding="utf-8")
    said = [world.place / f"said by {folder.name}" for folder in sides]
    for each in said:
        each.mkdir(exist_ok=True)
        for name in ("stdout", "stderr"):
            (each / name).write_bytes(b"")
    env = [_env(folder) for folder in sides]
    old = Ledger(place).entries("visits")
    words = case.line
    root = world.place if url is None else sides[0]
    other = FORKS.Process(target=act_alone, args=(words, sides[1], said[1], env[1]))
    sends = url is not None
    with Watched(
        root, said[0], fault(number), act, words, sides[0], env=env[0], sends=sends
    ) as one:
        other.start()
        ended = one.end()
    other.join()
    wrong = [] if other.exitcode == 0 else [f"the other ended with {other.exitcode}"]
    new = Ledger(place).entries("visits")
    if new[: len(old)] != old:
        wrong.append("entries are gone")
    releases = [folder / "out" for folder in sides if (folder / "out").exists()]
    wrong += [f"{each} does not hold" for each in releases if not check(each).holds]
    wrong += covered(place, releases)
    if ended.status > 0 and ("internal error" in ended.stderr or "Traceback" in ended.stderr):
        wrong.append(ended.stderr.strip())
    return ended.struck, [f"{fault.__name__} at {number}: {each}" for each in wrong]


def act_alone(words: Sequence[str], folder: Path, said: Path, env: dict[str, str]) -> None:
    """The same program where nobody watches."""
    as_a_program([said / "stdout", said / "stderr"], env, act, words, folder)


def two_machines(world: World, case: Case, fault: type[Killed | CutOff], url: str | None) -> Line:
    """A fault at each call, or message to the server, of the one, while the other releases."""
    store = "file" if url is None else "PostgreSQL"
    word = "killed" if fault is Killed else "cut off"
    line = Line(case.name, f"two machines, {store}, one {word}")
    for number in range(1, 200, 4):
        struck, wrong = beside_another(world, case, fault, number, url)
        line.tries += struck
        line.lost += wrong
        if not struck:
            break
    return line


# --- By hand: all of it, as a table.


def lines(world: World, case: Case, most: int) -> Iterator[Line]:
    """A case under every fault that its files can have."""
    world.keep_older(case)
    for name in FAULTS:
        for older in (False, True) if case.replaces else (False,):
            yield at_calls(world, case, name, most, older=older)
    with suppress(LookupError):
        yield on_a_small_disk(world, case)
        yield in_a_read_only_folder(world, case)
    yield with_jumps(world, case)


def as_rows(every: Sequence[Line]) -> Iterator[str]:
    """The lines of a table in Markdown: of a command and a fault one."""
    yield "| command | fault | tries | output whole | not there | lost | the next run said |"
    yield "|---|---|---|---|---|---|---|"
    for each in every:
        said = "; ".join(f"{_short(text)} ({n})" for text, n in each.next_run.most_common())
        outputs = f"{each.stood} | {each.absent}" if each.stood + each.absent else "| "
        first = f"| `{each.command}` | {each.fault} | {each.tries} | {outputs} "
        yield f"{first}| {len(each.lost)} | {said} |"


def _short(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:88]} …"


def together(every: Sequence[Line]) -> list[Line]:
    """Lines of one command and one fault as one, whatever the arguments."""
    table: dict[tuple[str, str], Line] = {}
    for each in every:
        key = each.command, each.fault.removesuffix(", older output")
        line = table.setdefault(key, Line(*key))
        line.tries += each.tries
        line.stood += each.stood
        line.absent += each.absent
        line.lost += each.lost
        line.next_run += each.next_run
        line.left += each.left
    return list(table.values())


def by_hand(words: Sequence[str]) -> int:
    """Run everything, or the commands that are named; 1 if anything was lost."""
    most = int(words[0]) if words and words[0].isdigit() else 10**6
    wanted = [each for each in words if not each.isdigit()]
    every: list[Line] = []
    FORKS.set_forkserver_preload(["tests.cases.faults", "tests.cases.preloaded"])
    with tempfile.TemporaryDirectory() as folder:
        prepared, place = Path(folder) / "prepared", Path(folder) / "tries"
        prepared.mkdir()
        place.mkdir()
        prepare(prepared)
        world = World(prepared, place)
        for case in CASES:
            if not wanted or case.command in wanted:
                for line in lines(world, case, most):
                    every.append(line)
                    print(*as_rows([line]), sep="\n", file=sys.stderr, flush=True)
                    print(*line.lost, sep="\n", file=sys.stderr, flush=True)
        if not wanted or "two machines" in wanted:
            for line in _machines(world):
                every.append(line)
                print(*as_rows([line]), *line.lost, sep="\n", file=sys.stderr, flush=True)
    print(*as_rows(together(every)), sep="\n")
    print(f"\n{sum(each.tries for each in every)} faults.")
    return int(any(each.lost for each in every))


def _machines(world: World) -> Iterator[Line]:
    case = next(each for each in CASES if each.name == "release, ledger")
    yield two_machines(world, case, Killed, None)
    if find("initdb") is None:
        return
    with server() as running:
        url = running.database("faults")
        new = ["ledger", "new", url, "--dataset", "visits", "--epsilon", "1000"]
        program([*new, "--entity", "person"], world.place)
        yield two_machines(world, case, Killed, url)
        yield two_machines(world, case, CutOff, url)
