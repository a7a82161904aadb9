"""Windows: what stands near a chosen variant is removed with it, so that M variants are M loci.

Variants near a cause are inherited with it, and all rank high. So after each round of the choice a
window around its winner is removed: all variants of its chromosome within a public distance, in
bases or on a public genetic map. The windows follow from positions, which are public, and from
what was released, so each round is a mechanism of its own share, and the shares add up as before.
"""

import os
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors import DataError, InvalidArgument, validate
from deniable.gwas.files import check_file, decimal, digest, rows
from deniable.gwas.genotypes import Variants, chromosome_name
from deniable.gwas.public_filters import Window

BASES = 1000
"""The bases of a kilobase."""
_MAP_COLUMNS = 4
"""The columns of a .map file: chromosome, identifier, centimorgans, bases; a .bim has two more."""


def parse_window(
    kb: float | None, cm: float | None, genetic_map: str | os.PathLike[str] | None
) -> Window | None:
    """The window that is asked for; None for none."""
    if kb is not None and cm is not None:
        raise InvalidArgument(
            f"Expected at most one of window_kb and window_cm, got window_kb={kb}, window_cm={cm}."
        )
    if (cm is None) != (genetic_map is None):
        raise InvalidArgument(
            "Expected window_cm and a public genetic map together, got one of them. Give both: a "
            ".map or .bim file with centimorgans."
        )
    if kb is not None:
        return Window(kb=validate.positive(kb, "window_kb"))
    if cm is None or genetic_map is None:
        return None
    path = Path(genetic_map)
    check_file(path, "a genetic map")
    return Window(cm=validate.positive(cm, "window_cm"), map_sha256=digest(path))


@attrs.frozen
class Loci:
    """Which variants stand within a window of each other; public, (n_variants,) each.

    Variants by chromosome and place, where each stands among them, and of each place which places
    its window holds.
    """

    order: NDArray[np.intp] = attrs.field(repr=False)
    rank: NDArray[np.intp] = attrs.field(repr=False)
    start: NDArray[np.intp] = attrs.field(repr=False)
    stop: NDArray[np.intp] = attrs.field(repr=False)

    @classmethod
    def of(
        cls, variants: Variants, window: Window, genetic_map: str | os.PathLike[str] | None = None
    ) -> "Loci":
        """Return the windows of these variants."""
        names = np.array([chromosome_name(each) for each in variants.chromosome.tolist()])
        places = variants.position.astype(np.float64)
        reach = (window.kb or 0.0) * BASES
        if window.cm is not None and genetic_map is not None:
            # In centimorgans, on straight lines between those of the map.
            known, reach = _map(Path(genetic_map)), window.cm
            for name in sorted(set(names.tolist())):
                if name not in known:
                    raise DataError(
                        "Expected every chromosome of the study on the genetic map, got none of "
                        f"{name} at {Path(genetic_map)}. Leave it out with --chr."
                    )
                own = names == name
                places[own] = np.interp(places[own], *known[name])
        _, code = np.unique(names, return_inverse=True)
        order = np.lexsort((places, code))
        start, stop = np.empty_like(order), np.empty_like(order)
        for which in range(int(code.max()) + 1):
            first, last = np.searchsorted(code[order], [which, which + 1])
            there = places[order[first:last]]
            until = np.searchsorted(there, there + reach, side="right")
            stop[first:last] = first + until
            # Where one window holds another's variant, that one's holds it: a − r <= b, in float64,
            # is not a <= b + r, and what `least` counts on is that both say the same.
            start[first:last] = first + np.searchsorted(until, np.arange(last - first), "right")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return cls(order, rank, start, stop)

    def around(self, variant: int) -> NDArray[np.intp]:
        """The variants in the window of this one, itself among them."""
        place = self.rank[variant]
        return self.order[self.start[place] : self.stop[place]]

    @property
    def least(self) -> int:
        """How many rounds there are at least before nothing is left, whatever is chosen.

        Chosen variants whose windows hold everything are at least as many as the fewest that do:
        from the left, each time the last variant whose window holds the first one not yet held.
        """
        rounds, place = 0, 0
        while place < len(self.order):
            place = int(self.stop[self.stop[place] - 1])
            rounds += 1
        return rounds


def check_rounds(top: int, loci: Loci) -> None:
    """Refuse more rounds than there are sure to be; by public positions only."""
    if top > (least := loci.least):
        raise InvalidArgument(
            f"Expected top <= {least}, as windows around so many variants may hold all, got "
            f"top={top}. Make the window smaller."
        )


def _map(path: Path) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    wrong = DataError(
        "Expected chromosome, identifier, centimorgans and bases in every line, centimorgans that "
        f"rise with bases and reach above 0 on each chromosome, got others at {path}. Give a .map "
        "or .bim file with a genetic map."
    )
    lines = rows(path)
    if not lines or any(len(line) < _MAP_COLUMNS for line in lines):
        raise wrong
    by_name: dict[str, list[tuple[float, float]]] = {}
    try:
        for name, _, centimorgans, bases, *_rest in lines:
            by_name.setdefault(chromosome_name(name), []).append(
                (decimal(bases), decimal(centimorgans))
            )
    except ValueError:
        raise wrong from None
    maps = {}
    for name, pairs in by_name.items():
        bases_of, centimorgans_of = np.array(sorted(pairs)).T
        finite = np.isfinite(bases_of).all() and np.isfinite(centimorgans_of).all()
        if not finite or (np.diff(centimorgans_of) < 0).any() or centimorgans_of[-1] <= 0:
            raise wrong
        maps[name] = (bases_of, centimorgans_of)
    return maps
