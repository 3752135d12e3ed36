"""``tacit desk``: score other people's models on a private table, a limited number of times."""
