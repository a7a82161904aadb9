"""One implication a file, `a_to_b`; where it can be turned round, `a_for_b` beside it."""
