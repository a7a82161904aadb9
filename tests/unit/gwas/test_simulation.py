"""Made-up studies with real structure."""

import itertools
import math
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from deniable import gwas
from deniable.errors import InvalidArgument, NotApplicable
from deniable.gwas import simulation
from deniable.gwas.files import count_study, genotypes
from deniable.gwas.simulation import Place, check_installed, effects, recruit, stretch
from tests.cases.processes import started
from tests.cases.refusals import refuses


def simulate(folder, name="study", **changes):
    arguments = {"individuals": 60, "cases": 25, "variants": 90, "causal": 2, "seed": 4}
    return gwas.simulate(folder / name, **(arguments | changes))


def test_the_files_are_a_study_of_the_size_asked_for(tmp_path):
    simulated = simulate(tmp_path)
    study = count_study(simulated.prefix)
    assert (study.individuals, study.cases, study.controls) == (60, 25, 35)
    assert len(study.variants) == simulated.variants == 90
    assert study.missing_calls == 0
    assert len(set(study.variants.identifier)) == 90
    for chromosome in set(study.variants.chromosome):
        places = study.variants.position[study.variants.chromosome == chromosome]
        assert (np.diff(places) > 0).all()


def test_the_truth_stands_beside_it(tmp_path):
    simulated = simulate(tmp_path)
    lines = (tmp_path / "study.causal.tsv").read_text().splitlines()
    assert lines[0].split("\t") == ["variant", "chromosome", "position", "frequency", "odds_ratio"]
    assert [line.split("\t")[0] for line in lines[1:]] == [
        each.variant for each in simulated.causal
    ]
    assert len({each.chromosome for each in simulated.causal}) == 2
    assert all(each.frequency >= 0.2 and each.odds_ratio > 1 for each in simulated.causal)
    assert simulated.as_json()["causal"][0]["variant"] == simulated.causal[0].variant


def test_a_seed_repeats_the_study_and_another_does_not(tmp_path):
    first, second = simulate(tmp_path, "a"), simulate(tmp_path, "b")
    other = simulate(tmp_path, "c", seed=5)
    beds = [each.prefix.with_suffix(".bed").read_bytes() for each in (first, second, other)]
    assert beds[0] == beds[1] != beds[2]
    assert first.causal == second.causal


def test_neighbours_are_linked_and_chromosomes_are_not(tmp_path):
    simulated = simulate(tmp_path, individuals=400, cases=200, variants=300, seed=2)
    study = genotypes(simulated.prefix)
    copies = np.concatenate(list(study.blocks(64))).astype(float)
    varying = copies.std(axis=1) > 0
    squared = np.corrcoef(copies[varying]) ** 2
    places = study.variants.chromosome[varying]
    pairs = list(itertools.pairwise(range(len(places))))
    near = np.mean([squared[i, j] for i, j in pairs if places[i] == places[j]])
    far = squared[np.ix_(places == "1", places == "2")].mean()
    # Unlinked pairs have r² near 1/400; neighbours in the coalescent a hundred times that.
    assert near > 0.1
    assert far < 0.02


@pytest.mark.parametrize(
    ("variants", "spacing", "pieces"),
    [(900, 5_000.0, 2), (1_100, 5_000.0, 2), (1_500, 5_000.0, 3), (5, 1e8, 5), (40, 1e6, 16)],
)
def test_long_studies_lie_on_many_chromosomes(variants, spacing, pieces):
    places = list(simulation._places(variants, 2, spacing))
    assert [each.chromosome for each in places] == [str(i + 1) for i in range(pieces)]
    assert sum(each.variants for each in places) == variants
    assert min(each.variants for each in places) > 0


def test_the_number_of_processors_changes_nothing(tmp_path, monkeypatch):
    beds = []
    for number in (1, 3, None):
        monkeypatch.setattr("os.cpu_count", lambda number=number: number)
        simulated = simulate(tmp_path, f"of {number}", variants=132, spacing=50_000.0)
        beds.append(simulated.prefix.with_suffix(".bed").read_bytes())
    assert beds[0] == beds[1] == beds[2]


def test_a_stretch_that_fails_ends_it_and_leaves_no_thread(tmp_path, monkeypatch):
    true, begun = simulation.stretch, []

    def failing(people, place, *rest):
        begun.append(place)
        if place.chromosome == "4":
            raise MemoryError
        return true(people, place, *rest)

    monkeypatch.setattr(simulation, "stretch", failing)
    before = threading.active_count()
    with pytest.raises(MemoryError):
        simulate(tmp_path, variants=400, spacing=1e5)
    assert all_ended(before)
    assert not list(tmp_path.iterdir())
    assert len(begun) < 22


