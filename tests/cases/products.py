"""The ways in which genotypes are multiplied, in turn."""

from collections.abc import Iterator

import numpy as np
import pytest

from deniable.gwas import products


def kinds_of_products() -> Iterator[str]:
    """Products in float32, of bytes as numkong has them, and of bytes without it."""
    for kind in ("floats", "numkong", "bytes"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(products, "BYTES", kind != "floats")
            if kind == "bytes" or (kind == "numkong" and products.NUMKONG is None):
                patch.setattr(products, "NUMKONG", _InWholeNumbers)
            yield kind


class _InWholeNumbers:
    """What is used of numkong."""

    @staticmethod
    def dots_pack(others):
        return others

    @staticmethod
    def dots_packed(ones, others):
        return ones.astype(np.int64) @ others.T.astype(np.int64)
