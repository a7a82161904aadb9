"""Correlated records: what a mechanism reveals about one of them, exactly."""
