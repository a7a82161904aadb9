"""Two populations in one study: what a release names, what it tells of strata, and to whom."""

import json
import sys

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

from deniable import gwas
from deniable.certificate.model import structure
from deniable.errors import InvalidArgument
from deniable.gwas.certificates.study import Stratum, StudyCertificate, StudySize
from deniable.gwas.commands.answers import tell_inflation
from deniable.gwas.publication.request import StudyRequest, prepare_study
from deniable.pipeline.check import check
from tests.cases.command_line import app
from tests.cases.genotype_files import plink_files
from tests.cases.refusals import refuses

PEOPLE, CAUSAL = 600, 7
HOSTILE = [
    "\x1b]0;x\x07",
    "<script>alert(1)</script>",
    "=cmd|'/C-calc'!A0",
    "\u202egpj",
    "x" * 5000,
]


def confounded(folder, rates=(0.8, 0.2), names=("north", "south"), seed=5, change=None):
    """A study whose cases are of the north; variant 7 alone matters within a population."""
    rng = np.random.default_rng(seed)
    place = np.arange(PEOPLE) % 2
    case = rng.random(PEOPLE) < np.array(rates)[place]
    shares = rng.uniform(0.1, 0.9, (40, 2))
    chance = shares[:, place]
    chance[CAUSAL] = np.where(case, 0.65, 0.4)
    calls = rng.binomial(2, chance)
    if change is not None:
        calls[:, change] = 2 - calls[:, change]
    folder.mkdir()
    study = plink_files(folder, calls.tolist(), ["case" if each else "control" for each in case])
    strata = folder / "strata"
    strata.write_text("".join(f"f{i} i{i} {names[of]}\n" for i, of in enumerate(place)))
    return study, strata


def run(*words):
    return CliRunner().invoke(app, ["gwas", *(str(word) for word in words)])


def test_within_strata_the_cause_is_found_and_without_them_the_population(tmp_path):
    study, strata = confounded(tmp_path / "study")
    found = gwas.release(
        study, tmp_path / "out", top=1, epsilon=50.0, score="stratified", strata=strata
    )
    assert [each.variant for each in found.released] == [f"rs{CAUSAL}"]
    whole = gwas.scan(study)
    within = gwas.scan(study, statistic="cmh", strata=strata)
    assert int(np.nanargmax(whole.columns.statistic)) != CAUSAL
    assert int(np.nanargmax(within.columns.statistic)) == CAUSAL
    assert whole.lambda_gc > 10 > 2 > within.lambda_gc
    check(tmp_path / "out")


@pytest.mark.parametrize("adjacency", ["genotype", "swap"])
def test_neighbours_have_the_same_certificate_and_names_of_strata_are_nowhere(tmp_path, adjacency):
    told = []
    for index, (names, change) in enumerate([(HOSTILE[:2], None), (HOSTILE[2:4], 11)]):
        study, strata = confounded(tmp_path / f"study{index}", names=names, change=change)
        out = tmp_path / f"out{index}"
        words = ["--score", "stratified", "--strata", strata, "--adjacency", adjacency]
        answer = run("release", study, "--top", 3, "--epsilon", 1.0, *words, "--out", out)
        assert answer.exit_code == 0, answer.stderr
        written = "".join(
            path.read_text(encoding="utf-8") for path in out.iterdir() if path.suffix != ".parquet"
        )
        for name in names:
            assert name not in written + answer.stdout + answer.stderr
        told.append(json.loads((out / "certificate.json").read_text(encoding="utf-8")))
    for each in told:
        for key in ("created", "statement", "versions", "digests", "files"):
            each.pop(key, None)
        each.pop("publication", None)
    assert {key for key in told[0] if told[0][key] != told[1][key]} <= {"results"}
    assert len(told[0]["study"]["strata"]) == 2


