"""Pages and charts about rules on exact tables."""
