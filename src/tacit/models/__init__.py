"""Estimators of one model family each."""
