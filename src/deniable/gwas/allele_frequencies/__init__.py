"""Private frequencies of many variants: a public list of them, counted with noise."""
