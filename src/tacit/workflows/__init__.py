"""The application layer: plain functions that every interface calls."""