class Watched:
    """Standard error that is a terminal, or not."""

    def __init__(self, *, terminal, gone=False):
        self.terminal, self.gone, self.text = terminal, gone, ""

    def isatty(self):
        return self.terminal

    def write(self, text):
        if self.gone:
            raise OSError(5, "gone")
        self.text += text
        return len(text)

    def flush(self):
        if self.gone:
            raise OSError(5, "gone")


@pytest.mark.parametrize(
    ("inflation", "terminal", "said"),
    [(9.5, True, True), (1.1, True, True), (1.09, True, False), (9.5, False, False)],
)
def test_the_owner_s_terminal_alone_is_told(monkeypatch, inflation, terminal, said):
    watched = Watched(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", watched)
    tell_inflation(inflation)
    assert bool(watched.text) is said
    assert (f"{inflation:.2f}" in watched.text) is said


def test_a_terminal_that_is_gone_changes_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Watched(terminal=True, gone=True))
    tell_inflation(100.0)


def test_confounded_and_plain_studies_answer_alike(tmp_path):
    """Where nobody watches, neither output nor status tells them apart; nor does the answer."""
    for name, rates in (("confounded", (0.8, 0.2)), ("plain", (0.5, 0.5))):
        study, _ = confounded(tmp_path / name, rates)
        out = tmp_path / f"{name}.out"
        answer = run("release", study, "--top", 1, "--epsilon", 1.0, "--out", out, "--json")
        assert (answer.exit_code, answer.stderr) == (0, "")
        assert "lambda" not in answer.stdout
        for path in out.iterdir():
            assert b"inflation" not in path.read_bytes()
            assert b"lambda" not in path.read_bytes()


def test_inflation_is_told_once_and_only_after_the_release_is_written(tmp_path):
    study, strata = confounded(tmp_path / "study")
    told = []

    def tell(inflation):
        told.append((inflation, (tmp_path / "out" / "certificate.json").is_file()))

    words = {"top": 1, "epsilon": 1.0, "tell_inflation": tell}
    gwas.release(study, tmp_path / "out", **words)
    assert told == [(gwas.scan(study).lambda_gc, True)]
    with refuses(InvalidArgument, "new-or-empty-folder"):
        gwas.release(study, tmp_path / "out", **words)
    gwas.release(study, tmp_path / "other", score="stratified", strata=strata, **words)
    within = gwas.scan(study, statistic="cmh", strata=strata).lambda_gc
    assert [each for each, _ in told[1:]] == [pytest.approx(within)]


def test_a_forged_number_in_a_stratum_is_found(tmp_path):
    study, strata = confounded(tmp_path / "study")
    out = tmp_path / "out"
    gwas.release(study, out, top=1, gamma=2.0, score="stratified", strata=strata, adjacency="swap")
    path = out / "certificate.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    first, second = whole["study"]["strata"]
    forged = [
        [{**first, "cases": first["cases"] - 1}, second],
        [{**first, "cases": 10**6}, second],
        [first],
        [],
        [{**first, "controls": 0}, second],
    ]
    for strata_of in forged:
        path.write_text(json.dumps(whole | {"study": {**whole["study"], "strata": strata_of}}))
        answer = CliRunner().invoke(app, ["check", str(out)])
        assert answer.exit_code == 2
    path.write_text(
        json.dumps(whole | {"study": {k: v for k, v in whole["study"].items() if k != "strata"}})
    )
    assert CliRunner().invoke(app, ["check", str(out)]).exit_code == 2


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["f0 i0 alone"], "a stratum for every case and control"),
        ([f"f{i} i{i} s{i}" for i in range(PEOPLE)], "a stratum with cases and controls"),
        ([f"f{i} i{i}" for i in range(PEOPLE)], "Expected 3 columns"),
        ([f"f{i} i{i} NA" for i in range(PEOPLE)], "a stratum for every case and control"),
        (["\x00\xff"], ""),
    ],
)
def test_strata_that_compare_nobody_are_refused_without_a_value(tmp_path, lines, said):
    study, strata = confounded(tmp_path / "study")
    strata.write_text("\n".join(lines), encoding="latin-1")
    words = ["--strata", strata, "--score", "stratified", "--top", 1, "--epsilon", 1]
    answer = run("release", study, *words, "--out", tmp_path / "out")
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert "alone" not in answer.stderr
    assert not (tmp_path / "out").exists()


