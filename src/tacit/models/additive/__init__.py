"""Additive private models of mixed tables: one curve for each column, learned by noisy gradient descent."""
