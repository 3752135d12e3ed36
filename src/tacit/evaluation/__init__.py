"""Scores, privacy audits, and the registry of reproducible tables."""
