"""Made-up studies with real structure."""
