"""Empirical audits: the distinguishing game, replays, attacks, and the package's audit of itself."""
