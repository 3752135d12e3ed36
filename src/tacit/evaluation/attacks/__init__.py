"""Membership attacks: how well somebody tells rows that were in a private table from rows that were not."""
