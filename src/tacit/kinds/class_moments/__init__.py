"""Class sums or moments of a table's rows."""
