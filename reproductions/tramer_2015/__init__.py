"""tramer-2015's evaluation: which ε lets the two causal variants out, and what that takes."""
