"""Reports and charts of genome studies."""
