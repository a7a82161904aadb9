"""Genotypes counted and multiplied by compiled code: only this imports the extra `fast`."""

import contextlib
import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from deniable.errors.late import late

if TYPE_CHECKING:
    import llvmlite.binding as llvm
else:
    llvm = late("llvmlite.binding")  # an extra, and of use to large files alone

NUMKONG: Any = None
"""The library, where it is installed."""
with contextlib.suppress(ImportError):  # an extra
    import numkong

    NUMKONG = numkong

_BYTE_PROCESSORS = ("alder", "icelake", "neonsdot", "sapphireamx")
"""Processors that add byte products at once. On others float32 is as fast."""
_BYTE_TRIAL = (np.arange(5 * 1031) % 4 - 1).astype(np.int8).reshape(5, -1)
"""Copies and missing calls of more people than a register holds, whose product is compared once."""


def multiply_bytes(ones: NDArray[np.int8], others: NDArray[np.int8]) -> NDArray[np.int32]:
    """Σ x y of each pair of rows of `ones` and `others`, exact, where `BYTES`."""
    return np.asarray(NUMKONG.dots_packed(ones, NUMKONG.dots_pack(others)))


BYTES = bool(
    NUMKONG and any(map(NUMKONG.get_capabilities().get, _BYTE_PROCESSORS))
) and np.array_equal(
    multiply_bytes(_BYTE_TRIAL, _BYTE_TRIAL), _BYTE_TRIAL.astype(np.int64) @ _BYTE_TRIAL.T
)
"""Whether there is a numkong that multiplies bytes fast and right on this processor."""

_PAIR = 16
"""Bytes of two machine words, one of each half of a row: 64 genotypes."""
_EVEN, _ONE = np.uint64(0x5555555555555555), np.uint64(1)
"""Every other bit of a word, and a shift by one."""
_TRIAL = (np.arange(5 * 1040) ** 2 // 7 % 251).astype(np.uint8).reshape(5, -1)
"""Rows of more bits than a register holds, which are counted once."""


@attrs.frozen
class CompiledCounts:
    """The function of `count.ll`; `engine` owns its code."""

    engine: Any
    function: Callable[..., None]

    def add(
        self, rows: NDArray[np.uint8], masks: NDArray[np.uint64], counts: NDArray[np.int64]
    ) -> None:
        """Add how many of each group have the low bit, the high bit, and both.

        `rows` are (n_rows, 16 n_words or more), `masks` (n_groups, n_words), with the people of
        both halves in turn, and `counts` (n_rows, 3, n_groups).
        """
        (groups, words), n = masks.shape, len(rows)
        if rows.shape[1] < _PAIR * words or counts.shape != (n, 3, groups):
            raise ValueError("Expected rows as long as masks, and three counts for each group.")
        beside = rows[:1].flags.c_contiguous and masks.flags.c_contiguous and counts.flags.carray
        if not beside or (rows.itemsize, masks.itemsize, counts.itemsize) != (1, 8, 8):
            raise ValueError("Expected bytes, words and counts side by side.")
        if n and masks.size:
            places = rows.ctypes.data, masks.ctypes.data, counts.ctypes.data
            self.function(places[0], n, rows.strides[0], words, places[1], groups, places[2])


@functools.cache
def compile_counts() -> CompiledCounts | None:
    """Compile `count.ll` where LLVM is installed and counts right on this processor."""
    try:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        machine = llvm.Target.from_default_triple().create_target_machine(*processor, opt=3)
        module = llvm.parse_assembly(Path(__file__).with_name("count.ll").read_text("utf-8"))
    except (ImportError, OSError, RuntimeError):  # none or an old one; an unknown processor
        return None
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(None, address, number, number, number, address, number, address)
    compiled = CompiledCounts(engine, kind(engine.get_function_address("count")))
    halves = _TRIAL.view(np.uint64).reshape(len(_TRIAL), 2, -1)
    masks = halves[:2, 0].copy()
    counts = np.zeros((len(_TRIAL), 3, len(masks)), np.int64)
    compiled.add(_TRIAL, masks, counts)
    first, second = halves[:, 0], halves[:, 1]
    low = first & _EVEN | (second & _EVEN) << _ONE
    high = first >> _ONE & _EVEN | second & ~_EVEN
    planes = np.stack([low, high, low & high], axis=1)[:, :, None] & masks
    expected = np.bitwise_count(planes).sum(3, dtype=np.int64)
    return compiled if np.array_equal(counts, expected) else None
