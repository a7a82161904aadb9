"""Whether this tree could be released, as far as that can be said offline: `make release-check`.

One line a check, on standard output; the exit status is 1 where one failed. Names of checks as
arguments choose some of them. Nothing is fetched: the wheel is installed without its dependencies,
which it finds among those of the environment that runs this.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml

from distribution.descriptions import ROOT, citation, descriptions, project, repository
from distribution.inventory import OUT as INVENTORY
from distribution.inventory import bill_of_materials, pinned
from distribution.man_pages import OUT as MAN
from distribution.man_pages import man_pages

PAPER_WORDS = (250, 1000)
"""What the Journal of Open Source Software asks of a paper's text."""


def main(names: list[str]) -> int:
    """Run the checks of these names, or all, each to its end; 0 where all hold."""
    failed = 0
    for check in [each for each in CHECKS if not names or each.__name__ in names]:
        try:
            print(f"ok      {check()}")
        except Exception as error:
            failed += 1
            print(f"failed  {check.__name__}: {error}")
    return 1 if failed else 0


def versions_agree() -> str:
    """The version of the package, of CITATION.cff and of the changelog."""
    version = project()["version"]
    _expect("version of CITATION.cff", version, citation()["version"])
    headings = re.findall(r"^## (.+)$", _text("CHANGELOG.md"), re.M)
    _expect("first heading of CHANGELOG.md", "Unreleased", headings[0])
    return f"version {version} stands where it should"


def pythons_agree() -> str:
    """The interpreters that pyproject.toml, Makefile, README and the workflow name."""
    low, high = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project()["requires-python"]).groups()  # type: ignore[union-attr]
    wanted = [f"3.{minor}" for minor in range(int(low), int(high))]
    classifiers = project()["classifiers"]
    named = [each.rsplit(" ", 1)[1] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    _expect("classifiers", wanted, named)
    span = f"Python {wanted[0]} to {wanted[-1]}"
    for path in ("README.md", "Makefile", "CONTRIBUTING.md"):
        if span not in _text(path):
            raise ValueError(f"Expected {span!r} in {path}, got none.")
    jobs = yaml.safe_load(_text(".github/workflows/tests.yml"))["jobs"]
    tested = [
        *(step["with"]["python-version"] for step in jobs["all"]["steps"] if "with" in step),
        *jobs["interpreters"]["strategy"]["matrix"]["python"],
    ]
    _expect("interpreters of the workflow", wanted, tested)
    return f"{span} is what is promised and what the workflow tests"


def descriptions_are_current() -> str:
    """What registries read follows from pyproject.toml and CITATION.cff as they are."""
    for path, text in descriptions().items():
        _expect(f"{path} (python -m distribution.descriptions)", text, _text(path))
    place = (
        repository()
        or "no address yet: set `repository` in pyproject.toml before the first release"
    )
    return f"{', '.join(descriptions())} follow from the tree; {place}"


def inventory_is_whole() -> str:
    """Every dependency of the package is among what the lock pins; the inventory is written."""
    lock = _text("requirements.lock")
    names = {re.sub(r"[-_.]+", "-", name).lower() for name, _, _ in pinned(lock)}
    wanted = [*project()["dependencies"], *project()["optional-dependencies"]["publish"]]
    missing = [each for each in wanted if re.split(r"[\[<>=!~ ]", each)[0].lower() not in names]
    _expect("dependencies that the lock lacks", [], missing)
    INVENTORY.parent.mkdir(exist_ok=True)
    INVENTORY.write_text(json.dumps(bill_of_materials(lock), indent=1) + "\n", encoding="utf-8")
    return f"{INVENTORY.relative_to(ROOT)} lists {len(names)} packages"


def man_pages_can_be_read() -> str:
    """Every command has a page, which groff reads without a warning where it is installed."""
    MAN.mkdir(parents=True, exist_ok=True)
    pages = man_pages()
    groff = shutil.which("groff")
    for name, text in pages.items():
        (MAN / f"{name}.1").write_text(text, encoding="utf-8")
        if groff is not None:
            words = [groff, "-K", "utf8", "-ww", "-man", "-z", str(MAN / f"{name}.1")]
            _expect(
                f"warnings of {name}.1",
                "",
                subprocess.run(words, capture_output=True, text=True).stderr,
            )
    return f"{len(pages)} man pages" + ("" if groff else ", which no groff looked at")


def workflows_can_be_read() -> str:
    """Workflows and the container's file name what is in the tree, and publish without a token."""
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"make ([\w-]+)", "\n".join(_steps(yaml.safe_load(text)))):
            if not re.search(rf"^{target}:", _text("Makefile"), re.M):
                raise ValueError(
                    f"Expected a target of the Makefile in {path.name}, got {target!r}."
                )
    publish = yaml.safe_load(_text(".github/workflows/publish.yml"))
    _expect(
        "rights of publishing", {"id-token": "write"}, publish["jobs"]["publish"]["permissions"]
    )
    if "secrets." in _text(".github/workflows/publish.yml"):
        raise ValueError("Expected publishing without a token, got one in publish.yml.")
    for line in re.findall(
        r"^COPY (?:--\S+ )?(.+) \S+$", _text("distribution/Containerfile"), re.M
    ):
        missing = [name for name in line.split() if not (ROOT / name).exists()]
        _expect("files of the container that are not in the tree", [], missing)
    return "workflows and the container's file name what there is"