LONG = """
import sys
from deniable import gwas
print("begun", flush=True)
gwas.simulate(sys.argv[1], individuals=10, cases=5, variants=22, causal=0, seed=1, spacing=9e7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_stretches_that_take_hours_end_with_the_program(tmp_path):
    """msprime asks for signals in the main thread only; its pieces are in others."""
    command = [sys.executable, "-c", LONG, str(tmp_path / "study")]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        time.sleep(1)  # so that pieces are within msprime
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert b"KeyboardInterrupt" in said
    assert not list(tmp_path.iterdir())


def all_ended(before):
    """Whether there are as many threads as before, or soon will be."""
    for _ in range(100):
        if threading.active_count() <= before:
            return True
        time.sleep(0.1)
    return False


def test_what_fails_between_stretches_leaves_no_thread(tmp_path, monkeypatch):
    def failing(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "recruit", failing)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt) as kept:
        simulate(tmp_path, variants=400, spacing=1e5)
    assert kept.tb is not None  # the frames are kept, and all that is in them
    assert all_ended(before)
    assert not list(tmp_path.iterdir())


def test_common_variants_are_common(tmp_path):
    simulated = simulate(tmp_path, individuals=500, cases=250, causal=0, minor_allele_frequency=0.3)
    counts = count_study(simulated.prefix).counts
    frequency = ((counts.cases + counts.controls) @ [0, 1, 2, 0]) / 1000
    # The population's frequency is at least .3; 500 of its 1,000 people are in the study.
    assert frequency.min() > 0.2
    assert simulated.causal == ()


def test_strong_variants_stand_out(tmp_path):
    simulated = simulate(
        tmp_path, individuals=1000, cases=500, causal=1, odds_ratio=4.0, variants=40
    )
    study = count_study(simulated.prefix)
    x, y = (group @ [0, 1, 2, 0] for group in (study.counts.cases, study.counts.controls))
    index = study.variants.identifier.tolist().index(simulated.causal[0].variant)
    assert x[index] > 1.3 * y[index]


def test_many_causal_variants_share_the_chromosomes(tmp_path):
    simulated = simulate(tmp_path, variants=60, causal=50)
    assert len(simulated.causal) == 50
    assert len({each.variant for each in simulated.causal}) == 50
    assert {each.chromosome for each in simulated.causal} == {str(i) for i in range(1, 23)}


@pytest.mark.parametrize("causal", [2, 22, 25])
def test_causal_variants_lie_apart_where_chromosomes_have_many_pieces(
    tmp_path, monkeypatch, causal
):
    monkeypatch.setattr(simulation, "LONGEST", 2)
    simulated = simulate(tmp_path, variants=100, causal=causal)
    assert len({each.chromosome for each in simulated.causal}) == min(causal, 22)
    study = count_study(simulated.prefix).variants
    # In the file everything still has its order, and the truth its variants.
    assert study.identifier.tolist() == [f"sim{1 + i}" for i in range(100)]
    assert (np.diff(study.chromosome.astype(int)) >= 0).all()
    named = dict(zip(study.identifier.tolist(), study.chromosome.tolist(), strict=True))
    assert all(named[each.variant] == each.chromosome for each in simulated.causal)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cases": 0}, "below-least: cases | 1"),
        ({"individuals": 25}, "cases-below-individuals"),
        ({"variants": 1}, "causal-at-most-variants"),
        ({"seed": -1}, "below-least: seed | 0"),
        ({"odds_ratio": 0.0}, "not-above-0: odds_ratio"),
        ({"minor_allele_frequency": 0.5}, "minor-allele-frequency-below-0-5"),
        ({"spacing": 0.0}, "not-above-0: spacing"),
        ({"spacing": 1e308}, "spacing-at-most: 429496729 | 1e+308"),
        ({"spacing": 3e9, "variants": 2}, "spacing-at-most: 2147483647"),
    ],
)
def test_wrong_numbers_are_refused(tmp_path, changes, message):
    with refuses(InvalidArgument, message):
        simulate(tmp_path, **changes)
    assert not list(tmp_path.iterdir())


def test_a_study_is_never_written_over(tmp_path):
    simulate(tmp_path)
    before = (tmp_path / "study.bed").read_bytes()
    with refuses(InvalidArgument, "new-file"):
        simulate(tmp_path, seed=9)
    assert (tmp_path / "study.bed").read_bytes() == before


@pytest.mark.parametrize("causal", [0, 2, 8])
def test_progress_is_told_of_each_piece_that_is_simulated_and_ends_at_one(tmp_path, causal):
    """Causal variants are drawn once all of their pieces are there, before anything is written."""
    fractions = []
    simulate(tmp_path, causal=causal, spacing=200_000.0, progress=fractions.append)
    pieces = len(set(count_study(tmp_path / "study").variants.chromosome))
    assert pieces >= 7
    assert fractions == pytest.approx(np.arange(1, 2 * pieces + 1) / (2 * pieces))


def test_a_reference_is_of_the_same_population_and_of_other_people(tmp_path):
    simulated = simulate(tmp_path, individuals=200, cases=100, variants=400, reference=150)
    alone = simulate(tmp_path, "alone", individuals=200, cases=100, variants=400)
    assert (alone.reference, simulated.reference) == (None, tmp_path / "study.reference")
    assert simulated.as_json()["reference"] == str(tmp_path / "study.reference")
    fams = [
        [
            line.split()[:2]
            for line in prefix.with_name(f"{prefix.name}.fam").read_text().split("\n")
        ]
        for prefix in (simulated.prefix, simulated.reference)
    ]
    names = [{tuple(each) for each in fam if each} for fam in fams]
    assert [len(each) for each in names] == [200, 150]
    assert not names[0] & names[1]
    answer = gwas.attack(simulated.prefix, simulated.reference)
    assert (answer.members, answer.strangers) == (200, 150)
    assert not answer.ancestry_differs


def test_a_study_without_a_reference_is_as_before(tmp_path):
    beds = [
        simulate(tmp_path, name, **more).prefix.with_suffix(".bed").read_bytes()
        for name, more in (("a", {}), ("b", {"reference": 0}))
    ]
    assert beds[0] == beds[1]
    with refuses(InvalidArgument, "below-least: reference"):
        simulate(tmp_path, "c", reference=-1)


PLACE = Place("7", 1_000_000, 30, 100)


def piece(seed=3, floor=0.1, spacing=1000.0):
    return stretch(80, PLACE, floor, spacing, np.random.default_rng(seed))


@pytest.mark.parametrize("floor", [0.1, 0.3, 0.4])
def test_no_variant_lies_on_the_bases_of_the_next_piece(floor):
    """The more common variants have to be, the longer is a piece, whatever the spacing."""
    refused, placed = 0, 0
    for apart in (2_000, 20_000, 60_000, 200_000, 1_000_000):
        place = Place("7", 1_000_000, 30, 100, apart)
        try:
            drawn = stretch(80, place, floor, 1.0, np.random.default_rng(3))
        except InvalidArgument:
            refused += 1
        else:
            placed += 1
            assert drawn.variants.position.max() <= 1_000_000 + apart
    assert refused
    assert placed


@pytest.mark.parametrize(
    "changes",
    [{"minor_allele_frequency": 0.499, "variants": 5_000, "causal": 0, "spacing": 1.0},
     {"minor_allele_frequency": 0.49, "variants": 1_000_000, "causal": 200, "spacing": 1.0}],
)  # fmt: skip
def test_variants_too_common_for_a_chromosome_are_refused(tmp_path, changes):
    with refuses(InvalidArgument, "variants-that-common"):
        simulate(tmp_path, individuals=200, **changes)
    assert not list(tmp_path.iterdir())


def test_variants_are_named_and_placed():
    simulated_stretch = piece()
    assert simulated_stretch.variants.identifier.tolist() == [f"sim{101 + i}" for i in range(30)]
    assert set(simulated_stretch.variants.chromosome) == {"7"}
    assert simulated_stretch.variants.position.min() > 1_000_000
    assert (np.diff(simulated_stretch.variants.position) > 0).all()
    assert (simulated_stretch.variants.allele_1 != simulated_stretch.variants.allele_2).all()


def test_the_counted_allele_is_the_rarer_one_and_common_enough():
    simulated_stretch = piece()
    copies = np.concatenate(
        [block for _, block in simulated_stretch.genotypes(np.arange(80), block=7)]
    )
    np.testing.assert_allclose(copies.mean(axis=1) / 2, simulated_stretch.frequencies, rtol=1e-12)
    assert (simulated_stretch.frequencies >= 0.1).all()
    assert (simulated_stretch.frequencies <= 0.5).all()


def test_chosen_variants_and_people_are_those_of_the_whole():
    simulated_stretch = piece()
    every_copy = np.concatenate([block for _, block in simulated_stretch.genotypes(np.arange(80))])
    people, among = np.array([5, 70, 2]), np.array([3, 28])
    assert (
        simulated_stretch.copies(people, among).tolist()
        == every_copy[np.ix_(among, people)].tolist()
    )
    assert simulated_stretch.copies(people, np.array([], int)).shape == (0, 3)


def test_copies_are_those_of_the_whole_genealogy():
    """Of tskit's matrix of everybody, in the order of the people that are named."""
    simulated_stretch = piece(seed=11)
    matrix = simulated_stretch.trees.genotype_matrix()
    assert simulation._derived_copies(simulated_stretch.trees).tolist() == matrix.sum(1).tolist()
    pairs = matrix[simulated_stretch.sites].reshape(30, 80, 2).sum(axis=2)
    flipped = simulated_stretch.flipped
    expected = np.where(flipped[:, None], 2 - pairs, pairs)
    assert flipped.any()
    for people in (np.arange(80), np.array([40, 3, 79, 4])):
        blocks = [block for _, block in simulated_stretch.genotypes(people, block=8)]
        assert np.concatenate(blocks).tolist() == expected[:, people].tolist()


