"""Rows with noise in every entry, from which a party of a federation answers."""
