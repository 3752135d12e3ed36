"""A table of invented rows."""
