"""Which variants of a study are safe: the limit holds, for people drawn from its population."""

import functools
import gzip
import itertools
import stat

import numpy as np
import pytest
from scipy.special import logit, ndtr

from deniable import gwas
from deniable.errors import DataError, InfeasibleTarget, InvalidArgument
from deniable.gwas.attacks import Candidates, Choice, Limit, Questions, Rounding
from deniable.gwas.files import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.effort import usual
from tests.cases.refusals import refuses

LIMIT = {"posterior": 0.75, "prior": 0.5}
FREQUENCY = np.random.default_rng(3).uniform(0.05, 0.5, usual(90, 300))
KNOWN = 10**7
"""People in a reference that leaves no doubt about frequencies."""


def variants(number, names=None):
    names = [f"v{i}" for i in range(number)] if names is None else names
    return Variants(["1"] * number, names, range(1, number + 1), ["A"] * number, ["G"] * number)


def study(prefix, copies, names=None):
    """People of a reference, whose file is called others, have other names."""
    people = copies.shape[1]
    first = 10_001 if prefix.name == "others" else 1
    with PlinkWriter(prefix, np.arange(people) < people // 2, first=first) as writer:
        writer.write(variants(len(copies), names), copies.astype(np.int8))
    return prefix


def drawn(seed, people, frequency=FREQUENCY):
    return np.random.default_rng(seed).binomial(2, frequency[:, None], (len(frequency), people))


@pytest.fixture(name="files", scope="module")
def two_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    return study(folder / "study", drawn(1, 400)), study(folder / "others", drawn(2, 2000))


@pytest.fixture(scope="module")
def safe(files):
    """What of the study is safe, by what else is asked; computed once."""
    return functools.cache(lambda **options: gwas.safe(files[0], **LIMIT, **options))


def evidence(g, x, people, p):
    """Log likelihood ratios of people with copies g, of groups with copies x; a row a person."""
    n = 2 * people
    pairs = [(n - x) * (n - x - 1), 2 * x * (n - x), x * (x - 1)]
    with np.errstate(divide="ignore"):
        inside = np.log(np.choose(g, pairs) / (n * (n - 1)))
    return (inside - np.log(np.choose(g, [(1 - p) ** 2, 2 * p * (1 - p), p * p]))).sum(axis=1)


@pytest.mark.parametrize("groups", ["cases", "everybody", "both"])
def test_as_many_pass_the_limit_as_promised(files, groups):
    """4,000 members of pools of the reference's population, for whom a case is a case."""
    answer = gwas.safe(files[0], reference=files[1], groups=groups, **LIMIT)
    p = FREQUENCY[[int(name[1:]) for name in answer.chosen]]
    people = 400 if groups == "everybody" else 200
    rng = np.random.default_rng(9)
    own = rng.binomial(2, p, (4000, len(p)))
    evidence_of_members = evidence(own, own + rng.binomial(2 * people - 2, p, own.shape), people, p)
    if groups == "both":
        evidence_of_members = evidence_of_members - evidence(
            own, rng.binomial(2 * people, p, own.shape), people, p
        )
    assert answer.variants == len(p) > 20
    # Φ(−2) = .0228; .0024 is one deviation of the share of 4,000.
    assert np.mean(evidence_of_members > logit(0.75)) == pytest.approx(ndtr(-2.0), abs=0.011)


def test_the_attack_on_the_chosen_reaches_what_is_promised(tmp_path):
    """Cases' exact frequencies; 3,000 others beside 300 cases are nearly the population."""
    reference = study(tmp_path / "others", drawn(2, 3000))
    it, names = study(tmp_path / "it", drawn(1, 600)), tmp_path / "names.txt"
    promise = {"posterior": 0.99, "prior": 0.5}
    answer = gwas.safe(it, reference=reference, groups="cases", out=names, **promise)
    gwas.scan(it, out=tmp_path / "all.tsv")
    head, *rows = (tmp_path / "all.tsv").read_text().splitlines(keepends=True)
    selected = [row for row in rows if row.split("\t")[1] in answer.chosen]
    (tmp_path / "published.tsv").write_text(head + "".join(selected))
    attacked = gwas.attack(
        it, reference, published=tmp_path / "published.tsv", on="cases", prune=1.0
    )
    assert attacked.variants_used == answer.variants
    # .029 is one deviation of the share of 300 recognised cases; the reference costs some.
    assert answer.power - 0.12 < attacked.power_lr < answer.power + 0.09


def test_the_choice_by_a_reference_looks_at_nobody(files, safe, tmp_path):
    """Other people, other frequencies, other linkage: the same answer."""
    others = study(tmp_path / "other", drawn(77, 400, np.full(len(FREQUENCY), 0.01)))
    first = safe(reference=files[1])
    assert first == gwas.safe(others, reference=files[1], **LIMIT)
    assert first.choice_is_public
    looking = [safe(), gwas.safe(others, **LIMIT)]
    assert looking[0].chosen != looking[1].chosen
    assert not any(each.choice_is_public for each in looking)
    assert looking[0].verdict.endswith("counts. Choose by --reference.")


@pytest.mark.parametrize(
    ("rules", "remedy"),
    [
        ({"order": "significance"}, "Take another order than significance."),
        ({"missing": "leave"}, "Fill missing calls (--missing panel)."),
    ],
)
def test_with_a_reference_the_verdict_asks_for_what_is_still_looked_at(files, safe, rules, remedy):
    answer = safe(reference=files[1], **rules)
    assert not answer.choice_is_public
    assert answer.verdict.endswith(f"counts. {remedy}")


def test_rounding_allows_more_and_more_people_too(files, safe, tmp_path):
    exact = safe(reference=files[1]).variants
    two, one = (safe(reference=files[1], decimals=each).variants for each in (2, 1))
    assert exact <= two < one
    larger = study(tmp_path / "larger", drawn(5, 800))
    assert gwas.safe(larger, reference=files[1], **LIMIT).variants > exact
    nothing = safe(reference=files[1], decimals=0, groups="cases")
    # Whether the allele is common is hardly news about anybody.
    assert nothing.variants > one
    with_p = safe(reference=files[1], decimals=1, p_values=3)
    assert with_p.variants < one


def candidates(frequency, cases, controls):
    number = len(frequency)
    return Candidates(
        variants(number),
        np.asarray(frequency),
        np.full(number, cases),
        np.full(number, controls),
        np.zeros(number),
        (cases, controls),
        KNOWN,
        True,
        {},
        np.full(number, KNOWN),
        np.zeros((number, 2), np.int64),
    )


@pytest.mark.parametrize("groups", ["cases", "both"])
@pytest.mark.parametrize("deviations", [0.0, 1.0, 2.0])
def test_no_other_choice_has_more_variants(groups, deviations):
    """Every choice among nine, rare and common ones."""
    eligible = candidates([0.5, 0.5, 0.3, 0.2, 0.05, 0.02, 0.01, 0.002, 0.0005], 30, 20)
    limit = Limit(0.5, 0.8, deviations)
    choice = Choice(Questions(eligible, groups, Rounding()), limit)
    _, number = choice.least_telling()
    most = 0
    for size in range(1, len(eligible) + 1):
        for which in itertools.combinations(range(len(eligible)), size):
            totals = choice.totals(np.array(which)).values()
            if all(total.beyond(limit.gain) <= limit.allowed for total in totals):
                most = size
    assert number == most


def test_variants_in_an_order_of_their_own(files, tmp_path):
    listed = tmp_path / "wanted.txt"
    listed.write_text("# mine\n" + "".join(f"v{i} x\n" for i in (7, 3, 40, 3)) + "unknown\n")
    answer = gwas.safe(files[0], reference=files[1], order=listed, **LIMIT)
    assert answer.chosen == ("v7", "v3", "v40")
    assert (answer.order, answer.unlinked) == ("list", 3)
    assert answer.variants_left_out["not_asked_for"] == len(FREQUENCY) - 3


def test_the_list_is_written_for_its_owner(files, tmp_path):
    places = [tmp_path / name for name in ("private.txt", "public.txt")]
    private = gwas.safe(files[0], out=places[0], **LIMIT)
    public = gwas.safe(files[0], reference=files[1], out=places[1], **LIMIT)
    lines = [place.read_text().splitlines() for place in places]
    assert lines[0][0].startswith("# NOT FOR PUBLICATION")
    assert tuple(lines[0][1:]) == private.chosen
    assert tuple(lines[1]) == public.chosen
    assert all(stat.S_IMODE(place.stat().st_mode) == 0o600 for place in places)
    again = gwas.safe(files[0], order=places[0], **LIMIT)
    assert set(again.chosen) == set(private.chosen)


def test_linked_variants_stand_for_one(tmp_path):
    copies = np.tile(drawn(4, 200, np.array([0.3])), (40, 1))
    answer = gwas.safe(study(tmp_path / "linked", copies), **LIMIT)
    assert answer.unlinked == 1
    assert answer.variants_left_out["linked"] == 39


def test_a_course_for_a_chart_crosses_the_limit_where_it_is_said(files, safe):
    answer = safe(reference=files[1])
    within = [each for each in answer.course if each.variants <= answer.variants]
    beyond = [each for each in answer.course if each.variants > answer.variants]
    assert (within[0].variants, within[0].unlucky) == (0, 0.5)
    assert all(each.unlucky <= 0.75 + 5e-3 for each in within)
    assert beyond
    assert all(each.unlucky > 0.75 - 5e-3 for each in beyond)
    assert all(each.median <= each.unlucky for each in answer.course)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pool": 5}, "pool-of-a-study"),
        ({"pool": 0}, "below-least: pool"),
        ({"groups": "all"}, "not-one-of: groups"),
        ({"decimals": -1}, "below-least: decimals"),
        ({"decimals": 16}, "decimals-at-most: 15"),
        ({"p_values": 0}, "below-least: p_values"),
        ({"p_values": 3, "groups": "cases"}, "groups-both-with-p-values"),
        ({"frequencies": False}, "p-values-where-no-frequencies"),
        ({"prune": 0.0}, "0-below-prune-at-most-1"),
        ({"order": "nowhere.txt"}, "least-file-significance: nowhere.txt"),
        ({"missing": "guess"}, "not-one-of: missing"),
        ({"out": "nowhere/list.txt"}, "file-in-existing-folder"),
        ({"page": "page.txt"}, "page-named-html"),
    ],
)
def test_what_does_not_go_together(files, change, message):
    with refuses(InvalidArgument, message):
        gwas.safe(files[0], **(LIMIT | change))


