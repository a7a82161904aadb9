"""Contributions bounded, then exact totals, on the engine."""
