"""Filling the blanks of a categorical column."""
