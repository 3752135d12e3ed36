"""The average over hypotheses about releases and rows, weighed by evidence."""
