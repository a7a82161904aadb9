"""Scores of variants on a public grid, with how far a neighbouring study moves them."""
