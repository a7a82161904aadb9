"""Tables in PostgreSQL and in Spark, wherever a plan can name a source; ledgers in PostgreSQL."""
