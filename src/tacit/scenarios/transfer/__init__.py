"""Private transfer: an owner releases, a receiver with few labels adopts."""
