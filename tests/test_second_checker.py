"""A second checker, written from the reference pages alone, says the same as Deniable's."""

import ast
import copy
import json
import math
import random
import shutil
import sys
from pathlib import Path

import pytest

from deniable.certificate import tables
from deniable.notions import ZCDP, Adjacency, ApproxZCDP
from deniable.theorems import pure_and_approximate as theorems
from second_checker import numbers
from second_checker.__main__ import examine, main
from second_checker.plans import WORDS
from second_checker.verdicts import Schema, is_number, leaves
from tests.cases import certified_case
from tests.cases.effort import one_in, usual
from tests.compare_checkers import GOLDEN, compare, get, originals, put, sealed

FOLDER = Path(__file__).resolve().parents[1] / "second_checker"
EITHER = Adjacency.REPLACE_ONE
UNKNOWN = ("members", "training", "first-plan", "first-plan-gaussian")
"""Of these it says that it does not check everything on which the claims rest."""
PARTLY = ("study", "frequencies", "crosstab", "running_count", "attack", "advantage", "ident")
"""Of these it names values that it does not recompute, on which no claim rests."""


def golden(name):
    return json.loads((GOLDEN / name / "certificate.json").read_bytes())


@pytest.mark.parametrize("name", [path.parent.name for path in GOLDEN.glob("*/certificate.json")])
def test_golden_releases_are_verified_or_it_says_what_it_does_not_check(name, capsys):
    status = main([str(GOLDEN / name)])
    *lines, verdict = capsys.readouterr().out.splitlines()
    kind = name.removesuffix("-2.1")
    expected = "verified in part" if kind in PARTLY else "verified"
    assert verdict == ("cannot tell" if kind in UNKNOWN else expected)
    assert (status == 0) == (verdict == "verified")
    assert not any(line.startswith("refused") for line in lines)
    assert any(line.startswith("on trust: /created") for line in lines)
    assert any(line.startswith("cannot tell without") for line in lines) == (kind in UNKNOWN)


def test_every_kind_of_certificate_is_verified_but_for_what_is_named():
    for name, certificate in originals().items():
        findings = examine(json.dumps(certificate).encode())
        assert findings.refused == [], name
        assert (findings.verdict == "cannot tell") == (name in UNKNOWN), name
        partly = name.startswith(PARTLY) or name in ("precision", "unknown advantage")
        assert (findings.verdict == "verified in part") == partly, name


@pytest.mark.parametrize("name", ["survival", "survival, zero-sum"])
def test_of_survival_curves_it_cannot_tell(name):
    text = json.dumps(certified_case.certificate(certified_case.PLANS[name]).as_json())
    assert examine(text.encode()).verdict == "cannot tell"


def test_whatever_stands_in_a_tree_ends_in_a_verdict():
    """Of a shape that nothing expects, and nested deeper than a program goes."""
    for nested in ({"a": {"b": 1.5}}, {"a": [{"b": ["c"]}]}, {"a": None}, {"a": {}}):
        certificate = copy.deepcopy(originals()["tree pure"])
        for query in certificate["plan"]["query"]:
            if "nested" in query:
                query["nested"] = nested
        assert examine(sealed(certificate)).verdict in ("refused", "cannot tell"), nested
    for depth in (100, 900, 10_000):
        text = json.dumps(originals()["tree pure"])
        deep = "[" * depth + "]" * depth
        for where in ('"plan": {', '"guarantee": {'):
            assert (
                examine(text.replace(where, f'{where}"x": {deep}, ').encode()).verdict == "refused"
            )


def test_a_branch_that_does_not_hold_leaves_nothing_to_trust():
    """Whichever keyword tries it: another form's trust is not this one's."""
    text, number = {"type": "string", "onTrust": "words"}, {"type": "number"}
    for schema in (
        {"anyOf": [text, number]},
        {"oneOf": [text, number]},
        {"not": text},
        {"if": text, "then": text, "else": number},
    ):
        tried = Schema({"properties": {"x": schema}})
        assert tried.errors({"x": 1}) == []
        assert [marks for where, marks in tried.trust if where == ("x",) and marks] == []
    tried = Schema({"anyOf": [number, text]})
    assert tried.errors("a") == []
    assert [marks for _, marks in tried.trust if marks] == [{"onTrust": "words"}]


def test_it_imports_nothing_of_the_package_and_is_short():
    sources = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.rglob("*.py"))]
    assert sum(source.count("\n") for source in sources) <= 1550
    imported = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                imported |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"flint"}
    assert not {"importlib", "subprocess", "runpy"} & imported