@pytest.mark.parametrize("spacing", [1.0, 20_000.0])
def test_frequencies_have_the_neutral_law_however_few_mutations_there_are(spacing):
    """i of n chromosomes carry a mutation with a chance like 1/i."""
    found = [piece(seed, spacing=spacing) for seed in range(60)]
    carried = np.arange(16, 145)
    expected = np.average(np.minimum(carried, 160 - carried) / 160, weights=1 / carried)
    means = np.array([each.frequencies.mean() for each in found])
    # The mean of a stretch goes with its trees; passing six standard errors is one in 10^8.
    assert abs(means.mean() - expected) < 6 * means.std() / math.sqrt(len(means))
    assert np.mean([each.trees.num_sites for each in found]) < 30 * 6


def test_a_genealogy_that_is_long_enough_is_kept_however_few_its_mutations(monkeypatch):
    """Of one that is wanted, every fourth has none at first: to draw another prefers old trees."""
    drawn = []

    def noted(name):
        true = getattr(simulation.msprime, name)

        def call(*given, **how):
            drawn.append(name)
            return true(*given, **how)

        monkeypatch.setattr(simulation.msprime, name, call)

    noted("sim_ancestry")
    noted("sim_mutations")
    for seed in range(30):
        stretch(40, Place("7", 0, 1, 0), 0.3, 200_000.0, np.random.default_rng(seed))
    assert drawn.count("sim_ancestry") == 30 < drawn.count("sim_mutations")


