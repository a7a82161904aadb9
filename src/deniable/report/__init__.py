"""The page for the person who decides or signs: it sees certificates and results, never data."""
