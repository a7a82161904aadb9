"""What README and docs show of the command line is what it prints; links lead somewhere."""

import functools
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.notions.notation import FORMS
from docs import households
from docs.picture import PICTURE, picture
from tests.cases.command_line import app
from tests.cases.markdown_pages import dead_links, inline, listed, parse_pages

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
NEEDS_NO_DATA = (
    "calibrate",
    "derive",
    "explain",
    "risk pure-dp:1.0",
    "risk zcdp:0.05",
    "rules compare",
    "rules design",
    "verify",
)


def shown() -> list[tuple[str, str]]:
    """Commands with the output that a page prints under them, where no file is needed.

    What `python docs/commands.py` writes below a mark is compared by `test_command_reference`.
    """
    return [
        (command, output)
        for page in PAGES
        for block in re.findall(
            r"(?<! -->\n\n)```console\n(.*?)```", page.read_text(encoding="utf-8"), re.S
        )
        for command, output in re.findall(r"^\$ (.+)\n((?:[^$].*\n)*)", block, re.M)
        if command.startswith(tuple(f"deniable {word} " for word in NEEDS_NO_DATA))
    ]


def saved(text: str) -> list[tuple[str, str]]:
    """Files that a page tells the reader to save, each named in the sentence before its text."""
    return re.findall(
        r"[Ss]ave\s(?:this|that\s\w+)\sas\s`([\w-]+\.json)`:\n\n```json\n(.*?)```", text, re.S
    )


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A folder that holds what the pages tell the reader to save."""
    for page in PAGES:
        for name, text in saved(page.read_text(encoding="utf-8")):
            (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "output"), shown())
@pytest.mark.usefixtures("reader")
def test_a_shown_command_prints_what_is_shown(command, output):
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert (result.exit_code, result.output) == (0, output)


def test_the_readme_works_as_typed_in_a_new_folder(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, block in re.findall(
        r"[Ss]aved? (?:it )?as `([\w.]+)`.*?```\w+\n(.*?)```", text, re.S
    ):
        (tmp_path / name).write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    lines = [line for block in blocks for line in re.findall(r"^\$ deniable (.+)$", block, re.M)]
    assert {line.split()[0] for line in lines} >= {"plan", "preview", "release", "check", "new"}
    for line in lines:
        words, _, file = line.partition("#")[0].partition(">")
        result = CliRunner().invoke(app, shlex.split(words))
        assert result.exit_code == 0, line
        for said in result.stderr.splitlines():  # of three rows next to nothing can be told
            assert said.startswith("For you only, not for publication: "), line
        if file:
            (tmp_path / file.strip()).write_text(result.stdout, encoding="utf-8")
    written = {path.name for path in (tmp_path / "published").iterdir()}
    assert written >= {"results.csv", "certificate.json", "report.html"}


def test_every_extra_in_the_readme_is_there():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r'"\.\[(\w+)\]"', text))
    assert named == set(declared["optional-dependencies"]) - {"dev", "examples"}


@pytest.fixture(scope="module")
def pages():
    return parse_pages()


def test_every_link_leads_somewhere(pages):
    assert dead_links(pages) == []


def test_every_picture_says_in_words_what_it_shows(pages):
    pictures = [x for tokens in pages.values() for x in inline(tokens, "image")]
    assert len(pictures) >= 15
    assert [x.attrs["src"] for x in pictures if len(x.content) < 80] == []


def test_the_front_page_shows_what_explain_draws():
    """If it draws another thing now: `python docs/picture.py`."""
    assert PICTURE.read_text(encoding="utf-8") == picture()


def test_the_page_about_households_shows_what_the_theorems_give():
    """If they give another thing now: `python docs/households.py`."""
    assert households.PAGE.read_text(encoding="utf-8") == households.page()
    assert households.PICTURE.read_text(encoding="utf-8") == households.picture()


def test_every_page_stands_in_one_table_of_contents(pages):
    front = ROOT / "docs" / "index.md"
    contents = [(page.parent / to).resolve() for page, x in pages.items() for to in listed(page, x)]
    assert sorted({to for to in contents if contents.count(to) > 1}) == []
    documents = {page for page in pages if page.is_relative_to(ROOT / "docs")} - {front}
    assert documents - set(contents) == set()
    assert [to for to in contents if not to.exists()] == []


def test_the_front_page_leads_to_every_guide(pages):
    front = ROOT / "docs" / "index.md"
    linked = {str(x.attrs["href"]) for x in inline(pages[front], "link_open")}
    guides = {
        f"{folder}/{page.name}"
        for folder in ("tutorials", "how-to")
        for page in (ROOT / "docs" / folder).glob("*.md")
        if page.stem != "index"
    }
    assert guides <= linked


def test_every_decision_has_a_number_of_its_own():
    pages = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    titles = [re.match(r"# (\d+)\. ", page.read_text(encoding="utf-8")) for page in pages]
    numbers = [int(page.name[:4]) for page in pages]
    assert [title and int(title[1]) for title in titles] == numbers
    # Pages in the making reserve numbers, so that some may be free.
    assert len(set(numbers)) == len(numbers)
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for page, title in zip(pages, titles, strict=True):
        heading = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert listed.count(f"- [{heading}]({page.name})") == 1, title


FOLDERS = (
    "src",
    "docs",
    "tests",
    "benchmarks",
    "examples",
    "reproductions",
    "distribution",
    "second_checker",
)
FILES = [
    f"/{path.relative_to(ROOT)}"
    for path in [*ROOT.glob("*"), *(p for f in FOLDERS for p in (ROOT / f).rglob("*"))]
    if path.suffix in {".md", ".py"}
]


def cited_files(path: Path) -> set[str]:
    """Documents and modules that a file names, without the folders that lead up from it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":  # a program names its own files in strings of code
        text = "\n".join(re.findall(r'r?""".*?"""|#.*', text, re.S))
    names = re.findall(r"(?<![\w*{}<>/.-])[\w./-]*\w\.(?:md|py)\b(?!\.\w)", text)
    return {name.removeprefix("src/deniable/").lstrip("./") for name in names}


