"""One module for each reproducible table; ``rows()`` yields its lines."""
