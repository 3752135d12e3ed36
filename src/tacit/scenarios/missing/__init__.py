"""Inferring what some rows of a table leave blank in one column, from their other columns."""
