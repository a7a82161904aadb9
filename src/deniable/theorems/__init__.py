"""Implications `a_to_b`, a module a subject; where one can be turned round, `b_for_a` too."""
