"""Schemas, tables and data sets: reading and encoding. Spends nothing and knows no privacy."""
