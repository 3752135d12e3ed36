"""Public data sets for tests, benchmarks and demonstrations, each with its schema."""
