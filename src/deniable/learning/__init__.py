"""Noisy gradient descent: privacy curves enclosed from both sides."""