def _steps(workflow: dict[str, dict[str, dict[str, list[dict[str, str]]]]]) -> list[str]:
    return [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]


def paper_keeps_its_form() -> str:
    """Length, sections and references of the paper; each key is one of the bibliography."""
    _, _, text = _text("paper/paper.md").split("---\n", 2)
    body = text.split("# References")[0]
    words = len(body.split())
    low, high = PAPER_WORDS
    if not low <= words <= high:
        raise ValueError(f"Expected {low} to {high} words in paper/paper.md, got {words}.")
    cited = set(re.findall(r"@([\w-]+)", body))
    listed = set(re.findall(r"^@\w+\{([\w-]+),", _text("paper/paper.bib"), re.M))
    _expect("references of the paper", sorted(cited), sorted(listed))
    known = set(re.findall(r"^## (\S+)$", _text("docs/reference/bibliography.md"), re.M))
    _expect("references that the bibliography lacks", [], sorted(cited - known))
    return f"the paper has {words} words and {len(cited)} references"


def wheel_works_alone() -> str:
    """The wheel releases and checks from an environment that does not see the tree."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = _build(Path(folder))
        environment = Path(folder) / "environment"
        _run([sys.executable, "-m", "venv", "--without-pip", str(environment)], folder)
        python = str(environment / "bin" / "python")
        install = ["install", "-qq", "--no-index", "--no-deps", "--no-compile", str(wheel)]
        _run([sys.executable, "-m", "pip", "--python", python, *install], folder)
        (site,) = environment.glob("lib/python*/site-packages")
        dependencies = sysconfig.get_path("purelib")
        (site / "tested.pth").write_text(f"{dependencies}\n", encoding="utf-8")
        where = _run([python, "-c", "import deniable; print(deniable.__file__)"], folder)
        if not where.startswith(str(environment)):
            raise ValueError("Expected the installed package, got the one of the tree.")
        _release(environment / "bin" / "deniable", Path(folder))
    return f"the wheel {wheel.name} releases and checks by itself"


def _build(folder: Path) -> Path:
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _release(deniable: Path, folder: Path) -> None:
    """The README's table and plan, from a plan to a check."""
    (table,) = re.findall(r"```csv\n(.*?)```", _text("README.md"), re.S)
    (plan,) = re.findall(r"```toml\n(.*?)```", _text("README.md"), re.S)
    (folder / "visits.csv").write_text(table, encoding="utf-8")
    (folder / "visits.toml").write_text(plan, encoding="utf-8")
    for words in (["release", "visits.toml", "--out", "published"], ["check", "published"]):
        _run([str(deniable), *words], folder)


def _run(words: list[str], folder: Path | str) -> str:
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(words, cwd=folder, env=inherited, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"Expected {' '.join(words[:4])} … to succeed, got {done.stderr[-500:]}")
    return done.stdout.strip()


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _expect(what: str, wanted: object, got: object) -> None:
    if wanted != got:
        raise ValueError(f"Expected {what} to be {str(wanted)[:200]!r}, got {str(got)[:200]!r}.")


CHECKS: tuple[Callable[[], str], ...] = (
    versions_agree,
    pythons_agree,
    descriptions_are_current,
    inventory_is_whole,
    man_pages_can_be_read,
    workflows_can_be_read,
    paper_keeps_its_form,
    wheel_works_alone,
)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
