"""Membership-mappings: regressor, autoencoders, classifier."""