def test_strata_of_one_person_or_one_kind_count_for_nothing(tmp_path):
    study, strata = confounded(tmp_path / "study")
    lines = strata.read_text().splitlines()
    names = [
        ["pair", "pair", "alone"][i] if i < 3 else line.split()[2] for i, line in enumerate(lines)
    ]
    strata.write_text("".join(f"f{i} i{i} {name}\n" for i, name in enumerate(names)))
    found = gwas.release(
        study, tmp_path / "out", top=1, epsilon=1.0, score="stratified", strata=strata
    )
    size = found.certificate.study
    assert all(each.cases and each.controls for each in size.strata)
    assert sum(each.cases + each.controls for each in size.strata) < PEOPLE
    assert found.sensitivity < 2.26


def test_two_people_are_a_study(tmp_path):
    study = plink_files(tmp_path, [[2, 0], [1, 1], [0, 0]], ["case", "control"])
    (tmp_path / "strata").write_text("f0 i0 x\nf1 i1 x\n")
    for adjacency in ("genotype", "swap"):
        for score in ("stratified", "trend"):
            strata = {"strata": tmp_path / "strata"} if score == "stratified" else {}
            out = tmp_path / f"{adjacency}-{score}"
            words = {"adjacency": adjacency, "score": score, **strata}
            assert len(gwas.release(study, out, top=3, epsilon=1.0, **words).released) == 3
            check(out)


@pytest.mark.parametrize("score", ["distance", "allelic", "trend"])
def test_strata_and_their_score_come_together(tmp_path, score):
    study, strata = confounded(tmp_path / "study")
    out = tmp_path / "out"
    with refuses(InvalidArgument, "score-stratified-with-file"):
        gwas.release(study, out, top=1, epsilon=1.0, score=score, strata=strata)
    with refuses(InvalidArgument, "strata-for-score-stratified"):
        gwas.release(study, out, top=1, epsilon=1.0, score="stratified")
    with refuses(InvalidArgument, "strata-for-score-stratified"):
        gwas.utility(study, top=1, epsilon=1.0, score="stratified")


def request(**changes):
    given = {
        "top": 1, "targets": {"gamma": 2.0}, "prior": None, "adjacency": "swap",
        "score": "stratified", "threshold": "bonferroni", "missing": "refuse", "statistics": False,
    }  # fmt: skip
    return StudyRequest(**{**given, **changes})


def test_swaps_within_strata_are_not_charged_as_swaps():
    with refuses(InvalidArgument, "fewer-neighbours-ledger"):
        request(dataset="study")
    assert request(dataset="study", adjacency="genotype").dataset == "study"
    assert request(dataset="study", score="distance").dataset == "study"


def test_beliefs_about_a_status_begin_at_the_stratum_s_share():
    strata = (Stratum(10, 30), Stratum(30, 10))
    prior = prepare_study(request(), StudySize(40, 40, 10, strata)).calibration.adversary
    assert (prior.low, prior.high) == (0.25, 0.75)
    with refuses(InvalidArgument, "no-more-people-in-strata"):
        StudySize(39, 40, 10, strata)


def test_a_study_without_strata_has_the_same_certificate_as_before():
    assert StudySize(3, 4, 5).as_json() == {"cases": 3, "controls": 4, "variants": 5}
    assert structure(StudySize, {"cases": 3, "controls": 4, "variants": 5}) == StudySize(3, 4, 5)
    assert attrs.fields(StudyCertificate).study.type is StudySize
