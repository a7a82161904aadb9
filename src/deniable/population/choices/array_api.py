"""Array kernels on NumPy, or on PyTorch or CuPy on a named device."""

import importlib
import importlib.util
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from deniable.errors import InvalidArgument

Array: TypeAlias = Any
"""An array of whichever library the kernel was given."""

Floats: TypeAlias = NDArray[np.float64]


def namespace(*arrays: Array) -> ModuleType:
    """The array API functions that fit these arrays."""
    module: ModuleType = array_namespace(*arrays)
    return module


def placed(values: Floats, device: str | None) -> Array:
    """The same numbers, float64, where the kernel runs: in NumPy for None, else on a device."""
    # A device is named as by PyTorch, "cuda:0" or "cpu"; CuPy serves "cuda" devices without it.
    if device is None:
        return np.asarray(values, np.float64)
    kind, _, number = device.partition(":")
    try:
        if importlib.util.find_spec("torch") is not None:
            torch = importlib.import_module("torch")
            return torch.as_tensor(values, dtype=torch.float64, device=device)
        if kind == "cuda" and importlib.util.find_spec("cupy") is not None:
            cupy = importlib.import_module("cupy")
            with cupy.cuda.Device(int(number or 0)):
                return cupy.asarray(values, dtype=cupy.float64)
    except (RuntimeError, ValueError) as fault:
        raise InvalidArgument(
            f"Expected an available device, got device={device!r}. Leave the device out to "
            f"use NumPy."
        ) from fault
    raise InvalidArgument(
        f"Expected PyTorch or CuPy for device={device!r}, got neither installed. Install one, or "
        f"leave the device out to use NumPy."
    )


def host(values: Array) -> Floats:
    """The numbers back as a NumPy array."""
    if hasattr(values, "get"):  # CuPy
        values = values.get()
    elif hasattr(values, "cpu"):  # PyTorch
        values = values.cpu()
    return np.asarray(values, np.float64)
