"""Genome-wide association studies: from PLINK files to privately released variants."""
