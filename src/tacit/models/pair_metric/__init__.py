"""Metrics learned from pairs."""
