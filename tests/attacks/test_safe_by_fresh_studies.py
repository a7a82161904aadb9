"""What safe variants promise, for every output, order and reference that `safe` takes.

Studies are drawn anew after the choice, given all that the choice looked at, and an attacker who
knows the population's frequencies asks every question. A promise that is kept fails once in 10⁹
runs. The wrong alternative, a law of frequencies with three parts and the mean of each in its
place, lets twice as many pass as are promised, and is rejected.
"""

import copy
import functools
import itertools

import numpy as np
import pytest
from scipy.special import logit, ndtr
from scipy.stats import binom

from deniable import gwas
from deniable.gwas.attacks.attack_scores import reference_frequencies
from deniable.gwas.attacks.candidates import Candidates
from deniable.gwas.attacks.evidence import Rounding
from deniable.gwas.attacks.safe import Choice, Limit
from deniable.gwas.attacks.safe_questions import (
    FrequencyLaw,
    Questions,
    angles_tried,
    select_judged,
)
from deniable.gwas.files.plink import PlinkWriter
from deniable.gwas.genotypes import Variants
from tests.cases.effort import usual
from tests.oracles.fresh_studies import FreshStudies, Output

ALIKE, UNLIKE = (60, 60), (40, 50)
"""Cases and controls. Of as many of both, p-values alone do not tell the one from the other."""
OTHERS = 40
"""Of the reference beside which the most significant variants are published."""
CANDIDATES, MEMBERS = 150, usual(3_000, 20_000)
LOW, HIGH = 0.05, 0.5
LIMIT, PRIOR = 0.75, 0.5
GAIN = logit(LIMIT) - logit(PRIOR)
ALLOWED, FALSE_ALARM = ndtr(-2.0), 1e-9
ASKED = {
    "among the cases": "case",
    "among the controls": "control",
    "a case, not a control": "either",
    "in the study": "case",
}

OF_FREQUENCIES = [
    Output(groups, decimals)
    for groups in ("both", "cases", "controls", "everybody")
    for decimals in (None, 1, 2)
]
OF_P_VALUES = [Output("both", None, digits, False) for digits in (1, 2, 3, 6)]
OF_BOTH = [Output("both", decimals, digits) for decimals in (1, 2) for digits in (2, 4)]
ALL = [
    (output, order, others, sizes)
    for output, order, others, sizes in itertools.product(
        [*OF_FREQUENCIES, *OF_P_VALUES, *OF_BOTH],
        ("file", "list", "significance", "least"),
        (None, 40, 400),
        (ALIKE, UNLIKE),
    )
    if order != "least" or others
]
SOME = [
    (Output("both", None, 3, False), "file", None, ALIKE),
    (Output("both", None, 2, False), "least", 40, ALIKE),
    (Output("both", None, 3, False), "significance", 400, UNLIKE),
    (Output("both", 1, 2), "list", None, UNLIKE),
    (Output("both", 2, 4), "least", 400, UNLIKE),
    (Output("cases", 1), "least", 40, UNLIKE),
    (Output("everybody"), "file", None, ALIKE),
    (Output("controls", 2), "significance", None, UNLIKE),
]


def plink(prefix, copies, cases):
    """Files of people by copies, the first so many of them cases."""
    variants, people = copies.shape
    names = [f"v{i}" for i in range(variants)]
    listed = Variants(["1"] * variants, names, range(variants), ["A"] * variants, ["C"] * variants)
    with PlinkWriter(prefix, np.arange(people) < cases, first=1 if cases else 10**6) as writer:
        writer.write(listed, copies.astype(np.int8))
    return prefix


