"""For the owner of a table only: everything in here is unprotected."""
