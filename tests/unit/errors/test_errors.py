import inspect

import pytest

from deniable import errors

CLASSES = [item for _, item in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", CLASSES)
def test_every_exception_has_one_base_and_stands_in_the_tree(error):
    assert issubclass(error, errors.DeniableError)
    assert error.__name__ in errors.__doc__


def test_an_invalid_argument_is_a_value_error():
    assert issubclass(errors.InvalidArgument, ValueError)
    assert not issubclass(errors.PlanError, ValueError)
