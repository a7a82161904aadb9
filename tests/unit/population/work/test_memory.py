from deniable.population.work.memory import memory


def test_a_machine_has_memory_for_its_own_interpreter():
    assert 2**26 < memory() < 2**60
    assert isinstance(memory(), int)