def test_a_file_that_is_named_is_in_the_tree():
    sources = [path for folder in ("src", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    missing = {
        (str(path.relative_to(ROOT)), name)
        for path in [*PAGES, *sources]
        for name in cited_files(path)
        if not any(file.endswith("/" + name) for file in FILES)
    }
    assert missing == set()


def public_paths(page: Path) -> Iterator[str]:
    """Every dotted name that begins with the package's."""
    text = page.read_text(encoding="utf-8")
    return (found[0] for found in re.finditer(r"(?<![\w./-])deniable(?:\.[A-Za-z_]\w*)+", text))


@functools.cache
def groups() -> set[str]:
    """The groups of entry points, for which every distribution is read."""
    return set(entry_points().groups)


def resolves(path: str) -> bool:
    """Whether it is a group of entry points, a module, or what a module holds."""
    words = path.split(".")
    if path in groups():
        return True
    value = importlib.import_module(words[0])
    for last, word in enumerate(words[1:], start=2):
        try:
            value = getattr(value, word)
        except AttributeError:
            try:
                value = importlib.import_module(".".join(words[:last]))
            except ModuleNotFoundError:
                return False
    return True


def test_a_name_of_the_package_in_a_document_is_there():
    named = {(page.name, path) for page in PAGES for path in public_paths(page)}
    missing = {path for path in dict(map(reversed, named)) if not resolves(path)}
    assert {(page, path) for page, path in named if path in missing} == set()


def test_the_glossary_explains_every_label():
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| `([\w-]+):[^`]*` \|", text, re.M)
    assert sorted(explained) == sorted(form.word for form in FORMS)


@pytest.mark.parametrize(
    ("package", "page"),
    [
        ("real_sums", "how-real-sums-are-enclosed.md"),
        ("integer_sums", "how-whole-sums-are-enclosed.md"),
        ("vector_sums", "hidden-in-a-crowd.md"),
    ],
)
def test_a_page_of_mathematics_names_every_file_of_its_package(package, page):
    text = (ROOT / "docs" / "explanation" / page).read_text(encoding="utf-8")
    files = (ROOT / "src" / "deniable" / "population" / package).glob("*.py")
    assert [path.name for path in files if path.stem != "__init__" and path.name not in text] == []


ARCHITECTURE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")


def test_the_page_of_the_architecture_names_every_package():
    package = ROOT / "src" / "deniable"
    packages = {path.parent.relative_to(package) for path in package.rglob("__init__.py")}
    named = re.findall(r"^\|.*`([\w/]+)/`", ARCHITECTURE, re.M)
    assert sorted(named) == sorted(str(each) for each in packages if str(each) != ".")


def test_the_page_of_the_architecture_shows_the_layers_that_imports_keep_to():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    shared = [[each for each in layer.split(" | ") if each[0] != "_"] for layer in layers]
    (shown,) = re.findall(r"```text\n(.*?)```", ARCHITECTURE, re.S)
    assert [line.split(" | ") for line in shown.splitlines()] == [
        layer for layer in shared if layer
    ]
