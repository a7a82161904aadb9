"""A trained model: from a belief to its noise, and the certificate of what was done."""
