"""Counts and statistics of genotypes against bits read one by one and exact fractions."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from deniable.gwas import products
from deniable.gwas.association.statistics import (
    allele_frequency,
    allelic_chi_squared,
    chi_squared_p_value,
    genotypic_chi_squared,
    genotypic_degrees,
    hardy_weinberg_p_value,
    trend_chi_squared,
)
from deniable.gwas.files import packed
from deniable.gwas.files.packed import PackedGenotypes
from deniable.gwas.genotypes import GenotypeCounts
from deniable.gwas.products import compile_counts
from tests.oracles import genotypes as brute

CALL = st.sampled_from([0, 1, 2, None])
GROUP = st.sampled_from(["case", "control", "unknown"])
WAYS = [2**62] + [0] * (compile_counts() is not None)
"""Bytes worth compiling: by NumPy, and by compiled code where LLVM is installed."""


@st.composite
def studies(draw):
    """Calls by variant, and everybody's group; any number of individuals and of variants."""
    individuals = draw(st.integers(1, 140))
    row = st.lists(CALL, min_size=individuals, max_size=individuals)
    groups = draw(st.lists(GROUP, min_size=individuals, max_size=individuals))
    return draw(st.lists(row, min_size=1, max_size=6)), groups


def in_a_file(calls, padding: int, folder: str) -> PackedGenotypes:
    path = Path(folder) / "study.bed"
    path.write_bytes(brute.bed_bytes(calls, padding))
    return PackedGenotypes(path, len(calls[0]), len(calls))


@given(studies(), st.booleans(), st.sampled_from([1, 40, 2**18]), st.sampled_from(WAYS))
def test_popcounts_are_the_counts_of_bits_read_one_by_one(study, padding, block, worth):
    calls, groups = study
    masks = [np.array([group == name for group in groups]) for name in ("case", "control")]
    masks += [masks[1] & (np.arange(len(groups)) % 3 > 0)]  # some of the controls again
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "BLOCK_BYTES", block)
        patch.setattr(packed, "WORTH_COMPILING", worth)
        counts_of_masks = in_a_file(calls, int(padding), folder).counts(tuple(masks))
    for counts, mask in zip(counts_of_masks, masks, strict=True):
        assert counts.tolist() == [brute.counted(row, mask) for row in calls]


@pytest.mark.parametrize("worth", WAYS)
def test_popcounts_of_more_individuals_than_a_small_sum_holds(monkeypatch, worth):
    monkeypatch.setattr(packed, "WORTH_COMPILING", worth)
    individuals, rng = 70_001, np.random.default_rng(0)
    calls = rng.integers(0, 4, (3, individuals))
    calls[1] = 0  # both bits of everybody
    mask = rng.random(individuals) < 0.9
    with tempfile.TemporaryDirectory() as folder:
        words = [[None if call == 3 else int(call) for call in row] for row in calls]
        (computed,) = in_a_file(words, 1, folder).counts((mask,))
    expected = [np.bincount(row[mask], minlength=4).tolist() for row in calls]
    assert computed.tolist() == expected


COMPILED = pytest.mark.skipif(0 not in WAYS, reason="LLVM is not installed: pip install '.[fast]'")


@COMPILED
@given(st.integers(0, 5), st.integers(0, 40), st.integers(0, 9), st.integers(0, 4), st.integers(0))
def test_compiled_counts_add_the_bits_of_rows_at_any_address(n, words, spare, groups, seed):
    rng = np.random.default_rng(seed)
    buffer = rng.integers(0, 256, (n, 16 * words + 2 * spare), dtype=np.uint8)
    rows = buffer[:, spare : buffer.shape[1] - spare]
    masks = rng.integers(0, 2**64, (groups, words), dtype=np.uint64)
    before = rng.integers(0, 9, (n, 3, groups))
    counts = before.copy()
    compile_counts().add(rows, masks, counts)
    people = np.unpackbits(np.ascontiguousarray(rows), axis=1, bitorder="little")
    low, high = people.reshape(n, 64 * words, 2).transpose(2, 0, 1)
    fields = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
    member = np.concatenate([fields[:, ::2], fields[:, 1::2]], axis=1)  # left half, right half
    for each, bits in zip((0, 1, 2), (low, high, low & high), strict=True):
        expected = before[:, each] + bits.astype(int) @ member.T.astype(int)
        assert counts[:, each].tolist() == expected.tolist()


@pytest.mark.parametrize("at", ["initialize_native_target", "get_host_cpu_name", "parse_assembly"])
@pytest.mark.parametrize("error", [ImportError, OSError, RuntimeError])
@COMPILED
def test_where_nothing_can_be_compiled_planes_are_counted(monkeypatch, at, error):
    def fail(*_):
        raise error("none, too old, or of another processor")

    monkeypatch.setattr(products.llvm, at, fail)
    assert compile_counts.__wrapped__() is None


