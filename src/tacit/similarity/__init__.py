"""How alike two tables of one schema are."""
