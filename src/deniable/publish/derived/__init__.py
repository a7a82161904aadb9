"""Columns that a plan derives: public functions of one row, total and the same on every engine."""
