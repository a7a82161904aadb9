"""Figures and numbers of papers, computed again by one command each."""
