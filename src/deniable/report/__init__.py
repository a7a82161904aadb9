"""The page for whoever must decide or sign: sees certificates and results, never data."""
