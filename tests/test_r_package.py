"""The R package: R's own checks, its tests against this program, and the guide as it is typed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import deniable
from tests.cases.forked_program import forked_program
from tests.cases.left_out import left_out
from tests.cases.programs import OPTIONAL, need

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "r"
GUIDE = ROOT / "docs" / "how-to" / "use-it-from-r.md"
NOISE = """
cat("noise of a profile\\n"); message("more of it")
options(OutDec = ",", scipen = -9, digits = 3, warn = 2, width = 60)
"""
"""A profile of R that prints, and changes how numbers are written."""
PLANS = [
    *(
        block
        for page in sorted((ROOT / "docs").rglob("*.md"))
        for block in re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.S)
        if "[[query]]" in block and "…" not in block and "[data.csv]" not in block
    ),
    *(path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.toml"))),
    '[data]\n"entity" = \'ä "b"\'\ntypes.age = "text" # [data]\n[[query]]\ncolumn = "\\u0061ge"\n',
    '[data.types]\nage = "text"\n\n[report]\ntext = """\n[data]\nsource = "x"\n"""\n',
    "data.entity = \"age\"\n[target]\ngamma = 2.0\nnote = '''[data]'''\n",
    '[data]\ntypes = { "age" = "integer" }\nnulls = ["", "]"]\n[limits]\nrows_per_entity = 1',
]
COLUMNS = {
    "age": "integer", "person": "text", 'ä "b"': "text", "days": "number", "ward": "text",
    "admitted": "date", "visits": "integer", "ä\r\n#": "number",
}  # fmt: skip
MADE = """
for (file in list.files(file.path(PACKAGE, "R"), full.names = TRUE)) source(file)
given <- jsonlite::fromJSON("given.json", simplifyVector = FALSE)
makers <- list(integer = 1L, text = "", number = 1, date = Sys.Date())
data <- structure(makers[unlist(given$columns)], names = names(given$columns), class = "data.frame",
                  row.names = 1L)
