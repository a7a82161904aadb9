"""For the owner of a study only: everything in here is unprotected."""
