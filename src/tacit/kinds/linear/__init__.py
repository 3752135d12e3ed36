"""Weights of private logistic regressions."""
