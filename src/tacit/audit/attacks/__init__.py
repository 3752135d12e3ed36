"""Attacks on releases, given rows that were in the table and rows that were not."""
