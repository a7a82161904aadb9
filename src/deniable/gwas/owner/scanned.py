"""A scanned study: what `deniable gwas scan` answers, plots and writes."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable._answer import Answer
from deniable.gwas.files.counts_file import ScanColumns
from deniable.gwas.genotypes import CountedStudy


@attrs.frozen(repr=False)
class Scan(Answer):
    """A scanned study; nothing in it is protected.

    Parameters
    ----------
    study : CountedStudy
        Variants and counts.
    statistic : str
        Which one stands in `columns`.
    columns : ScanColumns
        Statistics by variant, in file order.
    top : array of int, shape (at most `top`,)
        Rows of the largest statistics, the first in the file first among equals.
    """

    OWNER_ONLY = True

    study: CountedStudy
    statistic: str
    columns: ScanColumns
    top: NDArray[np.intp] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal))

    def as_json(self) -> dict[str, Any]:
        """What `deniable gwas scan` prints."""
        return {
            "individuals": self.study.individuals,
            "cases": self.study.cases,
            "controls": self.study.controls,
            "variants": len(self.study.variants),
            "missing_calls": self.study.missing_calls,
            "top": [self._row(index) for index in self.top.tolist()],
        }

    def _row(self, index: int) -> dict[str, Any]:
        p_value = float(self.columns.p_value[index])
        return {
            "variant": self.study.variants.identifier[index],
            "chromosome": self.study.variants.chromosome[index],
            "position": int(self.study.variants.position[index]),
            "statistic": self.columns.statistic[index].item(),
            "p_value": None if np.isnan(p_value) else p_value,
        }
