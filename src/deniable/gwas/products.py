"""Bits that rows have in common, and products of bytes, by numkong: only this imports the extra."""

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMKONG: Any = None
"""The library, where it is installed."""
with contextlib.suppress(ImportError):  # an extra
    import numkong

    NUMKONG = numkong

_PROCESSOR = "icelake"
"""Processors that count the bits of a register at once; on others NumPy is as fast."""
_TRIAL = (np.arange(5 * 1031) ** 2 // 7 % 251).astype(np.uint8).reshape(5, -1)
"""Rows of more bits than a register holds, which are compared once."""
_BYTE_PROCESSORS = ("alder", "icelake", "neonsdot", "sapphireamx")
"""Processors that add byte products at once. On others float32 is as fast."""
_BYTE_TRIAL = (np.arange(5 * 1031) % 4 - 1).astype(np.int8).reshape(5, -1)
"""Copies and missing calls of more people than a register holds, whose product is compared once."""


def pack_masks(masks: NDArray[np.uint8]) -> Any:
    """Masks, (n_masks, n_bytes), ready for `count_common_bits`."""
    return NUMKONG.dots_pack(masks.view(np.bool_), "uint1")  # to numkong a bool is eight bits


def count_common_bits(rows: NDArray[np.uint8], packed: Any) -> NDArray[np.uint32]:
    """Return how many bits each row has in common with each mask; (n_rows, n_masks)."""
    return np.asarray(NUMKONG.dots_packed(rows.view(np.bool_), packed))


BITS = bool(NUMKONG and NUMKONG.get_capabilities().get(_PROCESSOR)) and np.array_equal(
    count_common_bits(_TRIAL, pack_masks(_TRIAL)),
    np.bitwise_count(_TRIAL[:, None] & _TRIAL).sum(axis=2, dtype=np.int64),
)
"""Whether there is a numkong that counts bits fast and right on this processor."""


def multiply_bytes(ones: NDArray[np.int8], others: NDArray[np.int8]) -> NDArray[np.int32]:
    """Σ x y of each pair of rows of `ones` and `others`, exact, where `BYTES`."""
    return np.asarray(NUMKONG.dots_packed(ones, NUMKONG.dots_pack(others)))


BYTES = bool(
    NUMKONG and any(map(NUMKONG.get_capabilities().get, _BYTE_PROCESSORS))
) and np.array_equal(
    multiply_bytes(_BYTE_TRIAL, _BYTE_TRIAL), _BYTE_TRIAL.astype(np.int64) @ _BYTE_TRIAL.T
)
"""Whether there is a numkong that multiplies bytes fast and right on this processor."""
