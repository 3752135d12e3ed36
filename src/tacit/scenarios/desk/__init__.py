"""The owner's desk: scores of other people's models on a table that nobody sees."""