def test_a_stretch_grows_until_it_has_enough_variants():
    """Of one or two common variants, the first length that is tried often has too few."""
    for seed in range(30):
        place = Place("7", 1_000_000, 1 + seed % 2, 100)
        simulated_stretch = stretch(80, place, 0.1, 1.0, np.random.default_rng(seed))
        assert len(simulated_stretch.variants) == place.variants


def test_of_a_floor_both_alleles_may_be_the_older_one():
    """18 and 22 of 40 chromosomes are as common as each other, and .45 is enough."""
    found = [stretch(20, PLACE, 0.45, 5000.0, np.random.default_rng(i)) for i in range(3)]
    least = [each.flipped[each.frequencies == 0.45] for each in found]
    assert {True, False} == set(np.concatenate(least).tolist())
    assert min(each.frequencies.min() for each in found) == 0.45


@pytest.mark.parametrize("floor", [0.49, 0.499999, math.nextafter(0.5, 0)])
def test_a_floor_near_a_half_leaves_what_half_of_all_carry(floor):
    found = stretch(4, Place("7", 0, 3, 0), floor, 1.0, np.random.default_rng(6))
    assert found.frequencies.tolist() == [0.5] * 3
    assert found.trees.sequence_length < 1e6


def test_without_the_simulator_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(simulation, "msprime", None)
    with refuses(NotApplicable, "install-deniable-simulate"):
        check_installed()


def test_causal_variants_explain_the_same_share_of_risk():
    frequencies = np.array([0.05, 0.2, 0.5])
    variance = effects(frequencies, 1.8) ** 2 * 2 * frequencies * (1 - frequencies)
    np.testing.assert_allclose(variance, np.log(1.8) ** 2 / 2, rtol=1e-12)


@pytest.mark.parametrize(("cases", "controls"), [(1, 1), (1, 9), (9, 1), (5, 5)])
def test_groups_have_their_sizes_and_do_not_meet(cases, controls):
    ill, well = recruit(np.zeros(10), cases, controls, np.random.default_rng(2))
    assert (len(ill), len(well)) == (cases, controls)
    assert not set(ill.tolist()) & set(well.tolist())


def test_the_odds_ratio_of_an_exposure_is_the_simulated_one():
    # 200,000 people, half exposed, log odds 1: the estimate's standard error is about 0.01.
    rng = np.random.default_rng(8)
    exposed = np.arange(200_000) % 2 == 0
    ill, well = recruit(exposed * 1.0, 60_000, 60_000, rng)
    a, b = exposed[ill].sum(), exposed[well].sum()
    log_odds = np.log(a / (60_000 - a) / (b / (60_000 - b)))
    error = np.sqrt(1 / a + 1 / b + 1 / (60_000 - a) + 1 / (60_000 - b))
    # Passing 6.1 standard errors has probability 1e-9.
    assert abs(log_odds - 1.0) < 6.1 * error
