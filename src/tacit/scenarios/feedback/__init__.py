"""Tuning a model on data that nobody shows, from scores alone."""
