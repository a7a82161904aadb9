"""The airlock: what passes, what a person must look at, and that nothing passes wrongly."""

import json
import random
from fractions import Fraction

import pytest
from click.testing import CliRunner

import deniable
from deniable.errors import InvalidArgument
from tests.cases.command_line import app
from tests.cases.effort import usual
from tests.cases.refusals import refuses
from tests.cases.release_case import write_case
from tests.oracles import editions

LIMIT = Fraction(3, 4)
HOSTILE = "<img src=x onerror=y>&\u202e.csv"
TABLES = 24


def tables_in(folder, seed, more=""):
    """Random tables of one to three lists, each with a total or not, under one file of rules."""
    draw = random.Random(seed)
    text, truth = [], {}
    hide, base = draw.choice([((1, 3), None), (None, 5), ((1, 2), 3), (None, 3)])
    for number in range(TABLES):
        sizes = [draw.randint(3, 6) for _ in range(draw.choice([1, 2]))]
        total = draw.choice(["exact", "independent"]) if len(sizes) > 1 else "none"
        names = [f"t{number}-{place}" for place in range(len(sizes))]
        counts = [draw.randint(0, size) for size in sizes]
        table = editions.printed(counts, (hide, base), total)
        ways = [[(size, 0, 0) for size in sizes]]
        half = (Fraction(1, 2), Fraction(1, 2))
        beliefs = editions.beliefs(ways, ((hide, base),) * 2, (total, "none"), (table, None), half)
        truth[f"t{number}.csv"] = max(high for _, high in beliefs.values())
        text += [f'[[list]]\nname = "{n}"\nsize = {s}' for n, s in zip(names, sizes, strict=True)]
        text.append(f'[[table]]\nname = "t{number}"\nlists = {names}\ntotal = "{total}"')
        rows = zip([*names, "total"], table, strict=False)
        lines = ["list,n", *(f"{name},{mark}" for name, mark in rows)]
        (folder / f"t{number}.csv").write_text("\n".join(lines), encoding="utf-8")
    steps = [*([f"{{ hide = {list(hide)} }}"] if hide else []),
             *([f"{{ round = {base} }}"] if base else [])]  # fmt: skip
    text.append(f"[rule]\nsteps = [{', '.join(steps)}]\n[adversary]\nprior = [0.5, 0.5]\n{more}")
    (folder / "rules.toml").write_text("\n".join(text), encoding="utf-8")
    return truth


@pytest.mark.parametrize("seed", range(usual(3, 6)))
def test_no_exact_table_passes_wrongly(seed, tmp_path):
    """Every table's verdict equals that of enumeration; none needs a person."""
    truth = tables_in(tmp_path, seed)
    verdicts = {each.file: each.verdict for each in deniable.gate(tmp_path).files}
    rules = verdicts.pop("rules.toml")
    assert verdicts == {name: "pass" if t <= LIMIT else "fail" for name, t in truth.items()}
    assert rules == ("fail" if "fail" in verdicts.values() else "pass")


def test_releases_pass_while_their_epsilons_keep_to_the_limit(tmp_path):
    (tmp_path / "plan").mkdir()
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    plan = write_case(tmp_path / "plan", target="epsilon = 0.3", queries=["rows by plan"])
    for number in range(3):
        deniable.release(plan, outputs / f"r{number}")
        assert deniable.gate(outputs, person="person").verdict == "pass"
    deniable.release(plan, outputs / "r3")  # 1.2 > ln 3
    assert deniable.gate(outputs, person="person").verdict == "person"
    assert deniable.gate(outputs, max_posterior=0.9, person=["person"]).verdict == "pass"
    certificate = outputs / "r1" / "certificate.json"
    certificate.write_text(certificate.read_text("utf-8").replace("0.3", "0.1"), encoding="utf-8")
    (outputs / "r0" / "more.csv").write_text("a\n1\n", encoding="utf-8")
    files = {
        each.file: each
        for each in deniable.gate(outputs, max_posterior=0.9, person=["person"]).files
    }
    assert files["r1/certificate.json"].verdict == "fail"
    assert files["r0/more.csv"].verdict == "person"
    assert files["r0/results.csv"].verdict == "pass"


