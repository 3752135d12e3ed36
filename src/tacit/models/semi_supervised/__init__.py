"""Networks that learn from few labels and many unlabelled rows."""
