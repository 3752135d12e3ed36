"""Class sums, means and moments, and classifiers made of them."""
