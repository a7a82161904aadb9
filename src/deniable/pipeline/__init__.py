"""One way from exact totals to checked files, for every kind of release.

`kind` says what a kind of release is and where each stands; in `release` exact numbers meet noise
and a folder is written, whole or not at all; `check` recomputes what a release claims; `noise` has
parts, shares of a budget, and the only interface to the sampler.
"""
