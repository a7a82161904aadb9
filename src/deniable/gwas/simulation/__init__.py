"""Simulated studies with real structure."""
