"""How private one release is against an adversary who knows the population, not the sample."""
