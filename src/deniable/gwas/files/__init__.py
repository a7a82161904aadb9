"""Genotypes and people as others write them: PLINK, VCF, tables of counts."""
