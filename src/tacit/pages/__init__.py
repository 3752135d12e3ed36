"""HTML pages about releases, models and attacks."""