@pytest.mark.parametrize(
    "change",
    [
        {"out": "list.txt"},
        {"reference": "others"},
        {"decimals": 1},
        {"p_values": 3},
        {"frequencies": False},
        {"order": "significance"},
        {"phenotype": "status.txt"},
    ],
)
def test_what_is_about_variants_needs_a_study(change):
    """The formula knows no rounding: a number for exact frequencies would pass for another's."""
    with refuses(InvalidArgument, f"names-argument: {next(iter(change))}"):
        gwas.safe(pool=100, **LIMIT, **change)


def test_a_study_is_no_reference_of_its_own(files, tmp_path):
    link = tmp_path / "other"
    for suffix in ("bed", "bim", "fam"):
        link.with_suffix(f".{suffix}").symlink_to(files[0].with_suffix(f".{suffix}"))
    for reference in (files[0], link):
        with refuses(DataError, "participants-in-a-panel: reference"):
            gwas.safe(files[0], reference=reference, **LIMIT)


def test_a_pool_beside_a_study_is_that_of_the_study(safe):
    """The study says it, so a number of people that is right changes nothing."""
    alone = safe()
    for pool in {alone.pool, *alone.groups.values()}:
        assert safe(pool=pool).as_json() == alone.as_json()


def test_neither_a_study_nor_a_pool():
    with refuses(InvalidArgument, "study-or-pool"):
        gwas.safe(**LIMIT)


