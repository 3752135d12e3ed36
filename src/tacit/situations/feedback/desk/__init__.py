"""The owner's desk: scores other people's models a limited number of times."""
