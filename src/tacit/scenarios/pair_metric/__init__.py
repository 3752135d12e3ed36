"""Pairwise privacy: an owner releases a metric that does not give away who is related to whom."""
