"""What the self-audit tries, one module for each family of mechanisms and estimators."""
