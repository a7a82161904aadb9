import resource

import pytest

from deniable.computing.parallel import memory


def test_a_machine_has_memory_for_its_own_interpreter():
    assert 2**26 < memory() < 2**60
    assert isinstance(memory(), int)


@pytest.mark.parametrize("allowed", [2**28, 2**60, resource.RLIM_INFINITY])
def test_a_limit_of_the_process_counts(monkeypatch, allowed):
    before = memory()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (allowed, allowed))
    assert memory() == (2**28 if allowed == 2**28 else before)
