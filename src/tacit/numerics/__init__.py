"""Pure functions: kernels, linear algebra, landmarks. They read arrays and return arrays."""
