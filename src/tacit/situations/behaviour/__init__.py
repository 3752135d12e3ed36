"""Predicting behaviour from logs."""
