import importlib.util

import numpy as np
import pytest

from deniable.errors import InvalidArgument
from deniable.population.choices.array_api import host, namespace, placed
from tests.cases.refusals import refuses


def test_without_a_device_it_is_numpy():
    values = placed([[1, 2]], None)
    assert values.dtype == np.float64
    assert namespace(values).exp(values).shape == (1, 2)
    assert host(values) is values


def test_a_device_needs_a_library(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with refuses(InvalidArgument, "pytorch-or-cupy-for-device: 'cuda:0'"):
        placed(np.zeros(2), "cuda:0")


def test_cupy_serves_cuda_only(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "cupy" or None)
    with refuses(InvalidArgument, "pytorch-or-cupy-for-device: 'mps'"):
        placed(np.zeros(2), "mps")


class Remote:
    """An array as CuPy and PyTorch have them, as far as coming home goes."""

    def __init__(self, way):
        setattr(self, way, lambda: np.ones(2))


@pytest.mark.parametrize("way", ["get", "cpu"])
def test_numbers_come_home(way):
    assert (host(Remote(way)) == np.ones(2)).all()


class Torch:
    """A PyTorch that has no such device."""

    float64 = np.float64

    @staticmethod
    def as_tensor(values, dtype, device):
        if device == "cpu":
            return np.asarray(values, dtype)
        raise RuntimeError("no such device")


def test_pytorch_comes_first_and_a_missing_device_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: "found")
    monkeypatch.setattr(importlib, "import_module", lambda _: Torch)
    assert placed(np.ones(2), "cpu").sum() == 2
    with refuses(InvalidArgument, "device-that-there: 'xyz'"):
        placed(np.ones(2), "xyz")
