"""Thin doors to the library: the command line, reports, services. No formulas."""
