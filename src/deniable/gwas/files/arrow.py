"""Arrow, which parses and writes large tables of text, imported when it is first used."""

from typing import TYPE_CHECKING

from deniable.errors.late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    from pyarrow import csv
else:
    pa = late("pyarrow", extra="gwas")
    pc = late("pyarrow.compute", extra="gwas")
    csv = late("pyarrow.csv", extra="gwas")

__all__ = ["csv", "pa", "pc"]
