"""Noisy tables of one and two columns by class, and a mixture fitted to them: rows, class scores and counts."""
