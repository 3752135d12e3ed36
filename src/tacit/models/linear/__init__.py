"""Private linear classifiers and transfer between them."""
