"""The certificates of releases from people's genotypes."""