@COMPILED
def test_compiled_counts_refuse_what_they_would_read_or_write_beyond():
    rows, masks, counts = (
        np.zeros((4, 16), np.uint8),
        np.zeros((2, 2), "u8"),
        np.zeros((4, 3, 2), "i8"),
    )
    wrong = [
        (rows[:, :31], masks, counts),
        (rows[:3], masks, counts),
        (rows, masks, counts[:, :2]),
        (rows, masks[:1], counts),
        (np.zeros((4, 64), np.uint8)[:, ::2], masks, counts),
        (rows, np.zeros((4, 2), np.uint64)[::2], counts),
        (rows, masks, np.zeros((8, 3, 2), np.int64)[::2]),
        (rows, masks, counts.astype(np.int32)),
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match="Expected"):
            compile_counts().add(*arguments)


@given(studies(), st.data())
def test_rows_are_the_calls(study, data):
    calls, _ = study
    which = data.draw(st.lists(st.integers(0, len(calls) - 1), min_size=1, max_size=7))
    with tempfile.TemporaryDirectory() as folder:
        rows = in_a_file(calls, 1, folder).rows(np.array(which))
    expected = [[-1 if call is None else call for call in calls[place]] for place in which]
    assert rows.tolist() == expected


SMALL = st.tuples(*[st.integers(0, 6)] * 4)
LARGE = st.tuples(*[st.integers(0, 40_000)] * 4)
TABLES = st.lists(st.tuples(SMALL, SMALL) | st.tuples(LARGE, LARGE), min_size=1, max_size=8)
OVERFLOW = [((0, 0, 10_000, 0), (10_000, 0, 0, 0))]


def close(computed: float, expected) -> bool:
    if expected is None:
        return bool(np.isnan(computed))
    return computed == pytest.approx(float(expected), rel=1e-13, abs=0)


@given(TABLES)
@example(OVERFLOW)
def test_statistics_are_pearsons_and_armitages(tables):
    counts = GenotypeCounts(*zip(*tables, strict=True))
    kinds = allelic_chi_squared, genotypic_chi_squared, trend_chi_squared
    computed = zip(*(kind(counts) for kind in kinds), tables, strict=True)
    for allelic, genotypic, trend, (cases, controls) in computed:
        assert close(allelic, brute.allelic(cases, controls))
        assert close(genotypic, brute.genotypic(cases, controls))
        assert close(trend, brute.trend(cases, controls))


@given(TABLES)
def test_frequencies_are_copies_among_calls(tables):
    counts = GenotypeCounts(*zip(*tables, strict=True))
    ours = zip(allele_frequency(counts), tables, strict=True)
    for frequency, (cases, controls) in ours:
        none, one, two = (r + s for r, s in zip(cases[:3], controls[:3], strict=True))
        calls = none + one + two
        assert close(frequency, (one + 2 * two) / (2 * calls) if calls else None)


@given(TABLES)
def test_a_genotypic_statistic_has_a_degree_less_than_genotypes(tables):
    counts = GenotypeCounts(*zip(*tables, strict=True))
    for degrees, (cases, controls) in zip(genotypic_degrees(counts), tables, strict=True):
        occur = [r + s > 0 for r, s in zip(cases[:3], controls[:3], strict=True)]
        assert degrees == sum(occur) - 1


@given(st.floats(0, 1480))
@example(0.0)
@example(799.9999999)
@example(800.0000001)
@example(1417.0)  # the p-value is subnormal
def test_p_values_are_tails_of_chi_squared(statistic):
    one, two = (chi_squared_p_value(np.array([statistic]), degrees)[0] for degrees in (1, 2))
    tiny = 5e-324
    half = arb(statistic) / 2
    assert one == pytest.approx(float(half.sqrt().erfc()), rel=1e-12, abs=tiny)
    assert two == pytest.approx(float((-half).exp()), rel=1e-12, abs=tiny)


def test_a_p_value_is_zero_only_where_no_number_is_left():
    one = chi_squared_p_value(np.array([1480.0, 1484.0, np.nan]), 1)
    assert one[0] > 0
    assert one[1] == 0 == float((arb(1484) / 2).sqrt().erfc())
    assert np.isnan(one[2])


@given(st.lists(SMALL | st.tuples(*[st.integers(0, 120)] * 4), min_size=1, max_size=8))
def test_hardy_weinberg_is_the_sum_of_what_is_at_most_as_likely(tables):
    for computed, table in zip(hardy_weinberg_p_value(np.array(tables)), tables, strict=True):
        assert close_p_value(computed, table)


def close_p_value(computed: float, table) -> bool:
    if not any(table[:3]):
        return bool(np.isnan(computed))
    return computed == pytest.approx(brute.hardy_weinberg(table), rel=1e-10, abs=0)


def test_hardy_weinberg_of_every_small_table():
    tables = [
        (none, one, people - none - one)
        for people in range(1, 21)
        for none in range(people + 1)
        for one in range(people + 1 - none)
    ]
    computed = hardy_weinberg_p_value(np.array(tables))
    expected = [brute.hardy_weinberg(table) for table in tables]
    assert computed == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("table", [(900, 0, 1100), (0, 2000, 0), (1000, 900, 100), (1999, 1, 0)])
def test_hardy_weinberg_of_thousands(table):
    (computed,) = hardy_weinberg_p_value(np.array([table]))
    assert computed == pytest.approx(brute.hardy_weinberg(table), rel=1e-10, abs=5e-324)
