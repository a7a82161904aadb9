"""A release attacked as it is published, on simulated tables."""
