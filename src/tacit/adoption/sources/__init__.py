"""Releases as the engine sees them: scores by the receiver's classes, and what is publicly known of their quality."""
