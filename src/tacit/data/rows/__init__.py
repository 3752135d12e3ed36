"""Rows by the rules of a schema: encoded, streamed, counted, and bounded per person."""
