"""What an owner can hand out: one package for each kind of release."""
