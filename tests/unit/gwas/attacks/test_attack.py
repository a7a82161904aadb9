"""What published frequencies give away, measured."""

import math

import attrs
import numpy as np
import pytest
from scipy.stats import binom

from deniable import gwas
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks import FALSE_POSITIVE_RATE, ancestry, theoretical_power
from deniable.gwas.files import PlinkWriter, same_people
from deniable.gwas.genotypes import Variants
from tests.cases.products import kinds_of_products
from tests.cases.refusals import refuses


def variants(number, swapped=(), names=None):
    first = ["A" if i not in swapped else "G" for i in range(number)]
    second = ["G" if i not in swapped else "A" for i in range(number)]
    names = [f"v{i}" for i in range(number)] if names is None else names
    return Variants(["1"] * number, names, range(1, number + 1), first, second)


def write(prefix, copies, listed=None):
    people = copies.shape[1]
    with PlinkWriter(prefix, np.arange(people) < people // 2) as writer:
        writer.write(variants(len(copies)) if listed is None else listed, copies)
    return prefix


def people(seed, number, variants_=80, frequency=None):
    rng = np.random.default_rng(seed)
    if frequency is None:
        frequency = np.random.default_rng(0).uniform(0.2, 0.8, variants_)
    return rng.binomial(2, frequency[:, None], (variants_, number)).astype(np.int8)


@pytest.fixture(name="files")
def two_files(tmp_path):
    inside, outside = people(1, 20), people(2, 30)
    return inside, outside, write(tmp_path / "in", inside), write(tmp_path / "out", outside)


def likelihood(x, pool, reference):
    return sum(
        a * np.log(q / p) + (2 - a) * np.log((1 - q) / (1 - p))
        for a, q, p in zip(x, pool, reference, strict=True)
    )


def test_members_and_strangers_are_scored_as_defined(files):
    inside, outside, pool, reference = files
    published = inside.mean(axis=1) / 2
    everyone = (outside.sum(axis=1) + 0.5) / (2 * 30 + 1)
    members = [likelihood(x, published, everyone) for x in inside.T]
    strangers = [
        likelihood(x, published, (np.delete(outside, i, axis=1).sum(axis=1) + 0.5) / (2 * 29 + 1))
        for i, x in enumerate(outside.T)
    ]
    answer = gwas.attack(pool, reference, fpr=0.1, prune=1.0)
    threshold = sorted(strangers, reverse=True)[3]
    assert answer.power_lr == np.mean(np.array(members) > threshold)
    above = np.mean([m > s for m in members for s in strangers])
    assert answer.auc_lr == pytest.approx(above, rel=1e-12)
    assert (answer.variants_used, answer.members, answer.strangers) == (80, 20, 30)


def test_order_and_names_of_alleles_do_not_matter(files, tmp_path):
    inside, _, pool, reference = files
    shuffled = np.random.default_rng(3).permutation(80)
    turned = inside[shuffled].copy()
    turned[:10] = 2 - turned[:10]
    listed = variants(80, swapped=range(10), names=[f"v{i}" for i in shuffled])
    other = write(tmp_path / "other", turned, listed)
    assert gwas.attack(other, reference, prune=0.5) == gwas.attack(pool, reference, prune=0.5)


def test_variants_that_one_file_lacks_or_names_otherwise_are_left_out(files, tmp_path):
    inside, _, pool, reference = files
    names = [f"v{i}" if i != 7 else "v6" for i in range(80)]
    listed = variants(80, names=names)
    part = write(tmp_path / "part", inside, listed)
    # v6 stands twice and v7 not at all.
    assert gwas.attack(part, reference).variants_used == 78
    assert gwas.attack(pool, reference).variants_used == 80


def test_rare_variants_are_used_and_those_left_out_are_counted(tmp_path):
    inside, outside = people(2, 40), people(1, 40)
    outside[:5] = 0
    outside[:5, 0] = 1
    inside[6] = outside[6] = 2
    inside[7] = -1
    pool, reference = write(tmp_path / "in", inside), write(tmp_path / "out", outside)
    answer = gwas.attack(pool, reference)
    assert answer.variants_used == 78
    assert answer.variants_unlinked <= 73
    left_out = {reason: number for reason, number in answer.variants_left_out.items() if number}
    assert left_out == {"no_calls": 1, "constant": 1}


def singletons(seed, number, people_, others):
    """Alleles that one person each carries, the first few in the pool, the others outside."""
    copies = np.zeros((number, people_ + others), np.int8)
    copies[
        np.arange(number), np.random.default_rng(seed).integers(people_ + others, size=number)
    ] = 1
    return copies[:, :people_], copies[:, people_:]


def test_singletons_alone_give_everybody_away(tmp_path):
    inside, outside = singletons(1, 3000, 60, 60)
    pool, reference = write(tmp_path / "in", inside), write(tmp_path / "out", outside)
    answer = gwas.attack(pool, reference)
    # Nobody of the reference carries what the pool has; a frequency of 0 there is no certainty.
    assert answer.power_measured == answer.power_lr == 1
    assert (answer.variants_unlinked, answer.power_formula) == (0, pytest.approx(0.05))
    assert not answer.overlap_checked


def test_strangers_in_the_place_of_members_are_not_recognised(tmp_path):
    # A pool of 400 unlinked variants and 200 people; the reference's half is as good as the other.
    frequency = np.random.default_rng(5).uniform(0.2, 0.8, 400)
    pool = write(tmp_path / "in", people(6, 200, 400, frequency))
    reference = write(tmp_path / "out", people(7, 400, 400, frequency))
    answer = gwas.attack(pool, reference)
    assert answer.power_formula == pytest.approx(0.408, abs=1e-3)
    # 200 members: the share's standard error is .035; six of them bound it at level 1e-9.
    assert abs(answer.power_lr - answer.power_formula) < 0.22
    assert answer.auc_lr > answer.auc_homer - 0.05


@pytest.mark.parametrize("others", [60, 800])
def test_the_measured_power_follows_the_formula_for_the_size_of_the_reference(tmp_path, others):
    frequency = np.random.default_rng(5).uniform(0.2, 0.8, 600)
    pool = write(tmp_path / "in", people(6, 200, 600, frequency))
    answer = gwas.attack(
        pool, write(tmp_path / "out", people(7, others, 600, frequency)), prune=1.0
    )
    (this,) = (each for each in answer.references if each.people == others)
    limit = theoretical_power(600, 200, 0.05)
    assert this.power_formula < limit
    # In theory .21 and .47 (.53 for a known population). With 60 strangers three may pass: their
    # threshold errs by half a standard deviation of scores, .14 in power; six such and more.
    assert abs(answer.power_lr - this.power_formula) < (0.8 if others == 60 else 0.25)
    powers = [
        each.power_formula for each in sorted(answer.references, key=lambda each: each.people)
    ]
    assert powers == sorted(powers)
    assert powers[-1] < answer.power_formula <= limit
    assert answer.power == max(
        answer.power_measured, answer.power_lr, answer.power_homer, answer.power_formula
    )


def test_missing_calls_and_pruning(tmp_path):
    copies = people(1, 30)
    copies[3, 4] = -1
    copies[11] = copies[10]
    pool, reference = write(tmp_path / "in", people(2, 30)), write(tmp_path / "out", copies)
    assert gwas.attack(pool, reference, prune=0.99).variants_used == 79


def test_nothing_in_common_is_an_error(files, tmp_path):
    _, outside, pool, _ = files
    listed = variants(80, names=[f"w{i}" for i in range(80)])
    with refuses(DataError, "same-name-and-alleles"):
        gwas.attack(pool, write(tmp_path / "strange", outside, listed))


def test_missing_files_and_wrong_numbers(files, tmp_path):
    _, _, pool, reference = files
    with refuses(InvalidArgument, "none-file-check-prefix"):
        gwas.attack(pool, tmp_path / "nowhere")
    with refuses(InvalidArgument, "without-pool-people"):
        gwas.attack(pool, pool)
    with refuses(InvalidArgument, "not-between-0-and-1: fpr"):
        gwas.attack(pool, reference, fpr=0.0)
    with refuses(InvalidArgument, "not-from-0-to-1: prune"):
        gwas.attack(pool, reference, prune=1.5)


def test_progress_ends_at_one(files):
    fractions = []
    gwas.attack(files[2], files[3], progress=fractions.append)
    assert fractions[-1] == 1
    assert fractions == sorted(fractions)


def test_another_population_is_told_from_the_pools_own(tmp_path):
    """400 variants at which the frequencies of two populations differ by about .08."""
    rng = np.random.default_rng(8)
    frequency = rng.uniform(0.2, 0.8, 400)
    elsewhere = np.clip(frequency + rng.normal(0, 0.08, 400), 0.02, 0.98)
    pool = write(tmp_path / "in", people(6, 100, 400, frequency))
    own = gwas.attack(pool, write(tmp_path / "own", people(7, 120, 400, frequency)))
    other = gwas.attack(pool, write(tmp_path / "other", people(7, 120, 400, elsewhere)))
    assert not own.ancestry_differs
    assert other.ancestry_differs
    assert other.ancestry_p_value == 0.001
    assert abs(own.f_st) < 0.005 < other.f_st
    assert other.as_json()["ancestry_differs"] is True


def test_people_of_the_pool_in_the_reference_are_refused(tmp_path):
    inside, outside = people(1, 60, 200), people(2, 50, 200)
    mixed = np.concatenate([outside, inside[:, 3:5]], axis=1)
    pool = write(tmp_path / "in", inside)
    reference = write(tmp_path / "out", mixed)
    with refuses(DataError, "both-reference-without: 2 | 60"):
        gwas.attack(pool, reference)
    # Left out, what is found is that of a reference without them.
    answer = gwas.attack(pool, reference, overlap="leave-out")
    assert (answer.overlap_left_out, answer.strangers) == (2, 50)
    alone = gwas.attack(pool, write(tmp_path / "alone", outside))
    assert attrs.evolve(answer, overlap_left_out=0) == alone


def test_a_reference_of_the_pool_only_is_refused_either_way(tmp_path):
    inside = people(1, 60, 200)
    pool, copy = write(tmp_path / "in", inside), write(tmp_path / "copy", inside[:, ::-1])
    with refuses(DataError, "both-reference-without: 60 | 60"):
        gwas.attack(pool, copy)
    with refuses(DataError, "somebody-in-reference-who-not"):
        gwas.attack(pool, copy, overlap="leave-out")
    with refuses(InvalidArgument, "not-one-of: overlap"):
        gwas.attack(pool, copy, overlap="ignore")


def test_too_few_variants_say_that_nobody_was_compared(tmp_path):
    inside, outside = people(1, 60, 6), people(2, 50, 6)
    pool = write(tmp_path / "in", inside)
    answer = gwas.attack(pool, write(tmp_path / "out", outside))
    assert not answer.overlap_checked
    assert gwas.attack(
        *(write(tmp_path / f"m{i}", people(i, 50, 200)) for i in (1, 2))
    ).overlap_checked


def test_a_fam_file_that_names_nobody_is_an_error(files):
    _, _, pool, reference = files
    reference.with_suffix(".fam").write_text("i1\n" * 30)
    with refuses(DataError, "family-and-individual"):
        gwas.attack(pool, reference)


def drawn(seed, people, frequency):
    rng = np.random.default_rng(seed)
    return rng.binomial(2, frequency[:, None], (len(frequency), people)).astype(np.int8)


FREQUENCY = np.random.default_rng(0).uniform(0.1, 0.9, 150)


@pytest.mark.parametrize("missing", [False, True])
def test_f_st_is_hudsons_ratio_of_sums(missing):
    many = np.resize(FREQUENCY, 600)  # more than are looked at together
    ones, others = drawn(1, 20, many), drawn(2, 30, many[::-1])
    if missing:
        ones[3, 4] = others[7, :5] = ones[500, 1:] = others[599] = -1
    between = total = 0.0
    for row, other in zip(ones, others, strict=True):
        row, other = row[row >= 0], other[other >= 0]
        n, m = 2 * len(row), 2 * len(other)
        if n and m:
            p, q = row.sum() / n, other.sum() / m
            between += (p - q) ** 2 - p * (1 - p) / (n - 1) - q * (1 - q) / (m - 1)
            total += p * (1 - q) + q * (1 - p)
    answers = [ancestry(ones, others) for _ in kinds_of_products()]
    assert answers[0].f_st == pytest.approx(between / total, rel=1e-6)
    assert len(set(answers)) == 1


def test_one_population_is_hardly_ever_called_two():
    """60 divisions, variants linked in pairs: six alarms come by chance in 1 of 10^9."""
    alarms, below_half = 0, 0
    for seed in range(60):
        everyone = np.repeat(drawn(seed, 60, FREQUENCY[:40]), 2, axis=0)
        differences = ancestry(everyone[:, :25], everyone[:, 25:])
        alarms += differences.differs
        below_half += differences.p_value <= 0.5
    assert binom.sf(alarms - 1, 60, FALSE_POSITIVE_RATE) > 1e-9
    # p-values are uniform: at most half are below ½, and hardly fewer.
    assert binom.sf(below_half - 1, 60, 0.5) > 1e-9
    assert binom.cdf(below_half, 60, 0.5) > 1e-9


@pytest.mark.parametrize("variants_", [1, 255, 256, 511])
@pytest.mark.parametrize("missing", [0, 0.1])
def test_few_people_are_dealt_alike_again_and_again(variants_, missing):
    """Of n divisions one in n is this very one, however its sums are rounded."""
    for seed, ones, others in ((1, 1, 1), (2, 1, 3), (3, 3, 1), (4, 2, 2), (5, 2, 3)):
        rng = np.random.default_rng(seed)
        frequency = rng.uniform(0, 1, (variants_, 1))
        copies = rng.binomial(2, frequency, (variants_, ones + others)).astype(np.int8)
        copies[rng.random(copies.shape) < missing] = -1
        differences = ancestry(copies[:, :ones], copies[:, ones:])
        alike = binom.isf(1e-9, 999, 1 - 1 / math.comb(ones + others, ones))
        assert differences.p_value >= (1000 - alike) / 1000


@pytest.mark.parametrize("apart", [0.1, 0.2])
def test_two_populations_are_distinguished(apart):
    moved = np.clip(FREQUENCY + apart * np.resize([1, -1], len(FREQUENCY)), 0, 1)
    differences = ancestry(drawn(1, 60, FREQUENCY), drawn(2, 80, moved))
    assert differences.differs
    assert differences.f_st > 0.005


def test_variants_without_a_call_or_without_variation_say_nothing():
    ones, others = drawn(1, 20, FREQUENCY[:30]), drawn(2, 20, FREQUENCY[:30])
    more = np.full((10, 20), -1, np.int8), np.zeros((10, 20), np.int8)
    padded = [
        np.concatenate([group, extra]) for group, extra in ((ones, more[0]), (others, more[1]))
    ]
    assert ancestry(*padded).f_st == pytest.approx(ancestry(ones, others).f_st)
    alone = ancestry(more[1], more[1])
    assert (alone.f_st, alone.p_value) == (0.0, 1.0)


COMMON = np.random.default_rng(0).uniform(0.15, 0.85, 300)
PLACES = ["1"] * 150 + ["2"] * 150


def names(people, start=0):
    return [(f"f{i}", f"i{i}") for i in range(start, start + people)]


def compared(ones, others, start=1000):
    listed = names(ones.shape[1]), names(others.shape[1], start)
    return same_people(ones, others, listed, PLACES[: len(ones)])


def test_strangers_are_strangers():
    same = compared(drawn(1, 300, COMMON), drawn(2, 400, COMMON))
    assert (same.shared, same.only_named) == (frozenset(), 0)


@pytest.mark.parametrize("errors", [0, 3, 6])
@pytest.mark.parametrize("holes", [0, 30])
def test_a_person_is_found_again_in_spite_of_errors_and_holes(errors, holes):
    ones, others = drawn(1, 40, COMMON), drawn(2, 50, COMMON)
    rng = np.random.default_rng(3)
    again = ones[:, 7].copy()
    wrong = rng.choice(300, errors, replace=False)
    again[wrong] = (again[wrong] + 1) % 3
    again[rng.choice(300, holes, replace=False)] = -1
    others[:, 20] = again
    assert compared(ones, others).shared == {7}


def test_parents_and_children_are_two_people():
    rng = np.random.default_rng(4)
    parents = [rng.random((300, 2, 40)) < COMMON[:, None, None] for _ in range(2)]
    children = [
        sum(
            np.take_along_axis(parent, rng.integers(2, size=(300, 1, 40)), axis=1)[:, 0].astype(int)
            for parent in parents
        ).astype(np.int8)
        for _ in range(2)
    ]
    mothers = parents[0].sum(axis=1).astype(np.int8)
    assert compared(mothers, children[0]).shared == frozenset()
    assert compared(*children).shared == frozenset()  # brothers and sisters


def test_namesakes_are_told_from_the_same_people():
    ones, others = drawn(1, 30, COMMON), drawn(2, 30, COMMON)
    others[:, 4] = ones[:, 4]
    same = compared(ones, others, start=0)
    assert (same.shared, same.only_named) == ({4}, 29)


def test_too_few_variants_tell_nobody_apart_but_confirm_an_identifier():
    ones = drawn(1, 60, COMMON[:4])
    assert compared(ones, ones.copy()).shared == frozenset()
    assert compared(ones, ones.copy(), start=0).shared == frozenset(range(60))


@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_namesakes_who_agree_by_chance_at_few_variants_are_other_people(number):
    same = compared(drawn(1, 60, COMMON[:number]), drawn(2, 60, COMMON[:number]), start=0)
    assert (same.shared, same.only_named, same.by_genotypes) == (frozenset(), 60, False)


def test_twins_are_one_person():
    ones, others = drawn(1, 40, COMMON), drawn(2, 50, COMMON)
    others[:, [3, 4]] = ones[:, [11, 11]]
    same = compared(ones, others)
    assert (same.shared, same.others) == ({11}, {3, 4})


def test_variants_in_full_linkage_count_once():
    few = (
        drawn(1, 60, COMMON[:4]),
        drawn(2, 60, COMMON[:4]),
    )
    ones, others = (np.repeat(group, 75, axis=0) for group in few)
    assert compared(ones, others).shared == frozenset()


@pytest.mark.parametrize("kept", [(0, 10), (10, 20)])
def test_part_of_a_pool_is_compared_by_its_own_names(tmp_path, files, kept):
    """Files that count people from 1 share names; who is left out of the pool has none in it."""
    inside, outside, pool, _ = files
    part = inside[:, slice(*kept)]
    lines = pool.with_suffix(".fam").read_text().splitlines()[slice(*kept)]
    listed = tmp_path / "kept.txt"
    listed.write_text("".join(" ".join(line.split()[:2]) + "\n" for line in lines))
    only = gwas.Filters(keep=listed)
    answer = gwas.attack(pool, write(tmp_path / "others", outside), filters=only)
    assert (answer.members, answer.overlap_left_out) == (10, 0)
    again = write(tmp_path / "again", np.concatenate([outside, part[:, :3]], axis=1))
    with refuses(DataError, "both-reference-without: 3 | 10"):
        gwas.attack(pool, again, filters=only)


def named(tmp_path, numbers):
    path = tmp_path / "names.txt"
    path.write_text("".join(f"v{i}\n" for i in numbers))
    return path


@pytest.mark.parametrize("rule", ["extract", "exclude", "chromosomes"])
def test_filtered_variants_are_attacked_as_if_the_files_had_no_others(tmp_path, rule):
    inside, outside, kept = people(1, 20), people(2, 30), range(10, 60)
    everywhere = variants(80)
    place = ["2" if i in kept else "chr3" for i in range(80)]
    listed_ = attrs.evolve(everywhere, chromosome=np.array(place, dtype=object))
    selected = listed_.take(np.arange(10, 60))
    for name, copies in {"in": inside, "out": outside}.items():
        write(tmp_path / name, copies, listed_)
        write(tmp_path / f"{name}-part", copies[10:60], selected)
    rules = {
        "extract": lambda: {"extract": named(tmp_path, kept)},
        "exclude": lambda: {"exclude": named(tmp_path, [*range(10), *range(60, 80)])},
        "chromosomes": lambda: {"chromosomes": "chr2"},
    }
    filters = gwas.Filters(**rules[rule]())
    answer = gwas.attack(tmp_path / "in", tmp_path / "out", filters=filters)
    part = gwas.attack(tmp_path / "in-part", tmp_path / "out-part")
    assert (answer.levels, answer.references) == (part.levels, part.references)
    assert (answer.power_measured, answer.auc_lr) == (part.power_measured, part.auc_lr)
    assert (answer.variants_used, answer.variants_left_out["filtered"]) == (50, 30)


def test_filters_that_leave_little_hide_nobody_of_the_pool_in_the_reference(tmp_path):
    inside, outside = people(1, 20), people(2, 30)
    pool = write(tmp_path / "in", inside)
    both = write(tmp_path / "out", np.concatenate([outside, inside[:, :2]], axis=1))
    few = gwas.Filters(extract=named(tmp_path, [3, 4]))
    with refuses(DataError, "both-reference-without: 2 | 20"):
        gwas.attack(pool, both, filters=few)
    assert gwas.attack(pool, both, filters=few, overlap="leave-out").variants_used == 2


def test_whoever_is_removed_may_be_in_the_reference(files, tmp_path):
    inside, outside, pool, _ = files
    lines = pool.with_suffix(".fam").read_text().splitlines()
    (tmp_path / "gone.txt").write_text("".join(f"{line.split()[1]}\n" for line in lines[:4]))
    both = write(tmp_path / "again", np.concatenate([outside, inside[:, :4]], axis=1))
    answer = gwas.attack(pool, both, filters=gwas.Filters(remove=tmp_path / "gone.txt"))
    assert (answer.members, answer.strangers, answer.overlap_left_out) == (16, 34, 0)


def test_filters_that_leave_nothing_are_told(files, tmp_path):
    _, _, pool, reference = files
    for rule in ({"extract": named(tmp_path, [99])}, {"chromosomes": "7"}):
        with refuses(DataError, "variant-or-more-that-passes"):
            gwas.attack(pool, reference, filters=gwas.Filters(**rule))