def numbers_of_members_beyond(folder, output, order, others, sizes, seed=1):
    """How many of so many members pass the limit, by question, and the answer."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(LOW, HIGH, (CANDIDATES, 1))
    cases, people = sizes[0], sum(sizes)
    copies = rng.binomial(2, p, (CANDIDATES, people))
    reference = None if others is None else rng.binomial(2, p, (CANDIDATES, others))
    if order == "list":
        order = folder / "names"
        order.write_text("".join(f"v{i}\n" for i in rng.permutation(CANDIDATES)))
    answer = gwas.safe(
        plink(folder / "in", copies, cases),
        posterior=LIMIT,
        prior=PRIOR,
        order=order,
        reference=None if reference is None else plink(folder / "out", reference, 0),
        prune=1.0,
        **vars(output),
    )
    which = np.array([int(name[1:]) for name in answer.chosen], int)
    together = output.groups == "everybody"
    studies = FreshStudies(output, (people, 0) if together else sizes, LOW, HIGH)
    counted = np.stack([copies[:, :cases].sum(axis=1), copies[:, cases:].sum(axis=1)], axis=1)
    if order == "significance":
        both = np.stack([counted.sum(axis=1), 0 * counted[:, 0]], axis=1) if together else counted
        known = (0 * which, 0) if reference is None else (reference[which].sum(axis=1), others)
        evidence = studies.given_results(rng, both[which], MEMBERS, known)
    elif reference is None:
        evidence = studies.given_totals(rng, counted[which].sum(axis=1), MEMBERS)
    else:
        carried = reference[which].sum(axis=1)
        evidence = studies.given_others(rng, carried, others, MEMBERS)
    asked = {each.question for each in answer.questions}
    beyond = {
        question: int(np.count_nonzero(evidence[ASKED[question]] > GAIN + 1e-9))
        for question in asked
    }
    return beyond, answer


def is_kept(number):
    return binom.sf(np.floor(number) - 1, MEMBERS, ALLOWED) > FALSE_ALARM


@pytest.mark.parametrize(("output", "order", "others", "sizes"), usual(SOME, ALL), ids=str)
def test_as_few_pass_as_is_promised(tmp_path, output, order, others, sizes):
    """Of one study, given all that its choice looked at: its results beside a reference, too."""
    beyond, answer = numbers_of_members_beyond(tmp_path, output, order, others, sizes)
    assert answer.variants or order == "significance"
    assert all(is_kept(number) for number in beyond.values()), beyond


@functools.cache
def published_results(seed):
    """A generator of draws, the most significant variants, and the copies among cases and others.

    It is the same whoever is like the reference.
    """
    rng, sizes, others = np.random.default_rng(seed), ALIKE, OTHERS
    p = rng.uniform(LOW, HIGH, CANDIDATES)
    x, y, of_others = (rng.binomial(2 * people, p) for people in (*sizes, others))
    names = [f"v{i}" for i in range(CANDIDATES)]
    every = Candidates(
        Variants(["1"] * len(p), names, range(len(p)), ["A"] * len(p), ["C"] * len(p)),
        reference_frequencies(of_others, np.full(len(p), others)),
        *(np.full(len(p), size) for size in sizes),
        (x - y) ** 2 / ((x + y) * (2 * sum(sizes) - x - y)),
        sizes, others, True, {}, np.full(len(p), others), np.stack([x, y], axis=1),
    )  # fmt: skip
    results = select_judged(np.argsort(-every.chi_squared, kind="stable"), Rounding())
    choice = Choice(Questions(every, "cases", Rounding(), results), Limit(PRIOR, LIMIT, 2.0))
    which = results[: choice.longest(results)]
    return rng, every.copies[which], of_others[which]


def beyond_by_results(published, alike):
    """How many of the cases pass the limit where the most significant variants are published."""
    rng, copies, of_others = published
    studies = FreshStudies(Output("cases"), ALIKE, LOW, HIGH)
    evidence = studies.given_results(
        copy.deepcopy(rng), copies, MEMBERS, (of_others, OTHERS), alike
    )
    return int(np.count_nonzero(evidence["case"] > GAIN + 1e-9)), len(copies)


@pytest.mark.parametrize("alike", [(), (0,), (1,), (0, 1)], ids=str)
def test_results_beside_one_reference_keep_the_limit_whoever_is_like_it(alike):
    """In each study by itself, and not in the mean of studies."""
    for seed in (3, 5):
        beyond, variants = beyond_by_results(published_results(seed), alike)
        assert variants
        assert is_kept(beyond)


def test_a_law_of_the_reference_alone_is_rejected(monkeypatch):
    """It holds in the mean of references; beside this one .09 of the cases pass."""
    monkeypatch.setattr("deniable.gwas.attacks.safe_questions.alike", lambda *_, **__: [[]])
    beyond, _ = beyond_by_results(published_results.__wrapped__(5), (1,))
    assert not is_kept(beyond)


def three_means(law, copies, all_copies, angles):
    """Each third of the law of a frequency by its mean."""
    weights = given_its_count(law, copies, all_copies, angles)
    third = np.minimum((3 * (np.cumsum(weights) - weights / 2)).astype(int), 2)
    of_all = np.bincount(third, weights, 3)
    means = np.bincount(third, weights * angles, 3)[of_all > 0] / of_all[of_all > 0]
    places = np.abs(angles[:, None] - means).argmin(axis=0)
    return np.bincount(places, of_all[of_all > 0], len(angles))


given_its_count = FrequencyLaw.weights


def test_a_law_of_three_means_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(FrequencyLaw, "weights", three_means)
    output = Output("both", None, 3, False)
    beyond, _ = numbers_of_members_beyond(tmp_path, output, "file", None, ALIKE)
    assert not all(is_kept(number) for number in beyond.values())


def test_more_frequencies_that_are_tried_allow_no_fewer_variants(tmp_path, monkeypatch):
    """What lies between two of them counts against the variant, so that few of them are safe."""
    output = Output("both", None, 3, False)
    numbers = []
    for finer in (1 / 2, 1, usual(2, 4)):
        # As for a study of so many more people: the steps are shorter by the root.
        shorter = functools.partial(angles_of_more, finer)
        monkeypatch.setattr("deniable.gwas.attacks.safe_questions.angles_tried", shorter)
        folder = tmp_path / str(finer)
        folder.mkdir()
        _, answer = numbers_of_members_beyond(folder, output, "file", None, ALIKE)
        numbers.append(answer.variants)
    assert numbers == sorted(numbers)


def angles_of_more(finer, all_copies, most):
    return angles_tried(int(finer**2 * all_copies), most)
