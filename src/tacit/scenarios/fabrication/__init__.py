"""Fabrication: an owner hands out a table of invented rows that stand for private ones."""
