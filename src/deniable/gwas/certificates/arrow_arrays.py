"""Arrow's arrays of Python values, made without pandas.

Arrow's own conversion imports pandas wherever it is installed, which takes longer than a small
release.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
else:
    pa = late("pyarrow", extra="publish")

Value = int | float | bool | str | None


def arrow_array(values: Sequence[Value], kind: str) -> pa.Array:
    """Values of one kind, None where there is none.

    Parameters
    ----------
    values : list
        Each of the kind, or None.
    kind : {"int64", "float64", "bool", "string"}
        Arrow's name of the type.

    Returns
    -------
    pyarrow.Array
        As of pyarrow.array.

    Examples
    --------
    >>> arrow_array(["A", None], "string").to_pylist()
    ['A', None]
    """
    known = np.array([value is not None for value in values], bool)
    bits = None if known.all() else _buffer(_bits(known))
    if kind == "string":
        texts = [value.encode() if isinstance(value, str) else b"" for value in values]
        offsets = np.array([0, *itertools.accumulate(map(len, texts))], np.int32)
        buffers = [bits, _buffer(offsets), pa.py_buffer(b"".join(texts))]
    else:
        filled = np.array([0 if value is None else value for value in values], kind)
        buffers = [bits, _buffer(_bits(filled) if kind == "bool" else filled)]
    return pa.Array.from_buffers(pa.type_for_alias(kind), len(values), buffers)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _buffer(array: NDArray[np.generic]) -> pa.Buffer:
    return pa.py_buffer(array.tobytes())
