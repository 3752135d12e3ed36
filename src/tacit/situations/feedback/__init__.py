"""Tuning a model from scores alone."""
