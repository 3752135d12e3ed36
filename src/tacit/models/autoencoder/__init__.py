"""Private autoencoders by the functional mechanism."""
