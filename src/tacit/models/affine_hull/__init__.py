"""Kernel affine hull machines."""
