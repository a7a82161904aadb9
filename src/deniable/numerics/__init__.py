"""Numerical arguments that are made once, each with what rounding may do to it."""
