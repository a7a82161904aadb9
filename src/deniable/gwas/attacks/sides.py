"""Pool and reference side by side: whose genotypes an attack compares, at which variants."""

from pathlib import Path

import attrs

from deniable.errors import DataError, InvalidArgument
from deniable.gwas.attacks.knowledge import Knowledge, Readable
from deniable.gwas.attacks.other_formats import is_other, only_counted
from deniable.gwas.attacks.overlap import Counts
from deniable.gwas.attacks.panels import Panel, Shared, counts_of_both, shared
from deniable.gwas.chromosomes import autosomal
from deniable.gwas.files.filters import Lists
from deniable.gwas.files.individuals import Individuals, from_fam
from deniable.gwas.files.lines import plain_or_packed
from deniable.gwas.files.packed import Progress
from deniable.gwas.files.plink import file_of


@attrs.frozen
class Asked:
    """What is asked for, checked."""

    prefix: Path
    reference: Path
    levels: tuple[float, ...]
    fpr: float
    overlap: str
    read: Readable | None
    group: str
    phenotype: Path | None
    lists: Lists
    autosomes: int
    tell: Progress


def opened(asked: Asked) -> tuple[Panel, Panel, Knowledge | None]:
    """Pool, reference, and what is published, said of the reference's alleles."""
    prefix, read = asked.prefix, asked.read
    pool, status = _pool(asked)
    strangers = Panel.opened(asked.reference)
    if pool.genotypes.path.samefile(strangers.genotypes.path):
        raise InvalidArgument(
            f"Expected a reference without the pool's people, got {asked.reference} for both. Give "
            "genotypes of others from the same population."
        )
    if read is None:
        return pool, strangers, None
    of = read.pool_of(pool, asked.group, prefix, status)
    return of.panel, strangers, read.beside(strangers, of.sizes, asked.group)


def _pool(asked: Asked) -> tuple[Panel, Individuals | None]:
    """The people whom the lists leave; who is a case, where that is known without asking."""
    prefix, lists, status = asked.prefix, asked.lists, None
    if only_counted(prefix) and lists.of_people:
        raise InvalidArgument(
            f"Expected people one by one for a list of people, got a table of counts {prefix}. "
            "Give PLINK, VCF or BGEN files."
        )
    if is_other(prefix):
        pool, status = Panel.held(prefix, asked.phenotype)
    else:
        pool = Panel.opened(prefix)
        if asked.phenotype is not None:
            status = from_fam(plain_or_packed(file_of(prefix, "fam")), asked.phenotype)
    if not lists.of_people:
        return pool, status
    names = status.names if is_other(prefix) and status is not None else pool.names
    return pool.only(lists.left_of(names), prefix), status


def diploid(pool: Panel, reference: Panel, autosomes: int) -> Shared:
    """The shared variants that everybody has two copies of, by both files."""
    both = shared(pool.variants, reference.variants)
    places = reference.variants.chromosome[both.theirs], pool.variants.chromosome[both.ours]
    diploid = [autosomal(each, autosomes) for each in places]
    return both.where(diploid[0] & diploid[1], "not_autosomal")


def usable(
    pool: Panel, reference: Panel, both: Shared, where: str, tell: Progress
) -> tuple[Shared, Counts]:
    """The shared variants at which both have calls and somebody differs, with their counts."""
    counts = counts_of_both(pool, reference, both, tell)
    called = (counts[0][:, :3].sum(axis=1) > 0) & (counts[1][:, :3].sum(axis=1) > 0)
    together = counts[0] + counts[1]
    varies = (together[:, :3] > 0).sum(axis=1) > 1
    used = both.where(called, "no_calls").where(varies[called], "constant")
    if not len(used):
        raise DataError(
            "Expected variants with the same name and alleles in both files that vary, got none "
            f"{where}."
        )
    kept = called & varies
    return used, (counts[0][kept], counts[1][kept])


def filtered(
    asked: Asked, pool: Panel, reference: Panel, both: Shared, counts: Counts
) -> tuple[Shared, Counts]:
    """Those of the variants that filters leave by both files, with their counts."""
    lists = asked.lists
    if not lists.of_variants:
        return both, counts
    ours = lists.variants(pool.variants, asked.prefix)[both.ours]
    kept = ours & lists.variants(reference.variants, asked.reference)[both.theirs]
    if not kept.any():
        raise DataError(
            "Expected variants of both files that pass all filters and vary, got none at "
            f"{asked.prefix} and {asked.reference}. Compare their identifiers with the lists'."
        )
    return both.where(kept, "filtered"), (counts[0][kept], counts[1][kept])


def published_of(
    knowledge: Knowledge, both: Shared, counts: Counts, where: str
) -> tuple[Shared, Counts]:
    """Those of the variants about which something is published, with their counts."""
    known = knowledge.has(both)
    if not known.any():
        raise DataError(
            "Expected variants of the pool and the reference by name and alleles, got none of them "
            f"{where}. Use one naming of variants."
        )
    found = attrs.evolve(both, left_out=both.left_out | knowledge.left_out)
    return found.where(known, "not_published"), (counts[0][known], counts[1][known])
