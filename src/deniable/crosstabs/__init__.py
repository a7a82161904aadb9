"""Crosstabs and trees: counts of rows by several columns, and of a hierarchy, that add up."""