def test_a_limit_at_the_prior(files):
    with refuses(InfeasibleTarget, "posterior-above-prior"):
        gwas.safe(files[0], posterior=0.5, prior=0.5)


def test_nothing_varies(tmp_path):
    alike = study(tmp_path / "alike", np.zeros((5, 40)))
    with refuses(DataError, "constant-5"):
        gwas.safe(alike, **LIMIT)


def test_names_that_say_nothing(tmp_path):
    names = [".", "v1", "v1", "v3"]
    answer = gwas.safe(study(tmp_path / "names", drawn(6, 60, FREQUENCY[:4]), names), **LIMIT)
    assert answer.variants_left_out["name_repeats"] == 3
    assert set(answer.chosen) <= {"v3"}


def test_one_case_and_one_control(tmp_path):
    """A genotype that is published is known; so is whose it is."""
    answer = gwas.safe(study(tmp_path / "two", drawn(8, 2)), prune=1.0, **LIMIT)
    assert answer.variants <= 1
    assert answer.questions[0].beyond_of_all > 0.99


def test_alleles_that_the_reference_lacks_or_all_have(tmp_path):
    others = drawn(2, 500, FREQUENCY[:20])
    others[0], others[1] = 0, 2
    reference = study(tmp_path / "others", others)
    answer = gwas.safe(study(tmp_path / "it", drawn(1, 80)[:20]), reference=reference, **LIMIT)
    assert answer.variants_left_out["constant"] == 2
    assert not {"v0", "v1"} & set(answer.chosen)


def test_missing_calls_count_for_the_people_who_have_them(tmp_path):
    copies = drawn(1, 400)
    copies[:, 20:200] = -1
    holes = study(tmp_path / "holes", copies)
    with refuses(DataError, "variant-missing-ones"):
        gwas.safe(holes, **LIMIT)
    left = gwas.safe(holes, missing="leave", groups="cases", **LIMIT)
    few = gwas.safe(study(tmp_path / "few", drawn(1, 40)), groups="cases", **LIMIT)
    assert not left.choice_is_public
    assert left.variants == pytest.approx(few.variants, abs=5)


def test_a_table_of_counts_does_not_show_linkage(files, tmp_path):
    table = tmp_path / "counts.tsv"
    gwas.scan(files[0], out=table)
    packed = tmp_path / "counts.tsv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    for path in (table, packed):
        answer = gwas.safe(path, **LIMIT)
        assert any("linkage" in each for each in answer.cautions)
        assert answer.unlinked == len(FREQUENCY)
