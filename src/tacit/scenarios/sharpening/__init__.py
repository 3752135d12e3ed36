"""Learning from few labels and many unlabelled rows, by sharpening a network's own predictions."""
