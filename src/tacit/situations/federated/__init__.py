"""One decision from the private tables of several parties."""
