"""A release attacked where it leaves the house, on tables that nobody lives in."""
