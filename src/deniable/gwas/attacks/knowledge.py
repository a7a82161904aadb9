"""What an attacker reads, beside the reference that they have."""

from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks.attack_scores import reference_frequencies
from deniable.gwas.attacks.panels import Panel, Shared
from deniable.gwas.files import Individuals, file_of, from_fam, plain_or_packed
from deniable.gwas.published import (
    Known,
    Promise,
    PublishedTable,
    Sizes,
    add_sizes,
    align,
    read_published_table,
    read_released_table,
    release_guarantee,
)
from deniable.numerics.rounding import directed, upper


@attrs.frozen
class Knowledge:
    """What is published, by variant of the reference.

    Parameters
    ----------
    known : Known
        A row a variant that was found.
    rows : ndarray of int, shape (n_reference_variants,)
        The row of each variant of the reference, −1 where it has none.
    left_out : dict of str to int
        Published rows that were not used, by reason.
    guarantee : Promise or None
        Of a release of ours: what its certificate claims for whole genotypes.
    """

    known: Known
    rows: NDArray[np.intp] = attrs.field(eq=False, repr=False)
    left_out: dict[str, int]
    guarantee: Promise | None

    def power_limit(self, fpr: float) -> float | None:
        r"""What no attack passes, rounded up: min(e^ε α + δ, 1 − e^−ε (1 − α − δ)); or None."""
        if self.guarantee is None:
            return None
        with directed() as r:
            e, delta = r.exp(r(self.guarantee.epsilon)), r(self.guarantee.delta)
            return min(upper(e * fpr + delta), upper(1 - (1 - r(fpr) - delta) / e), 1.0)

    def has(self, both: Shared) -> NDArray[np.bool_]:
        """About which of the shared variants something is published."""
        return self.rows[both.theirs] >= 0

    def at(self, both: Shared, which: NDArray[np.intp]) -> Known:
        """What is known at these places among the shared variants."""
        return self.known.take(self.rows[both.theirs[which]])


@attrs.frozen
class Readable:
    """A published file or folder, read."""

    table: PublishedTable
    guarantee: Promise | None = None

    @classmethod
    def of(cls, path: Path) -> "Readable":
        """A table of statistics, or the folder of a release of ours."""
        if path.is_dir():
            promise = release_guarantee(path)
            return cls(read_released_table(path), promise)
        return cls(read_published_table(path))

    @property
    def by_status(self) -> bool:
        """Whether it tells cases from controls."""
        return self.table.effects is not None or set(self.table.frequencies) != {"pool"}

    def pool_of(self, panel: Panel, on: str, where: Path, status: Individuals | None) -> "Pool":
        """Whose membership is asked about, and the study's public sizes.

        Parameters
        ----------
        panel : Panel
            Who may be asked about.
        on : str
            "pool", "cases" or "controls".
        where : path
            The prefix of its files.
        status : Individuals or None
            Who is a case; None to read it beside the prefix, where it is asked for.
        """
        if not self.by_status and on == "pool" and status is None:
            return Pool(panel, Sizes(panel.people, 0))
        if not self.by_status and on != "pool":
            raise InvalidArgument(
                f'Expected on "pool" for a table of everybody\'s frequencies, got "{on}". Where '
                "it is of cases or of controls only, give a study of those alone, or name its "
                "column cases_frequency or controls_frequency."
            )
        status = status or from_fam(plain_or_packed(file_of(where, "fam")))
        groups = {"cases": status.cases, "controls": status.controls}
        groups = {name: who & panel.kept for name, who in groups.items()}
        sizes = Sizes(*(int(who.sum()) for who in groups.values()))
        if not (sizes.cases and sizes.controls):
            raise DataError(
                f"Expected cases and controls, got {sizes.cases} and {sizes.controls} at {where}. "
                "Give a phenotype file, or keep other people."
            )
        kept = groups["cases"] | groups["controls"] if on == "pool" else groups[on]
        return Pool(attrs.evolve(panel, kept=kept), sizes)

    def beside(self, reference: Panel, sizes: Sizes, on: str) -> Knowledge:
        """Said of the reference's variants and their first alleles."""
        counts = reference.counts(lambda _: None)
        copies, people = counts[:, 1] + 2 * counts[:, 2], counts[:, :3].sum(axis=1)
        frequency = reference_frequencies(copies, people)
        matched = align(add_sizes(self.table, sizes), reference.variants, frequency)
        rows = np.full(len(reference.variants), -1, dtype=np.int64)
        rows[matched.places] = np.arange(len(matched.places))
        return Knowledge(Known.of(matched.table, sizes, on), rows, matched.left_out, self.guarantee)


@attrs.frozen
class Pool:
    """The people whose membership is asked about, and the study's public sizes."""

    panel: Panel
    sizes: Sizes
