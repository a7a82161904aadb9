"""Windows around chosen variants: which go, how many rounds there are, and their law."""

import itertools
import json
import math

import numpy as np
import pytest

from deniable import gwas
from deniable.certificate.json_documents import statement_sha256
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.genotypes import Variants
from deniable.gwas.public_filters import Window
from deniable.gwas.publication import Loci, check_rounds, parse_window
from deniable.mechanisms import NoisyTopK
from deniable.pipeline.check import check
from deniable.pipeline.noise import SelectionPart, sampler
from tests.cases.effort import usual
from tests.cases.refusals import refuses


def variants(places):
    """Chromosome and position of each."""
    names = [f"v{i}" for i in range(len(places))]
    chromosomes, positions = zip(*places, strict=True)
    return Variants(chromosomes, names, positions, ["A"] * len(places), ["G"] * len(places))


PLACES = [("1", 5_000), ("2", 100), ("1", 1_000), ("chr1", 2_000), ("2", 1_101), ("1", 3_001)]


def test_a_window_holds_its_ends_and_one_chromosome():
    loci = Loci.of(variants(PLACES), Window(kb=1.0))
    windows = [sorted(loci.around(i).tolist()) for i in range(len(PLACES))]
    assert windows == [[0], [1], [2, 3], [2, 3], [4], [5]]
    wide = Loci.of(variants(PLACES), Window(kb=1e6))
    assert sorted(wide.around(0).tolist()) == [0, 2, 3, 5]
    assert wide.least == 2


@pytest.mark.parametrize("seed", range(12))
def test_the_least_number_of_rounds_is_that_of_the_worst_choices(seed):
    rng = np.random.default_rng(seed)
    places = [(str(rng.integers(1, 3)), int(rng.integers(1, 12)) * 1000) for _ in range(8)]
    loci = Loci.of(variants(places), Window(kb=float(rng.integers(1, 5))))

    def fewest(left):
        # Whatever is chosen first, and then worst.
        if not left:
            return 0
        return 1 + min(fewest(left - set(loci.around(i).tolist())) for i in left)

    assert loci.least <= fewest(frozenset(range(8)))
    check_rounds(loci.least, loci)
    with refuses(InvalidArgument, "top-at-most-as-windows-make"):
        check_rounds(loci.least + 1, loci)


MAP = "1 a 0 0\n1 b 1.0 1000000\n1 c 1.0 2000000\n1 d 5.0 3000000\n"


def test_centimorgans_are_read_between_the_places_of_a_map(tmp_path):
    path = tmp_path / "public.map"
    path.write_text(MAP)
    window = parse_window(None, 0.5, path)
    places = [("1", 500_000), ("1", 999_999), ("1", 2_100_000), ("1", 2_900_000), ("1", 2_300_000)]
    loci = Loci.of(variants(places), window, path)
    # 0.5, 1.0, 1.4, 4.6 and 2.2 cM
    windows = [sorted(loci.around(i).tolist()) for i in range(5)]
    assert windows == [[0, 1], [0, 1, 2], [1, 2], [3], [4]]
    with refuses(DataError, "none-of-every-chromosome: 7"):
        Loci.of(variants([("7", 1)]), window, path)


@pytest.mark.parametrize(
    "text",
    ["", "1 a 0\n", "1 a x 5\n", "1 a 0 5\n", "1 a 2 5\n1 b 1 6\n", "1 a nan 5\n", "1 a 1 inf\n"],
)
def test_a_map_that_is_none(tmp_path, text):
    path = tmp_path / "public.map"
    path.write_text(text)
    with refuses(DataError, "chromosome-identifier-centimorgans"):
        Loci.of(variants([("1", 1)]), parse_window(None, 1.0, path), path)


@pytest.mark.parametrize(
    ("kb", "cm", "where", "message"),
    [
        (0.0, None, None, "not-above-0: window_kb"),
        (-3.0, None, None, "not-above-0: window_kb"),
        (math.inf, None, None, "not-finite: window_kb"),
        (math.nan, None, None, "not-a-number: window_kb"),
        (1.0, 1.0, "m", "at-most-one"),
        (None, 1.0, None, "genetic-map-together"),
        (None, None, "m", "genetic-map-together"),
        (None, 1.0, "m", "genetic-map-m-none"),
    ],
)
def test_windows_that_cannot_be(kb, cm, where, message):
    with refuses(InvalidArgument, message):
        parse_window(kb, cm, where)


