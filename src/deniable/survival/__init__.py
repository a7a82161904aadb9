"""Survival curves with numbers still observed, from noisy counts of people."""
