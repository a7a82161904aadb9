r"""What somebody knows of a group's allele frequencies who has read what was published.

An exact frequency is known. Everything else leaves a law of what it may be: the mean and variance
of the group's frequency q given what is published and the reference's frequency p. The likelihood
ratio of membership needs no more of it, as for a target with x copies it is

.. math:: \frac{\mathrm E[q^x (1 - q)^{2 - x}]}{p^x (1 - p)^{2 - x}}
"""

from __future__ import annotations

import math
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from deniable.certificate.files import CERTIFICATE
from deniable.certificate.json_documents import read_document
from deniable.certificate.model import Guarantee
from deniable.errors import DataError, InvalidArgument
from deniable.gwas.certificates import FrequenciesCertificate, StudyCertificate
from deniable.gwas.files.arrow import pa
from deniable.gwas.genotypes import Floats, Rows, name_or_place
from deniable.gwas.published.columns import read_published_table
from deniable.gwas.published.effects import (
    Normal,
    Observation,
    Tested,
    effect_observations,
    mix,
    moments_of_pairs,
    update,
)
from deniable.gwas.published.statistics import (
    GROUPS,
    SLACK,
    Effects,
    Frequency,
    Measured,
    PublishedTable,
    parse_numbers,
    text_table,
    unread_columns,
)
from deniable.gwas.scores import StudyAdjacency

_POINTS = 65
"""Numbers of copies that are tried at most; where more are possible, so many of them, evenly."""
_DEVIATIONS = 8.0
"""Standard deviations of the group's frequency about the reference's that are looked at, where
noise is wider: beyond lie 1 in 10^15."""
_SCALES = 40.0
"""Scales of noise that are looked at: beyond lie e^−40 of it."""


@attrs.frozen
class Spread(Rows):
    """How far published frequencies are off, by half of the last digit, (n_variants,).

    A frequency is a share of so many alleles, or nothing is published; the noise is the scale of
    Laplace noise, in copies.
    """

    half: Floats
    alleles: Floats | None = None
    noise: float | None = None


def moments_within(
    near: Floats, spread: Spread, p: Floats, variance: Floats
) -> tuple[Floats, Floats]:
    r"""Mean and variance of a frequency near a published one; both (n_variants, n_references).

    The weight of a number of copies c of a alleles is

    .. math:: \exp\left(-\frac{(c/a - p)^2}{2 V} - \frac{|c - c'|}{b}\right)

    with c′ the noisy count and b its noise's scale, over all c that could be published so. The
    reference's frequency is p, and V says how far the group's differs from it by chance.
    """
    if spread.alleles is None:
        raise AssertionError("a published frequency is a share of something")
    alleles = spread.alleles[:, None]
    reach = spread.half[:, None]  # what is looked at, as columns
    if spread.noise is not None:
        reach = _SCALES * spread.noise / alleles
    low, high = near[:, None] - reach, near[:, None] + reach
    if spread.noise is not None:
        chance = _DEVIATIONS * np.sqrt(variance.max(axis=1, keepdims=True))
        middle = p.mean(axis=1, keepdims=True)
        low, high = (
            np.clip(low, np.minimum(middle - chance, high), None),
            np.clip(high, None, np.maximum(middle + chance, low)),
        )
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    high = np.maximum(high, low)
    first, last = np.ceil(low * alleles - 1e-9), np.floor(high * alleles + 1e-9)
    steps = np.linspace(0.0, 1.0, _POINTS)
    lattice = (last - first < _POINTS) & (last >= first)
    possible = first + np.arange(_POINTS)
    q = np.where(lattice, possible / alleles, low + (high - low) * steps)
    usable = np.where(lattice, possible <= last, True)
    weight = -((q[:, None, :] - p[:, :, None]) ** 2) / (2 * variance[:, :, None])
    if spread.noise is not None:
        weight = weight - (np.abs(q - near[:, None]) * alleles / spread.noise)[:, None, :]
    weight = np.where(usable[:, None, :], weight, -np.inf)
    weight = np.exp(weight - weight.max(axis=2, keepdims=True))
    weight /= weight.sum(axis=2, keepdims=True)
    mean = (weight * q[:, None, :]).sum(axis=2)
    return mean, (weight * (q[:, None, :] - mean[:, :, None]) ** 2).sum(axis=2)


