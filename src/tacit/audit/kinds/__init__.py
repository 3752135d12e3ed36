"""Audit cases of each kind of release."""