def test_what_nobody_recognises_needs_a_person(tmp_path):
    (tmp_path / HOSTILE).write_text("name,diagnosis\nZoe,flu\n", encoding="utf-8")
    (tmp_path / "figure.PNG").write_bytes(b"")
    (tmp_path / "link.csv").symlink_to("/etc/hostname")
    (tmp_path / ".hidden").write_text("x", encoding="utf-8")
    answer = deniable.gate(tmp_path)
    assert {each.verdict for each in answer.files} == {"person"}
    assert {each.kind for each in answer.files} == {"figure", "unknown"}
    page = answer.page()
    assert "<img" not in page
    assert "\u202e" not in page
    assert "&lt;img src=x onerror=y&gt;" in page
    assert "Zoe" not in page


def test_no_cell_is_in_an_answer(tmp_path):
    """A cell that is no number fails, and nobody reads it in the reason."""
    rules = '[[list]]\nname = "a"\nsize = 9\n[[table]]\nname = "t"\nlists = ["a"]\n'
    rules += '[rule]\npreset = "cms"\n[adversary]\nprior = [0.5, 0.5]\n'
    (tmp_path / "rules.toml").write_text(rules, encoding="utf-8")
    for cell in ("Zoe", "3"):  # no number, and one that the rule cannot have made
        (tmp_path / "t.csv").write_text(f"list,n\na,{cell}\n", encoding="utf-8")
        outcome = CliRunner().invoke(app, ["gate", str(tmp_path), "--json"])
        assert outcome.exit_code == 2
        assert "Zoe" not in outcome.output
        answer = json.loads(outcome.stdout)
        assert [each["verdict"] for each in answer["files"]] == ["fail", "fail"]


@pytest.mark.parametrize("more", ["b", "weak prior", "release"])
def test_tables_that_were_judged_apart_need_a_person(tmp_path, more):
    rules = '[[list]]\nname = "{0}"\nsize = 9\n[[table]]\nname = "{0}"\nlists = ["{0}"]\n'
    rules += '[rule]\npreset = "cms"\n[adversary]\nprior = [{1}, {1}]\n'
    prior = "0.01" if more == "weak prior" else "0.5"
    (tmp_path / "r.toml").write_text(rules.format("a", prior), encoding="utf-8")
    (tmp_path / "a.csv").write_text("list,n\na,*\n", encoding="utf-8")
    if more == "b":
        (tmp_path / "b.toml").write_text(rules.format("b", prior), encoding="utf-8")
        (tmp_path / "b.csv").write_text("list,n\nb,*\n", encoding="utf-8")
    if more == "release":
        (tmp_path / "certificate.json").write_text("{}", encoding="utf-8")
    files = {each.file: each.verdict for each in deniable.gate(tmp_path).files}
    assert files["a.csv"] == "person"


def test_a_folder_that_is_none(tmp_path):
    with refuses(InvalidArgument, "outputs-nothing"):
        deniable.gate(tmp_path)
    with refuses(InvalidArgument, "outputs-none"):
        deniable.gate(tmp_path / "no")


def test_a_release_that_protects_rows_needs_a_person(tmp_path):
    """Its epsilon bounds no belief about somebody who owns several rows."""
    (tmp_path / "a.csv").write_text("a\n1\n2\n", encoding="utf-8")
    plan = {
        "data": {"source": str(tmp_path / "a.csv"), "adjacency": "add-remove"},
        "target": {"epsilon": 0.3},
        "query": [{"name": "n", "statistic": "count"}],
    }
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    deniable.release(plan, outputs / "rows")
    for limit in (0.9, 1):
        [verdict] = {each.verdict for each in deniable.gate(outputs, max_posterior=limit).files}
        assert verdict == "person"
