"""A scanned study: what `deniable gwas scan` answers, plots and writes."""

from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late
from deniable.gwas.files import ScanColumns
from deniable.gwas.genotypes import CountedStudy
from deniable.numerics.answer import Answer

private_plot: Any = late("deniable.gwas.owner.private_plot")


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
    lambda_gc : float or None
        Genomic control's λ: the median χ² of the autosomal variants on which it is defined, over
        0.4549. Of the allelic χ² where the statistic is the distance; for 2 degrees of freedom from
        the χ² with 1 that is as improbable. None where it is defined on none.
    left_out : int
        Variants that the written table cannot hold.
    """

    OWNER_ONLY = True

    study: CountedStudy
    statistic: str
    columns: ScanColumns
    top: NDArray[np.intp] = attrs.field(eq=attrs.cmp_using(eq=np.array_equal))
    lambda_gc: float | None = None
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """What `deniable gwas scan` prints."""
        return {
            "individuals": self.study.individuals,
            "cases": self.study.cases,
            "controls": self.study.controls,
            "variants": len(self.study.variants),
            "missing_calls": self.study.missing_calls,
            "top": [self._row(index) for index in self.top.tolist()],
            "not_autosomal": self.study.not_autosomal,
            "multiallelic_left_out": self.study.multiallelic_left_out,
            "lambda_gc": self.lambda_gc,
            "left_out": self.left_out,
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

    def plot(self, kind: Literal["manhattan", "qq"] = "manhattan") -> Any:
        """Every variant along the genome, or p-values against what chance gives: for the owner.

        Parameters
        ----------
        kind : {"manhattan", "qq"}
            Heights along the genome; or observed against expected −log10 p.

        Returns
        -------
        altair.Chart
            Marked as not for publication; needs the extra gwas.

        Raises
        ------
        InvalidArgument
            If `kind` is another word, or a QQ plot is asked of distances, which have no p-values.
        """
        return private_plot.private_chart(self, kind)