def law_of_rounds(scores, scale, number, around):
    """Every ordered selection with its probability, each round among what is left."""
    once = NoisyTopK(scale, 1, "exponential")
    chances = {}

    def walk(selected, left, probability):
        if len(selected) == number:
            chances[selected] = probability
            return
        law = once.round_law(scores[left])
        for place, share in zip(left, law, strict=True):
            rest = [i for i in left if i not in around(place)]
            walk((*selected, place), rest, probability * share)

    walk((), list(range(len(scores))), 1.0)
    return chances


LINE = [("1", 1_000 * i) for i in range(5)]


def test_the_rounds_lose_no_more_than_is_claimed_on_any_neighbours():
    # All tables of scores in {0, 1}, and all neighbours whose scores differ by at most 1.
    around = Loci.of(variants(LINE), Window(kb=1.0)).around
    part = SelectionPart("top", 1.0, 1, 5, 2, 1, False)
    scale = 4.0
    claimed = NoisyTopK(scale, 2, "exponential").epsilon(part.sensitivity, part.monotone)
    tables = [np.array(each) for each in itertools.product((0, 1), repeat=5)]
    laws = [law_of_rounds(each, scale, 2, lambda i: set(around(i).tolist())) for each in tables]
    largest = 0.0
    for one, other in itertools.permutations(laws, 2):
        assert one.keys() == other.keys()
        largest = max(largest, *(math.log(one[key] / other[key]) for key in one))
    assert claimed / 2 < largest <= claimed
    assert all(math.isclose(sum(law.values()), 1) for law in laws)


def test_the_sampler_draws_the_law_of_the_rounds():
    scores, scale, draws = np.array([3, 2, 0, 1, 3]), 1.5, usual(1_400, 4_000)
    around = Loci.of(variants(LINE), Window(kb=1.0)).around
    part = SelectionPart("top", 1.0, draws, 5, 2, 1, False)
    mechanism = NoisyTopK(scale, 2, "exponential")
    law = law_of_rounds(scores, scale, 2, lambda i: set(around(i).tolist()))
    numbers: dict[tuple[int, ...], int] = dict.fromkeys(law, 0)
    for selected in sampler.release(mechanism, part, np.tile(scores, (draws, 1)), around):
        numbers[tuple(selected.tolist())] += 1
    # Hoeffding's bound for each of the selections, together wrong with a chance of 1e-9; draws
    # without windows give (0, 1) a share of .1, which has none here: 1,400 show .096.
    reach = math.sqrt(math.log(2 * len(law) / 1e-9) / (2 * draws))
    assert (0, 1) not in law
    assert max(abs(numbers[key] / draws - law[key]) for key in law) < reach


def counts_file(folder):
    """Five variants, 1 kb apart, of which the first two differ most between cases and controls."""
    names = "chromosome variant position cases_0 cases_1 cases_2 controls_0 controls_1 controls_2"
    lines = [names.split()]
    for i, most in enumerate((80, 78, 50, 62, 50)):
        own = [100 - most, 0, most]
        lines.append([str(each) for each in ("1", f"v{i}", 1_000 * (i + 1), *own, *own[::-1])])
    path = folder / "study.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines))
    return path


def test_a_release_names_loci_and_a_forged_one_is_found(tmp_path):
    out = tmp_path / "out"
    study = counts_file(tmp_path)
    answer = gwas.release(study, out, top=2, epsilon=1e4, window_kb=1.5)
    assert answer.as_json()["released"] == ["v0", "v3"]
    assert gwas.release(study, tmp_path / "near", top=2, epsilon=1e4).as_json()["released"] == [
        "v0",
        "v1",
    ]
    document = json.loads((out / "certificate.json").read_text())
    assert document["selection"]["window"] == {"kb": 1.5}
    assert check(out).as_json()["holds"]
    document["selection"]["window"] = {"kb": 5.0}  # then v0 and v3 stand in one window
    document["statement_sha256"] = statement_sha256(document)
    (out / "certificate.json").write_text(json.dumps(document))
    assert not check(out).as_json()["holds"]


def test_more_loci_than_there_are_sure_to_be_are_refused_and_nothing_is_written(tmp_path):
    with refuses(InvalidArgument, "top-at-most-as-windows-make: 2"):
        gwas.release(counts_file(tmp_path), tmp_path / "out", top=3, epsilon=1.0, window_kb=1.5)
    assert not (tmp_path / "out").exists()


def test_candidates_that_run_out_are_refused():
    part = SelectionPart("top", 1.0, 1, 5, 2, 1, False)
    everything = np.arange(5)
    with refuses(InvalidArgument, "none-left"):
        sampler.release(
            NoisyTopK(1.0, 2, "exponential"), part, np.zeros((1, 5), np.int64), lambda _: everything
        )
