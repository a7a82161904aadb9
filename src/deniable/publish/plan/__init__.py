"""A plan, read and checked."""
