"""Settings for every test: hypothesis draws the same examples every time."""

import os

from hypothesis import HealthCheck, settings

# Two busy cores make deadlines a coin toss. `HYPOTHESIS_PROFILE=search` looks for new examples.
settings.register_profile(
    "same-every-time",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same-every-time"))


def pytest_collection_modifyitems(items):
    """Workers must collect the same tests: no id may hold an address in memory."""
    named = [item.nodeid for item in items if " at 0x" in item.nodeid]
    assert not named, f"Give these parameters ids of their own: {named[:3]}"
