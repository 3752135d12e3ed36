"""A metric learned from pairs of rows."""