for (i in seq_along(given$plans)) {
  folder <- as.character(i)
  dir.create(folder)
  plan <- list(text = to_utf8(given$plans[[i]]), folder = "/here", name = "plan.toml")
  hand_over(data, plan, folder)
}
texts <- c(unlist(given$texts), "M\\xfcller", "\\xff")
Encoding(texts)[length(texts) - 1] <- "latin1"
numbers <- data.frame(x = c(0.1, 1e15, NA), y = c(1L, 100000L, 3L))
write_data(numbers, "n.csv", c(x = "number", y = "integer"), "")
write_data(data.frame(t = texts), "t.csv", c(t = "text"), "")
"""


def run(command, folder, **environment):
    """What a command of R prints; it must succeed."""
    environment = {**os.environ, "R_PROFILE_USER": os.devnull, **environment}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout[-9000:] + done.stderr[-3000:]
    return done.stdout


def has(package):
    """Whether R finds a package."""
    words = ["Rscript", "--vanilla", "-e", f"loadNamespace('{package}')"]
    return subprocess.run(words, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def r():
    """R with the packages that ours needs."""
    program = need("R")
    for package in ("processx", "jsonlite", "testthat"):
        if not has(package):
            left_out("R", f"{package} not found: apt install {OPTIONAL['R'][1]}")
    return program


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    path = tmp_path_factory.mktemp("profile") / "noise.R"
    path.write_text(NOISE)
    return str(path)


@pytest.fixture(scope="module")
def checked(r, tmp_path_factory):
    """The folder of R CMD check: its log, and the package as it was installed."""
    folder = tmp_path_factory.mktemp("a package")
    run([r, "CMD", "build", "--no-build-vignettes", str(PACKAGE)], folder)
    (archive,) = folder.glob("deniable_*.tar.gz")
    assert archive.stat().st_size < 100_000
    # CRAN's table of packages, empty: a check fetches it where a suggested package is missing.
    none = folder / "web" / "packages"
    none.mkdir(parents=True)
    table = "data.frame(Package = character(), Maintainer = character())"
    run([r, "--slave", "-e", f"saveRDS({table}, 'packages.rds')"], none)
    quiet = {
        "R_CRAN_WEB": f"file://{folder}",
        "_R_CHECK_CRAN_INCOMING_": "false",  # asks a server
        "_R_CHECK_SYSTEM_CLOCK_": "0",  # asks another
        "_R_CHECK_FORCE_SUGGESTS_": "false",
    }
    with forked_program(folder) as program:
        run(
            [r, "CMD", "check", "--as-cran", "--no-manual", archive.name], folder,
            DENIABLE=program, OPENBLAS_NUM_THREADS="1", **quiet,
        )  # fmt: skip
    return folder / "deniable.Rcheck"


def test_the_version_is_that_of_the_program():
    described = (PACKAGE / "DESCRIPTION").read_text("utf-8")
    assert f"\nVersion: {deniable.__version__}\n" in described


def test_r_finds_nothing_to_say(checked):
    log = (checked / "00check.log").read_text("utf-8")
    missing = "Packages suggested but not available for checking:"
    said = re.findall(r"\.\.\. (?:NOTE|WARNING|ERROR)\n(.*)", log)
    assert [each for each in said if not each.startswith(missing)] == [], log[-3000:]
    assert re.search(r"Status: (?:OK|1 NOTE)\s*$", log)
    assert "SKIP 0" in (checked / "tests" / "testthat.Rout").read_text("utf-8") or not has("haven")


@pytest.mark.usefixtures("r")
def test_plans_are_changed_as_toml_is_read(tmp_path, profile):
    """Also in a C locale, and with a profile that writes numbers its own way."""
    texts = ["a", 'a"b,\n', "ä€", " x ", "NA", "=1+1", "\t", "😀"]
    given = {"plans": [], "columns": COLUMNS, "texts": texts}
    for plan in PLANS:
        has_source = "source" in tomllib.loads(plan).get("data", {})
        memory = re.sub(r"(?m)^source = .*\n", "source = 'memory' # here\n", plan, count=1)
        given["plans"].append(memory if has_source else plan)
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "make.R").write_text(f"PACKAGE <- {json.dumps(str(PACKAGE))}\n{MADE}", "utf-8")
    run(
        ["Rscript", "--no-save", "make.R"],
        tmp_path,
        R_PROFILE_USER=profile,
        LC_ALL="C",
        LANGUAGE="en",
    )
    assert len(PLANS) > 20
    for number, plan in enumerate(PLANS, start=1):
        made = (tmp_path / str(number) / "plan.toml").read_text("utf-8")
        before, after = tomllib.loads(plan), tomllib.loads(made)
        data = after["data"]
        assert data.pop("source") == "data.csv"
        said = json.dumps(before, ensure_ascii=False, default=str)
        declared = before.setdefault("data", {}).get("types", {})
        before["data"].pop("source", None)
        added = {name: kind for name, kind in data.pop("types", {}).items() if name not in declared}
        named = {name for name in COLUMNS if json.dumps(name, ensure_ascii=False) in said}
        assert added == {name: COLUMNS[name] for name in named - declared.keys()}, plan
        before["data"].pop("types", None)
        assert _without_files(after) == _without_files(before)
    assert (
        tmp_path / "n.csv"
    ).read_text() == '"x","y"\n"0.10000000000000001","1"\n"1000000000000000","100000"\n"","3"\n'
    quoted = [
        f'"{text}"'.encode() for text in ["t", *(t.replace('"', '""') for t in texts), "Müller"]
    ]
    assert (tmp_path / "t.csv").read_bytes() == b"\n".join([*quoted, b'"\xff"', b""])


def _without_files(plan):
    """A plan without the names of files, which became absolute."""
    if isinstance(plan, dict):
        return {
            key: _without_files(value)
            for key, value in plan.items()
            if key not in ("file", "population")
        }
    return [_without_files(each) for each in plan] if isinstance(plan, list) else plan


def test_the_guide_prints_what_it_shows(checked, tmp_path, profile):
    """Typed by somebody whose temporary folder has a blank in its name."""
    page = GUIDE.read_text("utf-8")
    (tmp_path / "infert.toml").write_text(re.search(r"```toml\n(.*?)```", page, re.S)[1], "utf-8")
    code = "\n".join(re.findall(r"```r\n(.*?)```", page, re.S))
    assert re.search(r"```r\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.S)[1] in code
    (tmp_path / "guide.R").write_text(code, "utf-8")
    (tmp_path / "a folder").mkdir()
    words = [
        "Rscript",
        "--no-save",
        "-e",
        "pdf(NULL); source('guide.R', echo = TRUE, encoding = 'UTF-8')",
    ]
    with forked_program(tmp_path) as program:
        printed = run(
            words, tmp_path, R_LIBS=str(checked), R_PROFILE_USER=profile, LC_ALL="C.UTF-8",
            TMPDIR=str(tmp_path / "a folder"), DENIABLE=program,
        )  # fmt: skip
    # R itself leaves its session's folder where TMPDIR has a blank (findings/).
    assert not list((tmp_path / "a folder").rglob("deniable-*"))
    assert '[1] "pure-dp:0.75"' in printed
    lines = {_form(line) for line in printed.replace(f"{tmp_path}/", "").splitlines()}
    for block in re.findall(r"```text\n(.*?)```", page, re.S):
        assert {_form(line) for line in block.splitlines()} <= lines, printed


def test_r_runs_the_program_as_it_is_installed(checked, tmp_path):
    words = ["Rscript", "-e", "cat(deniable::dn_explain(epsilon = 1)$gamma)"]
    program = str(Path(sys.executable).with_name("deniable"))
    printed = run(words, tmp_path, R_LIBS=str(checked), DENIABLE=program)
    assert float(printed) == pytest.approx(deniable.explain(1.0).gamma, rel=1e-6)


def _form(line):
    """A line without its spaces, and without the numbers where noise is."""
    words = line.split()
    if line.startswith((" women", " mean", "           mean")):
        words = [word for word in words if not re.fullmatch(r"-?[\d.,e+-]+|NA|<NA>", word)]
    return " ".join(words)


@pytest.mark.usefixtures("r")
def test_manual_pages_follow_from_the_comments(tmp_path):
    if not has("roxygen2"):
        pytest.skip("roxygen2 not found: apt install r-cran-roxygen2, to change the manual pages")
    copy = tmp_path / "r"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("man", "tests"))
    (copy / "man").mkdir()
    words = "roxygen2::roxygenise('r', load_code = roxygen2::load_source)"
    run(["Rscript", "--vanilla", "-e", words], tmp_path)
    for place in ("NAMESPACE", *(f"man/{path.name}" for path in (PACKAGE / "man").iterdir())):
        assert (copy / place).read_text("utf-8") == (PACKAGE / place).read_text("utf-8"), place
    assert len(list((copy / "man").iterdir())) == len(list((PACKAGE / "man").iterdir()))