@attrs.frozen
class Sizes:
    """Public numbers of cases and controls."""

    cases: int
    controls: int

    @property
    def pool(self) -> int:
        """Both together."""
        return self.cases + self.controls

    def of(self, group: str) -> int:
        """People of that group."""
        return int(getattr(self, group))


@attrs.frozen
class Known(Rows):
    """What is known of the frequencies of a group's allele at some variants; (n_variants,) each.

    The group's frequency is exact where it follows so, and near as published with rounding or
    noise, which may be off by `spread`; NaN where nothing is.
    """

    table: PublishedTable
    sizes: Sizes
    group: str
    exact: Floats
    near: Floats
    spread: Spread

    @classmethod
    def of(cls, table: PublishedTable, sizes: Sizes, group: str) -> Known:
        """Read a table whose rows are about one allele."""
        frequency = table.frequencies.get(group)
        if frequency is None and group == "pool":
            frequency = _together(table, sizes)
        nothing = np.full(len(table), np.nan)
        if frequency is None or table.deviation is not None:
            return cls(table, sizes, group, nothing, nothing, Spread(0 * nothing))
        value, half, alleles = _share(frequency, sizes.of(group))
        if table.noise is not None:
            return cls(table, sizes, group, nothing, value, Spread(half, alleles, table.noise))
        exact = _exact(value, half, alleles, frequency.alleles is not None)
        return cls(table, sizes, group, exact, value, Spread(half, alleles))

    def __len__(self) -> int:
        return len(self.table)

    def moments(self, p: Floats, people: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Mean and variance of the group's frequency, by that of a reference of so many people.

        The reference's may be several, (n_variants, n_references).
        """
        wide = p if p.ndim == 2 else p[:, None]
        mean = np.repeat(self.exact[:, None], wide.shape[1], axis=1)
        variance = np.zeros_like(mean)
        # (how to see it, which variants): the first that knows anything is taken
        direct = np.isnan(self.exact) & np.isfinite(self.near)
        for which, law_of in (
            (direct, Known._near),
            (np.isnan(self.exact) & ~direct, Known._else),
        ):
            rows = np.flatnonzero(which)
            if len(rows):
                part = self.take(rows)
                prior = wide[rows], part.before(wide[rows], people[rows])
                # Numbers that cannot be, such as an odds ratio of 1e300, overflow: then nothing is
                # known.
                with np.errstate(all="ignore"):
                    law = law_of(part, wide[rows], people[rows])
                sound = np.isfinite(law[0]) & np.isfinite(law[1])
                mean[rows], variance[rows] = (
                    np.where(sound, *pair) for pair in zip(law, prior, strict=True)
                )
        mean = np.clip(mean, 0.0, 1.0)
        variance = np.clip(variance, 0.0, mean * (1 - mean))
        return mean.reshape(p.shape), variance.reshape(p.shape)

    def before(self, p: Floats, people: NDArray[np.int64]) -> Floats:
        r"""Variance of the group's frequency before anything is read, as p; p (1-p)/2 (1/n+1/k)."""
        known = 1 / self.sizes.of(self.group) + 1 / np.maximum(people, 1)
        return p * (1 - p) / 2 * (known if p.ndim == 1 else known[:, None])

    def worth(self, p: Floats, people: NDArray[np.int64]) -> Floats:
        """Share of what an exact frequency would tell: by how much the variance falls.

        On average over variants; of one it may be negative, where what is published makes the
        frequency less certain than before.
        """
        before = np.maximum(self.before(p, people), np.finfo(float).tiny)
        return 1 - self.moments(p, people)[1] / before

    def _near(self, p: Floats, people: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return moments_within(self.near, self.spread, p, self.before(p, people))

    def _else(self, p: Floats, people: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Estimate from other groups' frequencies and from effects."""
        # Cases and controls with a call at each variant, as columns.
        counted = self.table.people
        share = np.ones(len(self)) if counted is None else counted / self.sizes.pool
        share = np.where(np.isfinite(share) & (share > 0) & (share <= 1), share, 1.0)[:, None]
        cases, controls = float(self.sizes.cases), float(self.sizes.controls)
        if not (cases and controls):  # nobody's status is asked about: any halves will do
            cases = controls = self.sizes.pool / 2
        sizes = cases * share, controls * share
        prior = Normal.before(p, sizes, people)
        seen = [_observe(self.table, group, sizes) for group in GROUPS]
        prior = update(prior, [each for each in seen if each is not None])
        weights = _weights(self.group, sizes)
        effects = self.table.effects
        if effects is None:
            return prior.mean(weights), prior.variance(weights)
        pooled = self.table.frequencies.get("pool")
        overall = None if pooled is None else _share(pooled, self.sizes.pool)[0]
        difference, scale = effect_observations(effects, sizes, prior, overall)
        if scale is not None:
            prior = update(prior, [scale])
        law = mix(prior, difference, effects.sign, weights)
        exact = self._by_pairs(effects, Normal.before(p, sizes, people))
        if exact is None:
            return law
        fits = np.isfinite(exact[0]) & np.isfinite(exact[1])
        return np.where(fits, exact[0], law[0]), np.where(fits, exact[1], law[1])

    def _by_pairs(self, effects: Effects, prior: Normal) -> tuple[Floats, Floats] | None:
        """Estimate from a test alone: by the counts that give its p-value."""
        sizes, people = self.sizes, self.table.people
        released = self.table.noise is not None or self.table.deviation is not None
        if released or not (sizes.cases and sizes.controls):
            return None
        everybody = True if people is None else ~(people < sizes.pool)
        alone = ~np.isfinite(effects.beta.value) & everybody
        z = np.where(alone, effects.z.value, np.nan)
        overall = half = None
        pooled = self.table.frequencies.get("pool")
        if pooled is not None:
            overall, half, _ = _share(pooled, sizes.pool)
        share = sizes.cases / sizes.pool
        weights = {"cases": (1.0, 0.0), "controls": (0.0, 1.0)}
        return moments_of_pairs(
            Tested(z, effects.z.half, effects.sign, overall, half),
            (sizes.cases, sizes.controls),
            weights.get(self.group, (share, 1 - share)),
            prior,
        )


def _share(frequency: Frequency, people: int) -> tuple[Floats, Floats, Floats]:
    """Frequency, half of its last digit, and the number of alleles that it is of."""
    alleles = np.full(len(frequency.number.value), 2.0 * people)
    if frequency.alleles is not None:
        alleles = np.where(frequency.alleles > 0, frequency.alleles, np.nan)
    if not frequency.counted:
        return frequency.number.value, frequency.number.half, alleles
    return frequency.number.value / alleles, 0 * alleles, alleles


def _together(table: PublishedTable, sizes: Sizes) -> Frequency | None:
    """Cases' and controls' frequencies in one, where both are published."""
    names = "cases", "controls"
    is_noisy = table.noise is not None or table.deviation is not None
    if is_noisy or not set(names) <= table.frequencies.keys():
        return None
    groups = [table.frequencies[name] for name in names]
    copies, half, total = np.zeros((3, len(table)))
    said = all(each.alleles is not None for each in groups)
    for name, each in zip(names, groups, strict=True):
        value, own, alleles = _share(each, sizes.of(name))
        exact = _exact(value, own, alleles, each.alleles is not None)
        copies = copies + np.where(np.isfinite(exact), exact, value) * alleles
        half = half + np.where(np.isfinite(exact), 0.0, own) * alleles
        total = total + alleles
    number = attrs.evolve(groups[0].number, value=copies / total, half=half / total)
    return Frequency(number, total if said else None, counted=False)


def _exact(value: Floats, half: Floats, alleles: Floats, said: bool) -> Floats:
    """The frequency where one number of copies alone is printed so, NaN elsewhere.

    Where a table does not say how many alleles were looked at, all people's are tried: it is
    believed if every frequency fits.
    """
    copies = np.round(value * alleles)
    with np.errstate(invalid="ignore", divide="ignore"):
        frequency = copies / alleles
        fits = np.abs(frequency - value) <= half * SLACK + 1e-12
        alone = alleles * half * SLACK < 0.5
        if not said and not fits[np.isfinite(value) & alone].all():
            return np.where((half == 0) & np.isfinite(value), value, np.nan)
    return np.where(fits & alone, frequency, np.nan)


def _observe(table: PublishedTable, group: str, sizes: tuple[Floats, Floats]) -> Observation | None:
    frequency = table.frequencies.get(group)
    if frequency is None:
        return None
    people = {"cases": sizes[0], "controls": sizes[1], "pool": sizes[0] + sizes[1]}[group][:, 0]
    number = frequency.number
    alleles = 2 * people if frequency.alleles is None else frequency.alleles
    value, half = number.value, number.half
    noise = 0 * alleles
    if frequency.counted:
        value, half = value / alleles, 0 * value
    if table.noise is not None:
        # variance of discrete Laplace noise: 2 e / (1 − e)², e = exp(−1/scale)
        e = np.exp(-1 / table.noise)
        noise = 2 * e / (1 - e) ** 2 / alleles**2
    if table.deviation is not None:
        noise = table.deviation**2 / alleles**2
    error = half**2 / 3 + noise
    return Observation(*_weights(group, sizes), value[:, None], np.asarray(error)[:, None])


def _weights(group: str, sizes: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """The group's frequency as a mean of cases' and controls'."""
    cases, controls = sizes
    people = cases + controls
    match group:
        case "cases":
            return 0 * cases + 1.0, 0 * cases
        case "controls":
            return 0 * cases, 0 * cases + 1.0
        case _:
            return cases / people, controls / people


def add_sizes(table: PublishedTable, sizes: Sizes) -> PublishedTable:
    """The table, with public numbers of alleles where it counts copies alone."""
    frequencies = dict(table.frequencies)
    for group, each in frequencies.items():
        if each.counted and each.alleles is None:
            alleles = np.full(len(table), 2.0 * sizes.of(group))
            frequencies[group] = attrs.evolve(each, alleles=alleles)
    return attrs.evolve(table, frequencies=frequencies)


_RESULTS = "results.csv"
_FREQUENCIES = "deniable-frequencies-certificate/"
_GROUPS = {"cases": "cases", "controls": "controls", "pool": "everybody"}
_NAMES = ["variant", "allele_1", "allele_2"]
_PLACES = ["chromosome", "position"]


def read_release(folder: Path) -> tuple[PublishedTable, Guarantee | None]:
    """What a release says of frequencies, and what its certificate claims for whole genotypes.

    `deniable check` says whether it holds. Nothing is claimed by a release about who is a case
    among known participants: it promises nothing about who takes part.
    """
    if not (folder / CERTIFICATE).is_file() or not (folder / _RESULTS).is_file():
        raise InvalidArgument(
            f"Expected a file of statistics, or a folder that deniable gwas release wrote, got "
            f"{folder}. Name the file in it that is published."
        )
    document = read_document(folder / CERTIFICATE)
    certificate: FrequenciesCertificate | StudyCertificate
    if str(document.get("format", "")).startswith(_FREQUENCIES):
        certificate = FrequenciesCertificate.from_json(document)
        table = _frequencies(folder, certificate)
    else:
        certificate = StudyCertificate.from_json(document)
        table = _selected(folder, certificate)
    is_of_genotypes = certificate.unit.adjacency == StudyAdjacency.GENOTYPE.value
    return table, certificate.guarantee if is_of_genotypes else None


def _selected(folder: Path, certificate: StudyCertificate) -> PublishedTable:
    r"""What a release of selected variants says.

    Noisy counts are taken with the law of their noise, by the certificate's scale. Where names
    alone are published, a name says that the variant stood out: of m variants that nothing moves,
    the M that stand highest have \|z\| above c with 2 Φ(−c) = M/m, and on average φ(c)/Φ(−c). That
    leaves out the noise of the choice, so it says more than the release does. Order is not used.
    """
    if certificate.statistics is not None:
        scale = certificate.statistics.scale
        table = read_published_table(folder / _RESULTS)
        counted = {name: each for name, each in table.frequencies.items() if each.counted}
        if set(counted) != {"cases", "controls"} or scale is None:
            raise DataError(
                f"Expected noisy counts of cases and controls, got none at {folder / _RESULTS}. "
                "Copy the folder again."
            )
        wanted = {*_NAMES, *(f"{name}_allele_1" for name in counted)}
        return attrs.evolve(
            table,
            frequencies=counted,
            effects=None,
            people=None,
            noise=scale,
            unread=unread_columns(text_table(folder / _RESULTS), wanted),
            what=("noisy allele counts in cases and controls, with the law of their noise",),
        )
    names = text_table(folder / _RESULTS)
    if not {*_NAMES, *_PLACES} <= set(names.column_names):
        raise DataError(
            f"Expected columns {', '.join(_NAMES)}, got others at {folder / _RESULTS}. Copy the "
            "folder again."
        )
    share = min(certificate.selection.top / certificate.study.variants, 1.0)
    line = float(-ndtri(share / 2))
    # mean and variance of |z| above the line c: μ = φ(c)/Φ(−c), 1 + c μ − μ²
    mean = math.exp(-(line**2) / 2) / math.sqrt(2 * math.pi) / float(ndtr(-line))
    variance = max(1 + line * mean - mean**2, 0.0)
    every = np.ones(len(names))
    nothing = Measured(np.nan * every, np.nan * every)
    # an even law of half-width h has the variance h²/3
    z = Measured(mean * every, math.sqrt(3 * variance) * every)
    effects = Effects(nothing, nothing, z, 0 * every, allelic=True)
    what = "names of chosen variants: that they stood out, in neither direction"
    unread = unread_columns(names, _NAMES)
    first, second = (np.array(names[name].to_pylist(), dtype=np.object_) for name in _NAMES[1:])
    return PublishedTable(_variants(names), first, second, {}, effects, None, (what,), unread)


def _variants(rows: pa.Table) -> NDArray[np.object_]:
    columns = (rows[name].to_pylist() for name in ("variant", *_PLACES))
    return np.array(name_or_place(*columns), dtype=np.object_)


def _frequencies(folder: Path, certificate: FrequenciesCertificate) -> PublishedTable:
    """Noisy counts before they were clamped, one table a group; error of a normal law."""
    part = certificate.counted.part
    rows = text_table(folder / _RESULTS)
    wanted = {"group", "variant", "allele", "other_allele", "noisy_count"}
    if not wanted | {*_PLACES} <= set(rows.column_names) or part.scale is None:
        raise DataError(
            f"Expected noisy counts by group, got none at {folder / _RESULTS}. Copy the folder "
            "again."
        )
    groups = np.array(rows["group"].to_pylist(), dtype=object)
    counts = parse_numbers(rows["noisy_count"]).value
    own = {name: np.flatnonzero(groups == word) for name, word in _GROUPS.items()}
    own = {name: where for name, where in own.items() if len(where)}
    if len({len(where) for where in own.values()}) != 1:
        raise DataError(
            f"Expected the same variants in each group, got others at {folder / _RESULTS}. Copy "
            "the folder again."
        )
    first = next(iter(own.values()))
    alleles = (np.array(rows[name].to_pylist(), object) for name in ("allele", "other_allele"))
    words = [each[first] for each in (_variants(rows), *alleles)]
    frequencies = {
        name: Frequency(Measured(counts[where], 0 * counts[where]), None, counted=True)
        for name, where in own.items()
    }
    what = "noisy allele counts, with the law of their noise"
    return PublishedTable(
        words[0], words[1], words[2], frequencies, None, None, (what,),
        unread_columns(rows, wanted), deviation=part.scale,
    )  # fmt: skip