def test_changed_certificates_get_the_same_verdict_of_both():
    verdicts, differences = compare(usual(20, 1000), 2026, [].append)
    assert differences == []
    both = [(first, second) for _, first, second in verdicts.elements()]
    assert both.count(("refused", "refused")) > len(both) / 2


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("frequencies", ("study", "controls"), 102),
        ("frequencies", ("study", "cases"), 101),
        ("frequencies", ("compared", "people"), 202),
        ("tree weighted", ("plan", "query", 0, "importance", "source"), 1.0),
    ],
)
def test_what_does_not_fit_the_rest_is_not_verified(name, where, value):
    document = copy.deepcopy(originals()[name])
    put(document, where, value)
    assert examine(sealed(document)).verdict in ("refused", "cannot tell")


def replaced(part, old, new):
    if isinstance(part, dict):
        return {key: replaced(each, old, new) for key, each in part.items()}
    if isinstance(part, list):
        return [replaced(each, old, new) for each in part]
    return new if type(part) is type(old) and part == old else part


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tree pure", "ward", ""),
        ("tree pure", "ward", "house"),
        ("tree weighted", "ward", "land"),
        ("crosstab pure", "ward", "sex"),
        ("running_count", 2, 4.0),
        ("study trend", 1.0, 1),
        ("unknown charged", "d", "d "),
    ],
)
def test_what_no_plan_writes_is_not_verified_wherever_it_stands(name, old, new):
    certificate = replaced(originals()[name], old, new)
    assert examine(sealed(certificate)).verdict in ("refused", "cannot tell")


def test_a_changed_file_is_refused(tmp_path):
    folder = tmp_path / "release"
    shutil.copytree(GOLDEN / "plan", folder)
    assert main([str(folder)]) == 0
    report = folder / "report.html"
    report.write_bytes(report.read_bytes() + b" ")
    assert main([str(folder)]) == 2


@pytest.mark.parametrize("key", ["epsilon", "scale", "half_width_95"])
def test_less_noise_than_is_paid_for_is_refused_to_the_last_digit(key):
    certificate = golden("plan")
    part = certificate["queries"][0]["parts"][0]
    part[key] *= (1 + 2**-40) if key == "epsilon" else (1 - 2**-40)
    assert examine(sealed(certificate)).verdict == "refused"


@pytest.mark.parametrize("number", [1e300, 1e-300, 0])
def test_huge_and_tiny_numbers_end_in_a_verdict(number):
    for name, document in one_in(6, sorted(originals().items())):
        places = [leaf for leaf in leaves(document) if is_number(get(document, leaf))]
        for value in sorted({get(document, leaf) for leaf in places})[:: usual(12, 1)]:
            new = copy.deepcopy(document)
            for leaf in places:
                if get(document, leaf) == value:
                    put(new, leaf, number)
            assert examine(sealed(new)).verdict != "", name


@pytest.mark.parametrize("entity", [None, "person"])
@pytest.mark.parametrize("word", [None, "patient"])
def test_the_page_has_the_sentences_that_certificates_have(entity, word):
    kind, one = ("row", "row") if entity is None else ("entity", "“person”")
    named = {"entity": entity, "word": word, "rows": 3, "one": one, "columns": "“a” and “b”"}

    def said(*keys):
        return tuple(WORDS[key].format(**named) for key in keys)

    first = f"unit-{kind}" + ("" if word is None else "-named")
    for adjacency in Adjacency:
        whole = " ".join(said(first, f"{adjacency}-{kind}"))
        assert tables.unit_sentence(entity, adjacency, word) == whole
    keys = ["beliefs", "knowledge", "plan", "noise", *["entities", "limit"] * (entity is not None)]
    keys += ["unknown", "series", "periods"]
    assumed = tables.assumptions(entity, 3, endless=True, unknown=("a", "b"))
    assert assumed == said(*keys)
    rest = ("families", "chosen-plan", "other-releases", "wrong-ids")
    assert tuple(tables.NOT_COVERED) == said(*rest)


@pytest.mark.parametrize("seed", range(usual(2, 40)))
def test_no_tail_of_a_privacy_loss_is_claimed_below_what_its_theorem_proves(seed):
    draw = random.Random(seed)
    for _ in range(5):
        rho, delta = 10 ** draw.uniform(-5, 1), 10 ** draw.uniform(-12, -3)
        epsilon = rho + draw.uniform(1, 9) * math.sqrt(rho)
        spent = theorems.zcdp_to_privacy_loss_tail(ZCDP(rho, EITHER), epsilon)
        assert numbers.ball(spent.exceedance) >= numbers.Spent(rho).exceeds(epsilon)
        for_keys = numbers.Spent(rho, exposure=delta).exceeds(epsilon)
        spent = theorems.approx_zcdp_to_privacy_loss_tail(ApproxZCDP(rho, delta, EITHER), epsilon)
        assert spent.exceedance == 1 or numbers.ball(spent.exceedance) >= for_keys
